import type { NumberedEvent } from '../../domain/event.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/** The stored numbers: all from `oldest` to `last`, or none if `oldest` is beyond `last`. */
export interface EventSpan {
  readonly oldest: bigint;
  readonly last: bigint;
}

/** The result of one numbering. */
export interface Numbered {
  readonly count: number;
  /** Whether deliveries may be due: a webhook may want one of these events, or an earlier one. */
  readonly isForWebhooks: boolean;
}

/** Events by number. A reader that sees a number sees all smaller numbers that are kept. */
export interface EventLog {
  /**
   * Numbers the events committed since the last call, in the order of writing, and notifies listeners. Transactions
   * are numbered whole, the last one beyond the limit if necessary.
   *
   * @returns `null` if another process holds the lease
   */
  number(limit: number, leaseEpoch: bigint, io: Io): Promise<Numbered | null>;
  /** Returns the events after one number up to another, in order. @param party omits events that it may not see */
  read(
    query: { readonly after: bigint; readonly upTo: bigint; readonly party: Party | null },
    io: Io,
  ): Promise<readonly NumberedEvent[]>;
  span(io: Io): Promise<EventSpan>;
}
