import type { LifecycleHold } from '../../domain/expiry-policy.ts';
import type { LifecycleId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { isoToMs } from '../../domain/time.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

/* Reads why policies must not end a lifecycle: its suspension, or the trial or grace period of its plan. */

/** SQL: the time until which trial and grace period protect the lifecycle of timer `t`; null without a plan. */
export const HELD_UNTIL = `greatest(h.trial_until, t.lapses_at + h.grace_ms * interval '1 millisecond')`;

/** SQL: whether nothing protects the lifecycle of timer `t` at a time that is certainly past. */
export const isFree = ([certain, withSuspended]: readonly [string, string]): string =>
  `not exists (
     select from lifecycle_hold h where h.lifecycle_id = t.lifecycle_id
       and (h.is_suspended and not ${withSuspended} or ${HELD_UNTIL} > ${certain}::timestamptz))`;

const HOLDS = statement<{
  lifecycle_id: string;
  is_suspended: boolean;
  trial_until: string | null;
  grace_ms: bigint | null;
}>(
  'lifecycle-holds',
  `select h.lifecycle_id, h.is_suspended, h.trial_until, h.grace_ms
   from lifecycle_hold h where h.lifecycle_id = any($1::text[])`,
);

/** See `Policies.holds`. */
export async function readHolds(
  session: Session,
  ids: readonly LifecycleId[],
): Promise<ReadonlyMap<LifecycleId, LifecycleHold>> {
  if (ids.length === 0) return new Map();
  const rows = await session.run(HOLDS, [ids]);
  return new Map(
    rows.map((row) => [
      trusted<LifecycleId>(row.lifecycle_id),
      {
        isSuspended: row.is_suspended,
        trialUntilMs: row.trial_until === null ? null : isoToMs(row.trial_until),
        graceMs: Number(row.grace_ms ?? 0n),
      },
    ]),
  );
}
