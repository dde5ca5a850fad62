import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal } from '../plain-errors.ts';
import { entriesOf } from './history-entries.ts';
import type { HistoryItem } from './history-entries.ts';
import { packageIdOf } from './holdings.ts';
import type { Wallet } from './holdings.ts';

export const HISTORY_BODY = {
  type: 'object',
  required: ['page_size'],
  properties: {
    page_size: { type: 'integer', minimum: 1, maximum: 1_000 },
    begin_after_id: { type: 'string', maxLength: 255 },
  },
} as const;

export interface HistoryBody {
  readonly page_size: number;
  /** `event_id` of the last item of the page before; absent or empty: the latest page. */
  readonly begin_after_id?: string;
}

/** A party may have done little on a ledger with much on it: others have their turn while it is looked for. */
const READ_AT_ONCE = 50;

const EVENT_ID = /^#([^:]+):\d+$/;

/**
 * What `POST /wallet/transactions` answers: the latest first. An `event_id` that the party's history does not have is
 * followed by nothing, as at the public wallet.
 */
export async function historyOf(
  { participant, party }: Wallet,
  { page_size, begin_after_id = '' }: HistoryBody,
): Promise<{ readonly items: readonly HistoryItem[] }> {
  const after = EVENT_ID.exec(begin_after_id)?.[1];
  if (begin_after_id !== '' && after === undefined) {
    throw new Refusal(400, 'begin_after_id is no event_id of a history');
  }
  const reader = { party, packageIdOf: (name: string) => packageIdOf(participant, name) };
  const items: HistoryItem[] = [];
  let hasBegun = begin_after_id === '';
  let read = 0;
  for (const transaction of participant.latestTransactions(after)) {
    read += 1;
    if (read % READ_AT_ONCE === 0) await nextTurn();
    for (const item of entriesOf(transaction, reader).toReversed()) {
      if (hasBegun) items.push(item);
      else hasBegun = item.event_id === begin_after_id;
      if (items.length === page_size) return { items };
    }
  }
  return { items };
}
