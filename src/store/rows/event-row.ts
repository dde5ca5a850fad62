import type { EventType, NewEvent, NumberedEvent } from '../../domain/event.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import type { Row } from '../sql/schema.ts';

/** As an element of a JSON array that a statement takes apart. */
export const eventToJson = (
  event: NewEvent,
): Record<keyof Omit<Row<'event'>, 'seq' | 'at'>, Json> => ({
  type: event.type,
  subject: event.subject,
  lifecycle_id: event.lifecycleId,
  parties: event.parties,
  data: event.data,
});

export const eventFromRow = (row: Row<'event'>): NumberedEvent => ({
  seq: row.seq,
  at: row.at,
  // Written by a version that knows it.
  type: row.type as EventType,
  subject: row.subject,
  lifecycleId: row.lifecycle_id === null ? null : trusted<LifecycleId>(row.lifecycle_id),
  parties: row.parties.map((party) => trusted<Party>(party)),
  data: row.data,
});
