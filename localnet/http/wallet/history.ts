import { Refusal } from '../plain-errors.ts';
import { entriesOf } from './history-entries.ts';
import type { HistoryItem } from './history-entries.ts';
import { packageIdOf } from './holdings.ts';
import type { Wallet } from './holdings.ts';
import { latestTransactions } from './latest.ts';

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
  /** `event_id` of the last item on the previous page. If it is absent or empty, the latest page is returned. */
  readonly begin_after_id?: string;
}

const EVENT_ID = /^#([^:]+):\d+$/;

/**
 * Returns the answer to `POST /wallet/transactions`, the latest items first. An unknown `event_id` yields an empty
 * page, as in the public wallet.
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
  for await (const transaction of latestTransactions(participant, after)) {
    for (const item of entriesOf(transaction, reader).toReversed()) {
      if (hasBegun) items.push(item);
      else hasBegun = item.event_id === begin_after_id;
      if (items.length === page_size) return { items };
    }
  }
  return { items };
}
