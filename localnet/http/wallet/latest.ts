import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ParticipantApi, SeenTransaction } from '../../ledger/participant.ts';

/**
 * Number of reads between pauses in which other tasks can run. A search for a party with few transactions may read much
 * of the ledger.
 */
const READ_AT_ONCE = 50;

/**
 * Yields the transactions that a participant has seen, the latest first.
 *
 * @param fromUpdateId the first transaction
 */
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
