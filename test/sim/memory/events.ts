import type { EventLog, Numbered } from '../../../src/app/ports/event-log.ts';
import { EVENTS_LEASE } from '../../../src/app/ports/leases.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import type { ServerTransaction } from './server.ts';
import { ownsLease } from './write.ts';

/* Numbered events, stored as in `src/store/webhooks/events.ts`. */

async function number(
  tx: ServerTransaction,
  limit: number,
  epoch: bigint,
): Promise<Numbered | null> {
  if (!(await ownsLease(tx, EVENTS_LEASE, epoch))) return null;
  const { arrivals, events, eventSequence, webhookCursor, webhooks } = tx.tables;
  const before = eventSequence.get(tx, '')?.last ?? 0n;
  const next = arrivals
    .all(tx)
    .toSorted((a, b) => a.place - b.place)
    .slice(0, limit);
  for (const { place, at, event } of next) {
    if (!(await tx.remove(arrivals, String(place)))) continue;
    await tx.upsert(eventSequence, { last: 1n }, ({ last }) => ({ last: last + 1n }));
    const seq = eventSequence.get(tx, '')?.last ?? 0n;
    await tx.insertIfAbsent(events, { ...event, seq, at });
  }
  if (next.length === 0) return { count: 0, isForWebhooks: false };
  const last = eventSequence.get(tx, '')?.last ?? 0n;
  const told = webhookCursor.get(tx, '')?.last ?? 0n;
  const isPassed =
    told === before &&
    !webhooks.all(tx).some(({ isEnabled }) => isEnabled) &&
    (await tx.upsert(webhookCursor, { last }, (cursor) =>
      cursor.last === before ? { last } : null,
    ));
  return { count: next.length, isForWebhooks: !isPassed };
}

export function createEventLog(connection: Connection): EventLog {
  const { events, eventSequence } = connection.server.tables;
  const last = (): bigint => eventSequence.get(null, '')?.last ?? 0n;
  return {
    number: (limit, epoch, io) =>
      transact(
        connection,
        io,
        (session) => session.run('events.number', (tx) => number(tx, limit, epoch)),
        { call: 'events.number' },
      ),
    read: ({ after, upTo, party }, io) =>
      query(connection, io, 'events.read', () =>
        events
          .all(null)
          .filter(({ seq }) => seq > after && seq <= upTo)
          .filter(({ parties }) => party === null || parties.includes(party))
          .toSorted((a, b) => (a.seq < b.seq ? -1 : 1)),
      ),
    span: (io) =>
      query(connection, io, 'events.span', () => {
        const oldest = events
          .all(null)
          .reduce((least, { seq }) => (seq < least ? seq : least), last() + 1n);
        return { oldest, last: last() };
      }),
  };
}
