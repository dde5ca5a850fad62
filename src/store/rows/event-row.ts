import type { EventType, NewEvent, NumberedEvent } from '../../domain/event.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';

/** One event of a batch. */
export interface EventRow {
  readonly seq: bigint;
  readonly at: string;
  readonly type: string;
  readonly subject: string;
  readonly lifecycle_id: string | null;
  readonly parties: readonly string[];
  readonly data: JsonRecord;
}

/** Returns the event as an element of the array that a batch stores. */
export const eventToJson = (event: NewEvent): Record<keyof Omit<EventRow, 'seq' | 'at'>, Json> => ({
  type: event.type,
  subject: event.subject,
  lifecycle_id: event.lifecycleId,
  parties: event.parties,
  data: event.data,
});

export const eventFromRow = (row: EventRow): NumberedEvent => ({
  seq: row.seq,
  at: row.at,
  // The cast is safe, because the type was written by a version that knows it.
  type: row.type as EventType,
  subject: row.subject,
  lifecycleId: row.lifecycle_id === null ? null : trusted<LifecycleId>(row.lifecycle_id),
  parties: row.parties.map((party) => trusted<Party>(party)),
  data: row.data,
});
