import type { Writes } from '../../../src/app/ports/writes.ts';
import type { NewEvent } from '../../../src/domain/event.ts';
import { instantOf } from './instants.ts';
import type { ServerTransaction } from './server.ts';

/** Saves events without a number. */
export async function saveEvents(tx: ServerTransaction, events: Writes['events']): Promise<void> {
  for (const event of events) await saveEvent(tx, event);
}

export async function saveEvent(tx: ServerTransaction, event: NewEvent): Promise<void> {
  await tx.insertIfAbsent(tx.tables.arrivals, {
    place: tx.server.nextPlace(),
    at: instantOf(tx.beganAtMs),
    event,
  });
}
