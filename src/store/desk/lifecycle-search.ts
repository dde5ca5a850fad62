import type { Pool } from 'pg';
import type {
  FoundLifecycle,
  LifecycleCount,
  LifecycleFilter,
  LifecycleQuery,
  LifecycleSearch,
} from '../../app/desk/lifecycle-search.ts';
import type { LifecycleKind } from '../../domain/lifecycle.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ask, unnamed } from '../sql/ask.ts';
import { Parameters } from '../engine/ops-scope.ts';
import type { LifecycleRow } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';
import { columnsOf } from '../sql/statement.ts';

/*
 * Active lifecycles by kind, state and age. An index has those of a provider in that order, so which states there are is
 * found by leaping from one to the next, and a page is the oldest of the oldest of each. A user has few.
 */

type Side = 'provider' | 'app_user';

/** What a user's operators see is what it provides, and what it uses of others. */
const sidesOf = ({ scope }: LifecycleFilter): readonly Side[] =>
  scope.of === 'provider' ? ['provider'] : ['provider', 'app_user'];

/** What holds of all that are meant on a side, besides kind and state. */
function common({ scope, party, before }: LifecycleFilter, side: Side, parameters: Parameters) {
  const own = parameters.add(scope.party);
  const other = side === 'provider' ? 'app_user' : 'provider';
  const isOther = party !== undefined && party !== scope.party;
  return [
    `l.${side} = ${own}`,
    'l.ended_at is null',
    ...(side === 'app_user' ? [`l.provider <> ${own}`] : []),
    ...(isOther ? [`l.${other} = ${parameters.add(party)}`] : []),
    ...(before === undefined ? [] : [`l.created_at < ${parameters.add(before)}::timestamptz`]),
  ].join(' and ');
}

/** Rows of kind and state: those that there are, of those that are asked for. */
function statesOf({ scope, kind, state }: LifecycleFilter, side: Side, parameters: Parameters) {
  const own = `l.${side} = ${parameters.add(scope.party)} and l.ended_at is null`;
  const first = (beyond: string): string =>
    `select l.kind, l.state from lifecycle l where ${own}${beyond} order by l.kind, l.state limit 1`;
  const asked = [
    ...(kind === undefined ? [] : [`s.kind = ${parameters.add(kind)}`]),
    ...(state === undefined ? [] : [`s.state = ${parameters.add(state)}`]),
  ];
  return `(
    with recursive there as (
      (${first('')})
      union all
      select n.kind, n.state
      from there t cross join lateral (${first(' and (l.kind, l.state) > (t.kind, t.state)')}) n
    )
    select s.kind, s.state from there s where ${['true', ...asked].join(' and ')}
  ) s`;
}

const OF_STATE = 'l.kind = s.kind and l.state = s.state';

type FoundRow = LifecycleRow & { readonly state_since: string };

function findStatement(query: LifecycleQuery) {
  const parameters = new Parameters();
  const { after } = query;
  const limit = parameters.add(query.limit);
  const beyond =
    after === undefined
      ? ''
      : ` and (l.created_at, l.id) > (${parameters.add(after.createdAt)}::timestamptz, ${parameters.add(after.id)})`;
  const sides = sidesOf(query).map(
    (side) => `
      select l.* from ${statesOf(query, side, parameters)} cross join lateral (
        select ${columnsOf('l', LIFECYCLE_COLUMNS)} from lifecycle l
        where ${common(query, side, parameters)} and ${OF_STATE}${beyond}
        order by l.created_at, l.id limit ${limit}
      ) l`,
  );
  const text = `
    select ${columnsOf('l', LIFECYCLE_COLUMNS)}, coalesce((
      select h.at from history h
      where h.lifecycle_id = l.id and h.seq > coalesce((
        select b.seq from history b
        where b.lifecycle_id = l.id and b.state <> l.state order by b.seq desc limit 1), 0)
      order by h.seq, h.n limit 1), l.created_at) as state_since
    from (
      select l.* from (${sides.join(' union all ')}) l order by l.created_at, l.id limit ${limit}
    ) l order by l.created_at, l.id`;
  return { query: unnamed<FoundRow>(text), values: parameters.values };
}

const foundOf = (row: FoundRow): FoundLifecycle => ({
  lifecycle: lifecycleFromRow(row),
  stateSince: row.state_since,
});

interface CountRow {
  readonly kind: LifecycleKind;
  readonly state: string;
  readonly n: bigint;
  readonly oldest: string;
}

function countStatement(filter: LifecycleFilter) {
  const parameters = new Parameters();
  const enough = parameters.add(LIMITS.countMax + 1);
  const sides = sidesOf(filter).map((side) => {
    const meant = `from lifecycle l where ${common(filter, side, parameters)} and ${OF_STATE}`;
    return `
      select s.kind, s.state, size.n, (select l.created_at ${meant} order by l.created_at limit 1) as oldest
      from ${statesOf(filter, side, parameters)} cross join lateral (
        select count(*) as n from (select ${meant} limit ${enough}) x
      ) size
      where size.n > 0`;
  });
  return { query: unnamed<CountRow>(sides.join(' union all ')), values: parameters.values };
}

const oldestOf = (rows: readonly CountRow[]): string =>
  rows.map(({ oldest }) => oldest).toSorted()[0] ?? '';

/** Of both sides together. */
function countsOf(rows: readonly CountRow[]): LifecycleCount[] {
  const alike = Map.groupBy(rows, ({ kind, state }) => `${kind} ${state}`);
  return [...alike]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, of]) => {
      const [first] = of;
      if (first === undefined) return [];
      const n = of.reduce((sum, row) => sum + Number(row.n), 0);
      return [
        {
          kind: first.kind,
          state: first.state,
          count: Math.min(n, LIMITS.countMax),
          more: n > LIMITS.countMax,
          oldestAt: oldestOf(of),
        },
      ];
    });
}

/** @param pool stays the caller's */
export const createLifecycleSearch = (pool: Pool): LifecycleSearch => ({
  find: (asked, io) =>
    ask(pool, io, async (session) => {
      const { query, values } = findStatement(asked);
      return (await session.run(query, values)).map(foundOf);
    }),
  count: (filter, io) =>
    ask(pool, io, async (session) => {
      const { query, values } = countStatement(filter);
      return countsOf(await session.run(query, values));
    }),
});
