import { addDecimal, decimalOr } from '../contract-failures.ts';
import { unitsOf } from '../decimal.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { Holding } from '../tokens/holding.ts';
import { contextBool, contextContractId, optionalContractId } from '../tokens/metadata.ts';
import type { ExtraArgs, Metadata } from '../tokens/metadata.ts';
import { AmuletRules } from './amulet-rules.ts';
import { LockedAmulet, OwnerExpireLock, Unlock } from './amulet.ts';
import { fetchChecked, fetchCheckedInterface, forDso, forOwner } from './contract-groups.ts';
import { fetchOpenRound } from './round.ts';
import { computeFees, transferByRules } from './rules-interface.ts';
import { burnMetadata } from './transaction-metadata.ts';
import { changeHoldings, createdHoldings } from './transfer.ts';
import type { PaymentContext, Transfer, TransferInput } from './transfer.ts';

/*
 * A payment in two steps: lock the amount, then transfer it or return it. Callers pass the DSO party's contracts that
 * the steps need in the choice context, which they get from the token's registry.
 */

export const AMULET_RULES_KEY = 'amulet-rules';
export const OPEN_ROUND_KEY = 'open-round';
export const FEATURED_APP_RIGHT_KEY = 'featured-app-right';
export const TRANSFER_PREAPPROVAL_KEY = 'transfer-preapproval';
export const EXPIRE_LOCK_KEY = 'expire-lock';

/**
 * How much is locked in addition for the fee, as a multiple of the expected fee, because the fee may rise between the
 * two steps.
 */
const FEE_RESERVE_MULTIPLIER = 4n;
const NO_RECEIVER_FEES = '0.0000000000';

/** The parties, amount and deadline of a payment in two steps. */
export interface TwoStepTransfer {
  readonly dso: string;
  readonly sender: string;
  readonly receiver: string;
  readonly amount: string;
  /** The description of the lock that wallets show. */
  readonly lockContext: string;
  readonly transferBefore: bigint;
  /** The name of the deadline in failure messages. */
  readonly deadlineName: string;
  /** The party that runs the app through which the second step is made. */
  readonly provider: string;
  readonly allowsFeaturing: boolean;
}

/** Returns the contracts of the DSO party that a payment needs. */
export function paymentContext(
  ledger: ChoiceContext,
  dso: string,
  args: ExtraArgs,
  { isFeatured }: { readonly isFeatured: boolean },
): PaymentContext {
  const amuletRules = contextContractId(ledger, args, AMULET_RULES_KEY);
  const openMiningRound = contextContractId(ledger, args, OPEN_ROUND_KEY);
  const featured = optionalContractId(ledger, args, FEATURED_APP_RIGHT_KEY);
  fetchChecked(ledger, AmuletRules, amuletRules, forDso(dso), (rules) => forDso(rules.dso));
  return {
    amuletRules,
    context: {
      openMiningRound,
      issuingMiningRounds: [],
      validatorRights: [],
      featuredAppRight: isFeatured && featured !== undefined ? { some: featured } : null,
    },
  };
}

/** Returns the receiver's preapproval, if the caller passed one. */
export const preapprovalIn = (ledger: ChoiceContext, args: ExtraArgs): string | undefined =>
  optionalContractId(ledger, args, TRANSFER_PREAPPROVAL_KEY);

/** Returns holdings as inputs of a transfer. A lock that has expired is replaced by the coins in it. */
export function inputsOf(
  ledger: ChoiceContext,
  { dso, sender }: Pick<TwoStepTransfer, 'dso' | 'sender'>,
  { context }: PaymentContext,
  holdingCids: readonly string[],
): readonly TransferInput[] {
  const openRoundCid = context.openMiningRound;
  return holdingCids.map((holdingCid) => {
    const { lock } = fetchCheckedInterface(
      ledger,
      Holding,
      holdingCid,
      forOwner(dso, sender),
      ({ instrumentId, owner }) => forOwner(instrumentId.admin, owner),
    );
    if (lock === null) return { tag: 'InputAmulet', value: holdingCid };
    const unlocked = ledger.exercise(LockedAmulet, holdingCid, OwnerExpireLock, { openRoundCid });
    return { tag: 'InputAmulet', value: unlocked.amuletSum.amulet };
  });
}

const outputOf = ({ receiver, amount }: Pick<TwoStepTransfer, 'receiver' | 'amount'>) => ({
  receiver,
  receiverFeeRatio: NO_RECEIVER_FEES,
  amount,
  lock: null,
});

interface Prepared {
  readonly lockedAmulet: string;
  /** The holdings that were left over when the amount was locked. */
  readonly change: readonly string[];
  readonly meta: Metadata;
}

/** Locks the coins for the payment. */
export function prepareTransfer(
  ledger: ChoiceContext,
  transfer: TwoStepTransfer,
  requestedAt: bigint,
  inputHoldingCids: readonly string[],
  payment: PaymentContext,
): Prepared {
  const { dso, sender, amount, transferBefore, lockContext } = transfer;
  ledger.require('requestedAt < transferBefore', requestedAt < transferBefore);
  const fees = computeFees(ledger, dso, payment, sender, [outputOf(transfer)]);
  const reserve = unitsOf(fees[0] ?? NO_RECEIVER_FEES) * FEE_RESERVE_MULTIPLIER;
  const inputs = inputsOf(ledger, transfer, payment, inputHoldingCids);
  const lock = {
    holders: [dso],
    expiresAt: transferBefore,
    optContext: { some: lockContext },
  };
  const output = {
    receiver: sender,
    receiverFeeRatio: NO_RECEIVER_FEES,
    amount: addDecimal(ledger, amount, decimalOr(ledger, reserve, 'MUL_NUMERIC')),
    lock: { some: lock },
  };
  const result = transferByRules(ledger, dso, payment, {
    sender,
    provider: sender,
    inputs,
    outputs: [output],
    beneficiaries: null,
  });
  const [lockedAmulet] = createdHoldings(result);
  if (lockedAmulet === undefined) throw new TypeError('a transfer with one output created nothing');
  return { lockedAmulet, change: changeHoldings(result), meta: burnMetadata(result.meta) };
}

interface Executed {
  readonly senderHoldingCids: readonly string[];
  readonly receiverHoldingCids: readonly string[];
  readonly meta: Metadata;
}

/** Pays the locked coins. `beneficiariesIn` returns the beneficiaries of the app's reward. */
export function executeLocked(
  ledger: ChoiceContext,
  transfer: TwoStepTransfer,
  lockedAmuletCid: string,
  args: ExtraArgs,
  beneficiariesIn: (meta: Metadata) => Transfer['beneficiaries'] = () => null,
): Executed {
  const { dso, sender, provider, allowsFeaturing } = transfer;
  ledger.requireWithinDeadline(transfer.deadlineName, transfer.transferBefore);
  const beneficiaries = allowsFeaturing ? beneficiariesIn(args.meta) : null;
  const payment = paymentContext(ledger, dso, args, { isFeatured: allowsFeaturing });
  const { amuletSum } = ledger.exercise(LockedAmulet, lockedAmuletCid, Unlock, {
    openRoundCid: payment.context.openMiningRound,
  });
  const result = transferByRules(ledger, dso, payment, {
    sender,
    provider,
    inputs: [{ tag: 'InputAmulet', value: amuletSum.amulet }],
    outputs: [outputOf(transfer)],
    beneficiaries,
  });
  return {
    senderHoldingCids: changeHoldings(result),
    receiverHoldingCids: createdHoldings(result),
    meta: burnMetadata(result.meta),
  };
}

/**
 * Returns the locked coins to the owner. Does nothing if the caller states that the owner has already unlocked them.
 */
export function returnLocked(
  ledger: ChoiceContext,
  { dso, transferBefore, deadlineName }: TwoStepTransfer,
  lockedAmuletCid: string,
  args: ExtraArgs,
): readonly string[] {
  if (!contextBool(ledger, args, EXPIRE_LOCK_KEY)) {
    ledger.requireDeadlineExceeded(deadlineName, transferBefore);
    return [];
  }
  const openRoundCid = contextContractId(ledger, args, OPEN_ROUND_KEY);
  fetchOpenRound(ledger, dso, openRoundCid);
  const { amuletSum } = ledger.exercise(LockedAmulet, lockedAmuletCid, Unlock, { openRoundCid });
  return [amuletSum.amulet];
}
