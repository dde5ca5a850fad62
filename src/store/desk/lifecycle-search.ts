import type { InferResult, SelectQueryBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type {
  FoundLifecycle,
  LifecycleCount,
  LifecycleFilter,
  LifecycleQuery,
  LifecycleSearch,
} from '../../app/desk/lifecycle-search.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Ask } from '../sql/ask.ts';
import { beyond, build, wayOf } from '../sql/query.ts';
import { UNDER_WAY } from '../engine/lists.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';

/*
 * Searches active lifecycles by kind, state and age. For a provider, an index contains lifecycles in that order: one
 * skip in the index finds each state, and a page is merged from the first lifecycles of each state. A user has few
 * lifecycles, so no such index is needed.
 *
 * The index contains the state under which each lifecycle is listed. While an operation is in progress, a lifecycle may
 * have another state. Such lifecycles are few: the search finds them through their operations, and does not count them
 * under their listed state.
 */

type Side = 'provider' | 'app_user';

/**
 * Combines the sides of a scope. A user's operators see the lifecycles that the user provides, and those that the user
 * uses from other providers.
 */
function ofSides<DB, Tables extends keyof DB, Row>(
  { scope }: LifecycleFilter,
  of: (side: Side) => SelectQueryBuilder<DB, Tables, Row>,
): SelectQueryBuilder<DB, Tables, Row> {
  return scope.of === 'provider' ? of('provider') : of('provider').unionAll(of('app_user'));
}

const COLUMNS = LIFECYCLE_COLUMNS.map((column) => `l.${column}` as const);

/** Returns the lifecycles of one side that match the filter, ignoring kind and state. */
function meantOf(filter: LifecycleFilter, side: Side) {
  const { scope, party, user, provider, from, before } = filter;
  const other = side === 'provider' ? 'l.app_user' : 'l.provider';
  let query = build
    .selectFrom('lifecycle as l')
    .where(`l.${side}`, '=', scope.party)
    .where('l.ended_at', 'is', null);
  if (side === 'app_user') query = query.where('l.provider', '<>', scope.party);
  if (party !== undefined && party !== scope.party) query = query.where(other, '=', party);
  if (user !== undefined) query = query.where('l.app_user', '=', user);
  if (provider !== undefined) query = query.where('l.provider', '=', provider);
  if (from !== undefined) query = query.where('l.created_at', '>=', from);
  return before === undefined ? query : query.where('l.created_at', '<', before);
}

/** Returns the matching lifecycles that are listed under the kind and the state of row `s`. */
const listedOf = (filter: LifecycleFilter, side: Side) =>
  meantOf(filter, side)
    .whereRef('l.kind', '=', sql.ref('s.kind'))
    .whereRef('l.listed_as', '=', sql.ref('s.state'));

/** Returns the matching lifecycles whose real state differs from the state under which they are listed. */
const underWayOf = (filter: LifecycleFilter, side: Side) =>
  meantOf(filter, side).where('l.id', '=', UNDER_WAY).whereRef('l.state', '<>', 'l.listed_as');

/** Returns rows `s`: the kinds and listed states that exist and match the filter. */
function statesOf({ scope, kind, state }: LifecycleFilter, side: Side) {
  const first = build
    .selectFrom('lifecycle as l')
    .select(['l.kind', 'l.listed_as as state'])
    .where(`l.${side}`, '=', scope.party)
    .where('l.ended_at', 'is', null)
    .orderBy('l.kind')
    .orderBy('l.listed_as')
    .limit(1);
  const next = first.where(sql<SqlBool>`(l.kind, l.listed_as) > (t.kind, t.state)`);
  let query = build
    .withRecursive('there', (db) =>
      db
        .selectFrom(first.as('f'))
        .selectAll()
        .unionAll(db.selectFrom('there as t').crossJoinLateral(next.as('n')).selectAll('n')),
    )
    .selectFrom('there as s')
    .select(['s.kind', 's.state']);
  if (kind !== undefined) query = query.where('s.kind', '=', kind);
  if (state !== undefined) query = query.where('s.state', '=', state);
  return query.as('s');
}

/** Returns the first of the lifecycles after the position at which the page begins. */
function pageFrom(asked: LifecycleQuery, meant: ReturnType<typeof meantOf>) {
  const { after, limit } = asked;
  const way = wayOf(asked);
  const first = meant
    .select(COLUMNS)
    .orderBy('l.created_at', way)
    .orderBy('l.id', way)
    .limit(limit);
  if (after === undefined) return first;
  return first.where(
    sql<SqlBool>`(l.created_at, l.id) ${beyond(asked)} (${after.createdAt}, ${after.id})`,
  );
}

/** Returns the first lifecycles of each listed state, and the first of those with an operation in progress. */
function pageOfSide(asked: LifecycleQuery, side: Side) {
  const listed = listedOf(asked, side).whereRef('l.state', '=', 'l.listed_as');
  let others = underWayOf(asked, side);
  if (asked.kind !== undefined) others = others.where('l.kind', '=', asked.kind);
  if (asked.state !== undefined) others = others.where('l.state', '=', asked.state);
  return build
    .selectFrom(statesOf(asked, side))
    .crossJoinLateral(pageFrom(asked, listed).as('l'))
    .selectAll('l')
    .unionAll(build.selectFrom(pageFrom(asked, others).as('l')).selectAll('l'));
}

/** The time of the first history line with the present state, after the last line with another state. */
const STATE_SINCE = sql<string>`coalesce((
  select h.at from history h
  where h.lifecycle_id = l.id and h.seq > coalesce((
    select b.seq from history b
    where b.lifecycle_id = l.id and b.state <> l.state order by b.seq desc limit 1), 0)
  order by h.seq, h.n limit 1), l.created_at)`;

const foundBy = (query: LifecycleQuery) =>
  build
    .selectFrom(
      build
        .selectFrom(ofSides(query, (side) => pageOfSide(query, side)).as('l'))
        .selectAll()
        .orderBy('l.created_at', wayOf(query))
        .orderBy('l.id', wayOf(query))
        .limit(query.limit)
        .as('l'),
    )
    .select(COLUMNS)
    .select(STATE_SINCE.as('state_since'))
    .orderBy('l.created_at', wayOf(query))
    .orderBy('l.id', wayOf(query));

const foundOf = (row: InferResult<ReturnType<typeof foundBy>>[number]): FoundLifecycle => ({
  lifecycle: lifecycleFromRow(row),
  stateSince: row.state_since,
});

/** Counts the lifecycles by listed state. Counting stops at one more than the maximum. */
function countsOfSide(filter: LifecycleFilter, side: Side) {
  const meant = listedOf(filter, side);
  const away = build
    .selectFrom(underWayOf(filter, side).select('l.id').as('x'))
    .select((eb) => eb.fn.countAll<bigint>().as('n'));
  const some = meant
    .select(sql.lit(1).as('one'))
    .limit(sql<bigint>`${LIMITS.countMax + 1} + (${away})`);
  const size = build.selectFrom(some.as('x')).select((eb) => eb.fn.countAll<bigint>().as('n'));
  const oldest = meant.whereRef('l.state', '=', 'l.listed_as').select('l.created_at');
  return build
    .selectFrom(statesOf(filter, side))
    .crossJoinLateral(size.as('size'))
    .select(['s.kind', 's.state', 'size.n'])
    .select(oldest.orderBy('l.created_at').limit(1).as('oldest'))
    .where('size.n', '>', 0n);
}

/**
 * Counts lifecycles with an operation in progress under their real state, and subtracts them from their listed state.
 */
function awayOfSide({ kind, state, ...filter }: LifecycleFilter, side: Side) {
  let away = underWayOf(filter, side);
  if (kind !== undefined) away = away.where('l.kind', '=', kind);
  const come = away
    .select(['l.kind', 'l.state', sql<bigint>`count(*)`.as('n')])
    .select(sql<string | null>`min(l.created_at)`.as('oldest'))
    .groupBy(['l.kind', 'l.state']);
  const gone = away
    .select(['l.kind', 'l.listed_as as state', sql<bigint>`-count(*)`.as('n')])
    .select(sql<string | null>`null::timestamptz`.as('oldest'))
    .groupBy(['l.kind', 'l.listed_as']);
  const both = build.selectFrom(come.unionAll(gone).as('s')).selectAll();
  return state === undefined ? both : both.where('s.state', '=', state);
}

const counted = (filter: LifecycleFilter) =>
  ofSides(filter, (side) => countsOfSide(filter, side).unionAll(awayOfSide(filter, side)));

type CountRow = InferResult<ReturnType<typeof counted>>[number];

const firstOf = (rows: readonly CountRow[]): string =>
  rows.flatMap(({ oldest }) => oldest ?? []).toSorted()[0] ?? '';

/** Adds up the counts of both sides. */
function countsOf(rows: readonly CountRow[]): LifecycleCount[] {
  const alike = Map.groupBy(rows, ({ kind, state }) => `${kind} ${state}`);
  return [...alike]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, of]) => {
      const [first] = of;
      const n = of.reduce((sum, row) => sum + Number(row.n), 0);
      if (first === undefined || n <= 0) return [];
      return [
        {
          kind: first.kind,
          state: first.state,
          count: Math.min(n, LIMITS.countMax),
          more: n > LIMITS.countMax,
          oldestAt: firstOf(of),
        },
      ];
    });
}

/** @param ask runs queries, on a replica if there is one */
export const createLifecycleSearch = (ask: Ask): LifecycleSearch => ({
  find: (query, io) =>
    ask(io, async (session) =>
      (await session.ask(foundBy({ order: 'ascending', ...query }))).map(foundOf),
    ),
  count: (filter, io) => ask(io, async (session) => countsOf(await session.ask(counted(filter)))),
});
