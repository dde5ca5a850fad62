import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ParticipantApi, SeenTransaction } from '../../ledger/participant.ts';

/**
 * Number of reads after which other tasks can run. A search for a party with few transactions may read much of the
 * ledger.
 */
const READ_AT_ONCE = 50;

/**
 * Yields the transactions of a participant, the latest first.
 *
 * @param fromUpdateId the update ID of the first transaction to yield
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
