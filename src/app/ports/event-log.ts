import type { NumberedEvent } from '../../domain/event.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/** The range of stored event numbers: all from `oldest` to `last`; empty if `oldest` is greater than `last`. */
export interface EventSpan {
  readonly oldest: bigint;
  readonly last: bigint;
}

/** How many events one call has numbered, and up to which number. */
export interface Numbered {
  readonly count: number;
  /** Whether webhook deliveries may be due, for one of these events or an earlier one. */
  readonly isForWebhooks: boolean;
}

/** Events by number. A reader that sees a number also sees all smaller numbers that are stored. */
export interface EventLog {
  /**
   * Numbers the events committed since the last call, in the order in which they were written, and notifies listeners.
   * A transaction's events are numbered together, even if the last transaction exceeds the limit.
   *
   * @returns `null` if another process holds the lease
   */
  number(limit: number, leaseEpoch: bigint, io: Io): Promise<Numbered | null>;
  /**
   * Returns the events with a number greater than `after` and at most `upTo`, in order. @param party omits events that
   * this party may not see
   */
  read(
    query: { readonly after: bigint; readonly upTo: bigint; readonly party: Party | null },
    io: Io,
  ): Promise<readonly NumberedEvent[]>;
  span(io: Io): Promise<EventSpan>;
}
