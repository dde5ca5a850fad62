import type { Contract } from './contract.ts';
import type { PlacedUpdate } from './participant-state.ts';
import type { Placed } from './placed.ts';
import type { LedgerEvent, LedgerTransaction } from './update.ts';

/* Queries for the updates that a participant has seen. The participant's own validator app uses them. */

type Updates = Pick<Placed<PlacedUpdate>, 'length' | 'at' | 'indexAfter'>;

/** Yields transactions, the latest first, beginning at an offset or at the last one. They are read lazily. */
export function* latestTransactions(
  updates: Updates,
  offset: bigint | undefined,
): Generator<LedgerTransaction> {
  let index = (offset === undefined ? updates.length : updates.indexAfter(offset)) - 1;
  for (; index >= 0; index -= 1) {
    const update = updates.at(index)?.update;
    if (update?.kind === 'transaction') yield update;
  }
}

/** Returns whether a wanted contract was created after an offset. */
export function hasCreatedSince(
  updates: Updates,
  offset: bigint,
  isWanted: (contract: Contract) => boolean,
): boolean {
  const isIn = ({ kind, contract }: LedgerEvent) => kind === 'created' && isWanted(contract);
  for (let index = updates.indexAfter(offset); index < updates.length; index += 1) {
    const update = updates.at(index)?.update;
    if (update?.kind === 'transaction' && update.events.some(isIn)) return true;
  }
  return false;
}
