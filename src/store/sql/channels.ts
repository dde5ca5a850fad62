/*
 * Channels on which committed transactions notify listeners. A message says which data to read, and carries none
 * itself: a lost message costs only one poll interval.
 */

/** Changes have an outcome or are in doubt. Payload: their IDs, comma separated. */
export const CHANGES_CHANNEL = 'tenure_changes';

/** Effects may be due, or due earlier than before. Payload: the process that already knows these effects, if any. */
export const EFFECTS_CHANNEL = 'tenure_effects';

/** The number of queues on which effects are put has changed. No payload. */
export const SHARDS_CHANNEL = 'tenure_shards';

/** Events without a number have been committed. No payload. */
export const ARRIVALS_CHANNEL = 'tenure_arrivals';

/** Events have been numbered. No payload. */
export const EVENTS_CHANNEL = 'tenure_events';
/**
 * A policy has changed or its delay has ended: no payload. Facts on which policies act have changed, which are lapse
 * times and allocations: payload `TIMER_FACTS`. Processes of earlier versions send no payload.
 */
export const TIMERS_CHANNEL = 'tenure_timers';
export const TIMER_FACTS = 'facts';

/** Deliveries of webhooks may be due. No payload. */
export const DELIVERIES_CHANNEL = 'tenure_deliveries';

/** The provider of this cell is moving or has moved. No payload. */
export const CELL_CHANNEL = 'tenure_cell';

/** A bulk act was applied. No payload. */
export const ACTS_CHANNEL = 'tenure_acts';

/** PostgreSQL accepts payloads below 8000 bytes. */
const PAYLOAD_BYTES_MAX = 7_900;

/** Packs the IDs into as few payloads as possible. */
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
