import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { ChangeCounts, CountQuery } from '../../app/desk/change-search.ts';
import type { TimeWindow } from '../../app/desk/time-window.ts';
import type { ChangeState } from '../../domain/change.ts';
import { build } from '../sql/query.ts';
import { conditionsOf } from './change-conditions.ts';

/** The number of changes with one state that were accepted in one step of time. */
export interface TimeTally {
  /** The beginning of the step, in milliseconds since 1970. */
  readonly step: bigint;
  readonly state: ChangeState;
  readonly n: bigint;
}

interface Grouped {
  readonly at: string;
  readonly state: ChangeState;
  readonly n: bigint;
}

/**
 * Counts the changes that were accepted in each step of a window, by state. Finished changes are counted in the index
 * by outcome and time, so that only entries of the window are read; their state follows from the outcome.
 *
 * @returns `null` if no change can match
 */
export function countsByTime({
  scope,
  window: { filter, stepMs },
  operations,
}: Pick<CountQuery, 'scope'> & {
  readonly window: TimeWindow;
  readonly operations: readonly string[];
}) {
  const conditions = conditionsOf(scope, filter, { operations, byOutcome: true });
  const { open, finished, outcomes } = conditions;
  // The conversion to a number takes longer than reading an entry, so it is done after the grouping.
  const step = sql`date_bin(${`${stepMs} ms`}::interval, c.accepted_at, timestamptz '1970-01-01Z')`;
  const parts: RawBuilder<unknown>[] = [];
  if (open !== null) {
    parts.push(
      sql`select ${step} as at, c.state, count(*) as n from change c where ${open} group by 1, 2`,
    );
  }
  if (finished !== null && outcomes !== null) {
    parts.push(sql`
      select g.at, o.state, sum(g.n)::bigint as n
      from (
        select ${step} as at, c.outcome, count(*) as n from change c
        where ${finished} and c.outcome = any(array(select o.key from ${outcomes} o))
        group by 1, 2) g
      join ${outcomes} o on o.key = g.outcome
      group by 1, 2`);
  }
  if (parts.length === 0) return null;
  return build
    .selectFrom(sql<Grouped>`(${sql.join(parts, sql` union all `)})`.as('t'))
    .select([sql<bigint>`(extract(epoch from t.at) * 1000)::bigint`.as('step'), 't.state', 't.n']);
}

/** Returns all steps of the window in order, including empty ones. The counts are exact. */
export function timeCountsOf({ steps }: TimeWindow, tallies: readonly TimeTally[]): ChangeCounts {
  const byStep = Map.groupBy(tallies, ({ step }) => Number(step));
  const groups = steps.map((at) => {
    const states: Partial<Record<ChangeState, number>> = {};
    for (const { state, n } of byStep.get(at) ?? [])
      states[state] = (states[state] ?? 0) + Number(n);
    const count = Object.values(states).reduce((sum, n) => sum + n, 0);
    return { key: new Date(at).toISOString(), count, more: false, states };
  });
  return {
    total: { count: groups.reduce((sum, { count }) => sum + count, 0), more: false },
    groups,
  };
}
