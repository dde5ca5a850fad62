import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { PolicyReach, ReachQuery } from '../../app/ports/policies.ts';
import { statement } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';
import type { ViewRow } from './timers.ts';
import { TIMER, viewFromRow } from './timers.ts';

/* What a policy can end. One pass over the timers of its provider, and no look at the lifecycles but those named. */

/** The time from which on the policy can end it: the grace is over, and the last open window has closed. */
const ENDS_AT = `greatest(t.lapses_at + $3 * interval '1 millisecond', t.open_until)`;

/** A timer that was given up is tried again by no policy before it lapses at another time. */
const REACHED = `from timer t where t.provider = $1 and t.kind = $2 and not t.given_up and ($4 or not t.never_renewed)`;

const COUNTS = statement<{
  at_once: bigint;
  day: bigint;
  month: bigint;
  ever: bigint;
  never_renewed: bigint;
}>(
  'policy-reach',
  `select count(*) filter (where r.ends_at <= $5::timestamptz) as at_once,
     count(*) filter (where r.ends_at <= $5::timestamptz + interval '24 hours') as day,
     count(*) filter (where r.ends_at <= $5::timestamptz + interval '30 days') as month,
     count(*) as ever, count(*) filter (where r.never_renewed) as never_renewed
   from (select ${ENDS_AT} as ends_at, t.never_renewed ${REACHED}) r`,
);

const FIRST = statement<ViewRow & { readonly ends_at: string }>(
  'first-of-policy-reach',
  `select ${TIMER}, l.contract_id, l.app_user, l.license_num, l.state, t.ends_at
   from (select t.*, ${ENDS_AT} as ends_at ${REACHED} order by ${ENDS_AT}, t.lifecycle_id limit $5) t
     join lifecycle l on l.id = t.lifecycle_id
   order by t.ends_at, t.lifecycle_id`,
);

/** See `PolicyDelays.reach`. */
export const readReach = (
  pool: Pool,
  { provider, kind, graceMs, withNeverRenewed, now, limit }: ReachQuery,
  io: Io,
): Promise<PolicyReach> =>
  transact(
    pool,
    io,
    async (session) => {
      const whose = [provider, kind, graceMs, withNeverRenewed];
      const [counts] = await session.run(COUNTS, [...whose, now]);
      const first = await session.run(FIRST, [...whose, limit]);
      return {
        ends: {
          atOnce: Number(counts?.at_once ?? 0n),
          within24Hours: Number(counts?.day ?? 0n),
          within30Days: Number(counts?.month ?? 0n),
          ever: Number(counts?.ever ?? 0n),
          neverRenewed: Number(counts?.never_renewed ?? 0n),
        },
        first: first.map((row) => ({ ...viewFromRow(row), endsAt: row.ends_at })),
      };
    },
    { asks: true },
  );
