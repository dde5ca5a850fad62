import { expect, test } from 'vitest';
import type { EventLog } from '../../../src/app/ports/event-log.ts';
import type { NumberedEvent } from '../../../src/domain/event.ts';
import type { Told } from '../../../src/http/kit/event-feed.ts';
import { EventFeed } from '../../../src/http/kit/event-feed.ts';

/* Messages to a follower while old events are being deleted. */

const numbered = (seq: bigint): NumberedEvent => ({
  seq,
  at: '2026-01-01T12:00:00.000Z',
  type: 'tenure.operation.succeeded',
  subject: `operation-${seq}`,
  lifecycleId: null,
  parties: [],
  data: {},
});

/** Returns a log with the events 1 to 9. The events up to `upTo` are deleted before the first read. */
function prunedWhileRead(upTo: bigint) {
  let oldest = 1n;
  const log: Pick<EventLog, 'read' | 'span'> = {
    span: async () => ({ oldest, last: 9n }),
    read: async ({ after, upTo: last }) => {
      oldest = upTo + 1n;
      const from = after + 1n > oldest ? after + 1n : oldest;
      return Array.from({ length: Number(last - from + 1n) }, (_, i) => numbered(from + BigInt(i)));
    },
  };
  return new EventFeed({ log, onError: (error) => expect.fail(String(error)) });
}

async function firstTold(feed: EventFeed, after: bigint): Promise<Told | undefined> {
  const over = new AbortController();
  const all = { party: null, types: [], lifecycleId: null };
  for await (const told of feed.follow(after, all, over.signal)) {
    over.abort();
    feed.close();
    return told;
  }
  return undefined;
}

test('a follower is told that what it is owed was pruned while it was read', async () => {
  const told = await firstTold(prunedWhileRead(5n), 2n);
  expect(told).toEqual({ kind: 'gap', after: 2n, upTo: 5n });
});

test('what was pruned behind a follower is no gap', async () => {
  const told = await firstTold(prunedWhileRead(5n), 5n);
  expect(told).toMatchObject({ kind: 'events', upTo: 9n });
  expect(told?.kind === 'events' && told.events.map(({ seq }) => seq)).toEqual([6n, 7n, 8n, 9n]);
});
