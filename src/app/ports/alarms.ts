import type { Wait } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import type { Io } from './io.ts';
import type { OpsScope } from './ops-scope.ts';

/** A change that has waited for the same thing for too long. */
export interface Alarm {
  readonly changeId: ChangeId;
  readonly kind: Wait;
  /** `since`: when the change began to wait. `raisedAt`: when the alarm was raised. ISO 8601. */
  readonly since: string;
  readonly raisedAt: string;
  readonly detail: string;
}

/** The alarms of changes that have waited too long, as of the last check by the holder of the scheduler's lease. */
export interface Alarms {
  /**
   * Replaces the alarms.
   *
   * @returns the new alarms and the cleared ones; `null` if another process holds the lease
   */
  replace(
    alarms: readonly Omit<Alarm, 'raisedAt'>[],
    leaseEpoch: bigint,
    io: Io,
  ): Promise<{
    readonly raised: readonly Omit<Alarm, 'raisedAt'>[];
    readonly cleared: readonly ChangeId[];
  } | null>;
  /** Returns the oldest alarms first; without a scope, the alarms of all parties. */
  list(limit: number, io: Io, scope?: OpsScope): Promise<readonly Alarm[]>;
}
