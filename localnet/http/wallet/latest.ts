import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ParticipantApi, SeenTransaction } from '../../ledger/participant.ts';

/** A party may have done little on a ledger with much on it: others have their turn while it is looked for. */
const READ_AT_ONCE = 50;

/** Transactions that a participant has seen, the latest first. @param fromUpdateId begin with this one */
export async function* latestTransactions(
  participant: ParticipantApi,
  fromUpdateId?: string,
): AsyncGenerator<SeenTransaction> {
  let read = 0;
  for (const transaction of participant.latestTransactions(fromUpdateId)) {
    read += 1;
    if (read % READ_AT_ONCE === 0) await nextTurn();
    yield transaction;
  }
}
