import type { NumberedEvent } from '../../domain/event.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/** Which numbers are there: all of `oldest` to `last`, or none when `oldest` is beyond `last`. */
export interface EventSpan {
  readonly oldest: bigint;
  readonly last: bigint;
}

/** What was numbered at once. */
export interface Numbered {
  readonly count: number;
  /** Whether deliveries may have to be made: some webhook may want some of it, or of what came before. */
  readonly isForWebhooks: boolean;
}

/** Events by number. Whoever sees a number sees all smaller ones that are kept. */
export interface EventLog {
  /**
   * Numbers what has been committed since, in the order of writing, and tells those who listen. Transactions are
   * numbered whole, the last of them beyond the limit if need be.
   *
   * @returns `null` when the lease is another's
   */
  number(limit: number, leaseEpoch: bigint, io: Io): Promise<Numbered | null>;
  /** Those after one number up to another, in order. @param party only what it may see; `null`: all */
  read(
    query: { readonly after: bigint; readonly upTo: bigint; readonly party: Party | null },
    io: Io,
  ): Promise<readonly NumberedEvent[]>;
  span(io: Io): Promise<EventSpan>;
}
