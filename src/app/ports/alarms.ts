import type { Wait } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import type { Io } from './io.ts';
import type { OpsScope } from './ops-scope.ts';

/** A change that has waited too long for one thing. */
export interface Alarm {
  readonly changeId: ChangeId;
  readonly kind: Wait;
  /** Since when it waits, and since when somebody could know. ISO 8601. */
  readonly since: string;
  readonly raisedAt: string;
  readonly detail: string;
}

/** What has waited too long, as of the last look of the holder of the clock's lease. */
export interface Alarms {
  /**
   * Makes these the alarms.
   *
   * @returns what is new and what is over; `null` when the lease is another's
   */
  replace(
    alarms: readonly Omit<Alarm, 'raisedAt'>[],
    leaseEpoch: bigint,
    io: Io,
  ): Promise<{
    readonly raised: readonly Omit<Alarm, 'raisedAt'>[];
    readonly cleared: readonly ChangeId[];
  } | null>;
  /** The oldest first; without a scope, everybody's. */
  list(limit: number, io: Io, scope?: OpsScope): Promise<readonly Alarm[]>;
}
