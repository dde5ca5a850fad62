import { randomUUID } from 'node:crypto';
import type { PaymentContext } from '../../ledger/amulet/transfer.ts';
import type { Contract } from '../../ledger/contract.ts';
import { unitsOf } from '../../ledger/decimal.ts';
import { createAs, exerciseAs } from '../../ledger/in-process.ts';
import type { Create, Exercise } from '../../ledger/in-process.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Metadata } from '../../ledger/tokens/metadata.ts';
import { amuletContractsOf } from '../dso-contracts.ts';
import { unlockedAmulets } from './holdings.ts';
import type { Wallet } from './holdings.ts';

/*
 * Commands of a wallet's owner. The owner's ledger user submits them on the owner's participant, like all other
 * commands. Contracts of the DSO party that a command needs are disclosed with it.
 */

/** A wallet, used by a ledger user. */
export interface WalletUse extends Wallet {
  readonly userId: string;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export const submitterOf = ({ userId, party }: WalletUse, commandId: string) => ({
  userId,
  actAs: [party],
  commandId,
});

/** Exercises a choice, and waits for the result unless the caller disconnects. */
export const exercise = <A, R>(wallet: WalletUse, choice: Exercise<A, R>) =>
  exerciseAs(wallet.participant, choice, { signal: wallet.signal });

/** Creates a contract, and waits for the result unless the caller disconnects. */
export const create = <P>(wallet: WalletUse, contract: Create<P>) =>
  createAs(wallet.participant, contract, { signal: wallet.signal });

/** Returns a new command ID. */
export const newCommandId = (operation: string) => `wallet-${operation}-${randomUUID()}`;

export const metaJson = ({ values }: Metadata) => Object.fromEntries(values);

/** The maximum number of holdings for one payment. Later payments merge the remaining holdings. */
const INPUTS_MAX = 100;

/**
 * Returns the holdings to pay with: the largest ones, so that a wallet with very many holdings can pay despite the
 * limit.
 */
export function inputsOf(wallet: Wallet): readonly string[] {
  return unlockedAmulets(wallet)
    .map(({ contract, value }) => ({
      contractId: contract.contractId,
      units: unitsOf(value.amount.initialAmount),
    }))
    .toSorted((a, b) => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1))
    .slice(0, INPUTS_MAX)
    .map(({ contractId }) => contractId);
}

/** Like {@link inputsOf}, but returns the holdings as inputs of a choice of the coin's rules contract. */
export const transferInputsOf = (wallet: Wallet) =>
  inputsOf(wallet).map((value) => ({ tag: 'InputAmulet', value }) as const);

/** Returns the arguments for a choice of the coin's rules contract, and the contracts that the arguments name. */
export function paymentOf(
  ledger: Ledger,
  featuredAppRight?: Contract,
): { readonly context: PaymentContext; readonly disclosed: readonly Contract[] } {
  const { amuletRules, openMiningRound } = amuletContractsOf(ledger);
  return {
    context: {
      amuletRules: amuletRules.contractId,
      context: {
        openMiningRound: openMiningRound.contractId,
        issuingMiningRounds: [],
        validatorRights: [],
        featuredAppRight:
          featuredAppRight === undefined ? null : { some: featuredAppRight.contractId },
      },
    },
    disclosed: [
      amuletRules,
      openMiningRound,
      ...(featuredAppRight === undefined ? [] : [featuredAppRight]),
    ],
  };
}

/**
 * The payment in progress of each party. A party's payments run one at a time, because two at once would spend the same
 * holdings.
 */
const paying = new WeakMap<object, Map<string, Promise<unknown>>>();

export async function afterOtherPayments<T>(
  { ledger, party }: Wallet,
  pay: () => Promise<T>,
): Promise<T> {
  const underWay = paying.get(ledger) ?? new Map<string, Promise<unknown>>();
  paying.set(ledger, underWay);
  const before = underWay.get(party) ?? Promise.resolve();
  const paid = before.then(pay, pay);
  underWay.set(party, paid);
  try {
    return await paid;
  } finally {
    if (underWay.get(party) === paid) underWay.delete(party);
  }
}
