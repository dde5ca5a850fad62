import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { PolicyReach, ReachQuery } from '../../app/ports/policies.ts';
import { HOUR_MS, isoAfter, isoToMs } from '../../domain/time.ts';
import { statement } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';
import { HELD_UNTIL } from './holds.ts';
import type { ViewRow } from './timers.ts';
import { TIMER, viewFromRow } from './timers.ts';

/*
 * Counts the timers that a policy can fire, in one pass over its provider's timers, and finds the first ones by an
 * index.
 */

const OWN = `t.provider = $1 and t.kind = $2`;

/** SQL: whether the policy covers the timer. A timer that was given up fires again only after a new lapse time. */
const IS_COVERED = `(not t.given_up and ($3 or not t.never_renewed))`;

const WITH_HOLD = `timer t left join lifecycle_hold h on h.lifecycle_id = t.lifecycle_id`;

/** SQL: whether the lifecycle of the timer is not suspended, or the policy includes suspended ones. */
const IS_FREE = (withSuspended: string): string =>
  `(${withSuspended} or h.is_suspended is not true)`;

/** SQL: the timers that the policy can fire if nothing changes. */
const REACHABLE = (withSuspended: string): string =>
  `${WITH_HOLD} where ${OWN} and ${IS_COVERED} and ${IS_FREE(withSuspended)}`;

/**
 * SQL: whether the grace period is over and the last open window has closed. The times are parameters, so that they are
 * not computed for each row.
 */
const isOver = (lapsedBy: string, closedBy: string): string =>
  `t.lapses_at <= ${lapsedBy}::timestamptz and (t.open_until is null or t.open_until <= ${closedBy}::timestamptz)
     and coalesce(${HELD_UNTIL}, '-infinity') <= ${closedBy}::timestamptz`;

const COUNTS = statement<{
  at_once: bigint;
  day: bigint;
  month: bigint;
  ever: bigint;
  never_renewed: bigint;
  after_change: bigint;
}>(
  'policy-reach',
  `select count(*) filter (where r.now and ${isOver('$4', '$5')}) as at_once,
     count(*) filter (where r.now and ${isOver('$6', '$7')}) as day,
     count(*) filter (where r.now and ${isOver('$8', '$9')}) as month,
     count(*) filter (where r.now) as ever, count(*) filter (where r.now and t.never_renewed) as never_renewed,
     count(*) filter (where not r.now) as after_change
   from ${WITH_HOLD}, lateral (select ${IS_COVERED} and ${IS_FREE('$10')} as now) r
   where ${OWN}`,
);

/** SQL: the time from which the policy can fire the timer. */
const LAPSES_AT = `t.lapses_at + $4 * interval '1 millisecond'`;
const ENDS_AT = `greatest(${LAPSES_AT}, t.open_until, ${HELD_UNTIL})`;

/**
 * An index finds the requested number of timers that no window delays, in the order of their lapses. Every timer that
 * can fire before the last of these must lapse before it, so only such timers are read.
 */
const FIRST = statement<ViewRow & { readonly ends_at: string }>(
  'first-of-policy-reach',
  `with free as materialized (
     select t.lapses_at from ${REACHABLE('$6')} and ${ENDS_AT} <= ${LAPSES_AT}
     order by t.lapses_at limit $5
   ), bound as materialized (
     select case when count(*) = $5 then max(lapses_at) else 'infinity' end as lapses_at from free
   )
   select ${TIMER}, l.contract_id, l.app_user, l.license_num, l.state, t.ends_at
   from (select t.*, ${ENDS_AT} as ends_at from ${REACHABLE('$6')} and t.lapses_at <= (select lapses_at from bound)
         order by ${ENDS_AT}, t.lifecycle_id limit $5) t
     join lifecycle l on l.id = t.lifecycle_id
   order by t.ends_at, t.lifecycle_id`,
);

const AHEAD_MS = [0, 24 * HOUR_MS, 30 * 24 * HOUR_MS] as const;

/** See `PolicyDelays.reach`. */
export const readReach = (
  pool: Pool,
  { provider, kind, graceMs, withNeverRenewed, withSuspended = false, now, limit }: ReachQuery,
  io: Io,
): Promise<PolicyReach> =>
  transact(
    pool,
    io,
    async (session) => {
      const whose = [provider, kind, withNeverRenewed];
      const bounds = AHEAD_MS.flatMap((aheadMs) => {
        const closedByMs = isoToMs(now) + aheadMs;
        return [isoAfter(Math.max(0, closedByMs - graceMs)), isoAfter(closedByMs)];
      });
      const [counts] = await session.run(COUNTS, [...whose, ...bounds, withSuspended]);
      const first = await session.run(FIRST, [...whose, graceMs, limit, withSuspended]);
      return {
        ends: {
          atOnce: Number(counts?.at_once ?? 0n),
          within24Hours: Number(counts?.day ?? 0n),
          within30Days: Number(counts?.month ?? 0n),
          ever: Number(counts?.ever ?? 0n),
          neverRenewed: Number(counts?.never_renewed ?? 0n),
          afterChange: Number(counts?.after_change ?? 0n),
        },
        first: first.map((row) => ({ ...viewFromRow(row), endsAt: row.ends_at })),
      };
    },
    { asks: true },
  );
