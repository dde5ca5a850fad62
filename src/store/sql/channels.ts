/*
 * Channels on which committed transactions notify listeners. A message says where to look and carries no data: a lost
 * message costs one poll interval.
 */

/** Payload: ids of changes that have an outcome or are in doubt, comma separated. */
export const CHANGES_CHANNEL = 'tenure_changes';

/** Effects may be due, or due earlier than before. Payload: the process that already knows these effects, if any. */
export const EFFECTS_CHANNEL = 'tenure_effects';

/** No payload: effects are put on another number of queues than before. */
export const SHARDS_CHANNEL = 'tenure_shards';

/** No payload: events have been committed that have no number yet. */
export const ARRIVALS_CHANNEL = 'tenure_arrivals';

/** No payload: events have been numbered. */
export const EVENTS_CHANNEL = 'tenure_events';
/** No payload: a lapse time has changed, a policy has changed, or a policy's wait has ended. */
export const TIMERS_CHANNEL = 'tenure_timers';

/** No payload: deliveries of webhooks may be due. */
export const DELIVERIES_CHANNEL = 'tenure_deliveries';

/** No payload: the provider of this cell moves, or has moved. */
export const CELL_CHANNEL = 'tenure_cell';

/** No payload: a bulk act was applied. */
export const ACTS_CHANNEL = 'tenure_acts';

/** PostgreSQL accepts payloads below 8000 bytes. */
const PAYLOAD_BYTES_MAX = 7_900;

/** Packs the ids into as few payloads as possible. */
export function packIds(ids: readonly string[]): string[] {
  const payloads: string[] = [];
  let current = '';
  for (const id of ids) {
    const longer = current === '' ? id : `${current},${id}`;
    if (Buffer.byteLength(longer) <= PAYLOAD_BYTES_MAX) {
      current = longer;
    } else {
      payloads.push(current);
      current = id;
    }
  }
  return current === '' ? payloads : [...payloads, current];
}

export const unpackIds = (payload: string): string[] => (payload === '' ? [] : payload.split(','));
