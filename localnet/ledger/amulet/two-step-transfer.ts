import { decimalOf, unitsOf } from '../decimal.ts';
import type { ChoiceContext } from '../package-definition.ts';
import type { AllocationSpecification } from '../tokens/allocation.ts';
import { Holding } from '../tokens/holding.ts';
import { contextBool, contextContractId, extraArgs } from '../tokens/metadata.ts';
import type { ExtraArgs } from '../tokens/metadata.ts';
import { LockedAmulet, OwnerExpireLock, Unlock, amuletInstrument } from './amulet.ts';
import { AmuletRules, ESTIMATED_TRANSFER_FEE, TransferAmulets, sumOf } from './amulet-rules.ts';
import { fetchOpenRound } from './round.ts';

/*
 * A payment in two steps: lock the amount, and transfer it or give it back later. What contracts of the DSO party the
 * steps need, callers bring in the choice context, which the token's registry gives them.
 */

const AMULET_RULES_KEY = 'amulet-rules';
const OPEN_ROUND_KEY = 'open-round';
const EXPIRE_LOCK_KEY = 'expire-lock';

/** What allocating and executing need. */
export const transferArguments = (amuletRulesCid: string, openRoundCid: string): ExtraArgs =>
  extraArgs([
    [AMULET_RULES_KEY, { tag: 'AV_ContractId', value: amuletRulesCid }],
    [OPEN_ROUND_KEY, { tag: 'AV_ContractId', value: openRoundCid }],
  ]);

/** What withdrawing and cancelling need. `isLocked`: the locked amulet is still there and is to be given back. */
export const returnArguments = (openRoundCid: string, isLocked: boolean): ExtraArgs =>
  extraArgs([
    [EXPIRE_LOCK_KEY, { tag: 'AV_Bool', value: isLocked }],
    [OPEN_ROUND_KEY, { tag: 'AV_ContractId', value: openRoundCid }],
  ]);

/** How many times the expected fee is locked on top of the amount, against its rising in between. */
const FEE_RESERVE_MULTIPLIER = 4n;
const NO_RECEIVER_FEES = '0.0000000000';

/** The contracts of the DSO party that a payment is made by. */
function paymentContext(ledger: ChoiceContext, dso: string, args: ExtraArgs) {
  const amuletRulesCid = contextContractId(ledger, args, AMULET_RULES_KEY);
  const openMiningRound = contextContractId(ledger, args, OPEN_ROUND_KEY);
  const rules = ledger.fetch(AmuletRules, amuletRulesCid);
  ledger.require('Amulet rules are of the DSO party', rules.dso === dso);
  return { amuletRulesCid, openMiningRound };
}

/** Holdings as inputs of a transfer; of those whose lock has expired, what was locked in them. */
function spendable(
  ledger: ChoiceContext,
  { dso, sender }: { readonly dso: string; readonly sender: string },
  holdingCid: string,
  openRoundCid: string,
) {
  const { owner, instrumentId, lock } = ledger.fetchInterface(Holding, holdingCid);
  const { admin, id } = amuletInstrument(dso);
  const isAmulet = instrumentId.admin === admin && instrumentId.id === id;
  ledger.require('Input holdings are Amulet of the DSO party', isAmulet);
  ledger.require('Input holdings are owned by the sender', owner === sender);
  if (lock === null) return { tag: 'InputAmulet', value: holdingCid } as const;
  const unlocked = ledger.exercise(LockedAmulet, holdingCid, OwnerExpireLock, { openRoundCid });
  return { tag: 'InputAmulet', value: unlocked.amuletSum.amulet } as const;
}

/** Locks what an allocation will pay. `change` holds what was left over. */
export function lockAllocated(
  ledger: ChoiceContext,
  { settlement, transferLegId, transferLeg }: AllocationSpecification,
  inputHoldingCids: readonly string[],
  args: ExtraArgs,
): { readonly lockedAmulet: string; readonly change: readonly string[] } {
  const { sender, receiver, amount, instrumentId } = transferLeg;
  const dso = instrumentId.admin;
  const { amuletRulesCid, openMiningRound } = paymentContext(ledger, dso, args);
  const inputs = inputHoldingCids.map((holdingCid) =>
    spendable(ledger, { dso, sender }, holdingCid, openMiningRound),
  );
  const reserve = decimalOf(unitsOf(ESTIMATED_TRANSFER_FEE) * FEE_RESERVE_MULTIPLIER) ?? '';
  const lock = {
    holders: [dso],
    expiresAt: settlement.settleBefore,
    optContext: { some: `allocation for transfer leg "${transferLegId}" to '${receiver}'` },
  };
  const output = {
    receiver: sender,
    receiverFeeRatio: NO_RECEIVER_FEES,
    amount: sumOf(ledger, [amount, reserve]),
    lock: { some: lock },
  };
  const { createdAmulets, senderChangeAmulet } = ledger.exercise(
    AmuletRules,
    amuletRulesCid,
    TransferAmulets,
    {
      transfer: { sender, provider: sender, inputs, outputs: [output] },
      context: { openMiningRound },
      expectedDso: { some: dso },
    },
  );
  const [locked] = createdAmulets;
  if (locked === undefined) throw new TypeError('a transfer with one output created nothing');
  return { lockedAmulet: locked.value, change: asList(senderChangeAmulet) };
}

/** Pays what was locked. */
export function payAllocated(
  ledger: ChoiceContext,
  { settlement, transferLeg }: AllocationSpecification,
  lockedAmuletCid: string,
  args: ExtraArgs,
): { readonly sender: readonly string[]; readonly receiver: readonly string[] } {
  ledger.requireWithinDeadline('allocation.settlement.settleBefore', settlement.settleBefore);
  const { sender, receiver, amount, instrumentId } = transferLeg;
  const dso = instrumentId.admin;
  const { amuletRulesCid, openMiningRound } = paymentContext(ledger, dso, args);
  const { amuletSum } = ledger.exercise(LockedAmulet, lockedAmuletCid, Unlock, {
    openRoundCid: openMiningRound,
  });
  const { createdAmulets, senderChangeAmulet } = ledger.exercise(
    AmuletRules,
    amuletRulesCid,
    TransferAmulets,
    {
      transfer: {
        sender,
        provider: settlement.executor,
        inputs: [{ tag: 'InputAmulet', value: amuletSum.amulet }],
        outputs: [{ receiver, receiverFeeRatio: NO_RECEIVER_FEES, amount, lock: null }],
      },
      context: { openMiningRound },
      expectedDso: { some: dso },
    },
  );
  return {
    sender: asList(senderChangeAmulet),
    receiver: createdAmulets.map(({ value }) => value),
  };
}

/** Gives back what was locked; nothing, where the caller knows that the owner has already taken it back. */
export function returnAllocated(
  ledger: ChoiceContext,
  { settlement, transferLeg }: AllocationSpecification,
  lockedAmuletCid: string,
  args: ExtraArgs,
): readonly string[] {
  if (!contextBool(ledger, args, EXPIRE_LOCK_KEY)) {
    ledger.requireDeadlineExceeded('allocation.settlement.settleBefore', settlement.settleBefore);
    return [];
  }
  const openRoundCid = contextContractId(ledger, args, OPEN_ROUND_KEY);
  fetchOpenRound(ledger, transferLeg.instrumentId.admin, openRoundCid);
  const { amuletSum } = ledger.exercise(LockedAmulet, lockedAmuletCid, Unlock, { openRoundCid });
  return [amuletSum.amulet];
}

const asList = <T>(optional: { readonly some: T } | null): readonly T[] =>
  optional === null ? [] : [optional.some];
