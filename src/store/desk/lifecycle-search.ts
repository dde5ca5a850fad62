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
import { build } from '../sql/query.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';

/*
 * Active lifecycles by kind, state and age. An index has those of a provider in that order, so which states there are
 * is found by leaping from one to the next, and a page is the oldest of the oldest of each. A user has few.
 */

type Side = 'provider' | 'app_user';

/** What a user's operators see is what it provides, and what it uses of others. */
function ofSides<DB, Tables extends keyof DB, Row>(
  { scope }: LifecycleFilter,
  of: (side: Side) => SelectQueryBuilder<DB, Tables, Row>,
): SelectQueryBuilder<DB, Tables, Row> {
  return scope.of === 'provider' ? of('provider') : of('provider').unionAll(of('app_user'));
}

const COLUMNS = LIFECYCLE_COLUMNS.map((column) => `l.${column}` as const);

/** What is meant on a side, besides kind and state. */
function meantOf({ scope, party, before }: LifecycleFilter, side: Side) {
  const other = side === 'provider' ? 'l.app_user' : 'l.provider';
  let query = build
    .selectFrom('lifecycle as l')
    .where(`l.${side}`, '=', scope.party)
    .where('l.ended_at', 'is', null)
    .whereRef('l.kind', '=', sql.ref('s.kind'))
    .whereRef('l.state', '=', sql.ref('s.state'));
  if (side === 'app_user') query = query.where('l.provider', '<>', scope.party);
  if (party !== undefined && party !== scope.party) query = query.where(other, '=', party);
  return before === undefined ? query : query.where('l.created_at', '<', before);
}

/** Rows `s` of kind and state: those that there are, of those that are asked for. */
function statesOf({ scope, kind, state }: LifecycleFilter, side: Side) {
  const first = build
    .selectFrom('lifecycle as l')
    .select(['l.kind', 'l.state'])
    .where(`l.${side}`, '=', scope.party)
    .where('l.ended_at', 'is', null)
    .orderBy('l.kind')
    .orderBy('l.state')
    .limit(1);
  const next = first.where(sql<SqlBool>`(l.kind, l.state) > (t.kind, t.state)`);
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

/** The oldest of the oldest of each state. */
function pageOfSide(asked: LifecycleQuery, side: Side) {
  const { after, limit } = asked;
  let oldest = meantOf(asked, side)
    .select(COLUMNS)
    .orderBy('l.created_at')
    .orderBy('l.id')
    .limit(limit);
  if (after !== undefined) {
    oldest = oldest.where(sql<SqlBool>`(l.created_at, l.id) > (${after.createdAt}, ${after.id})`);
  }
  return build.selectFrom(statesOf(asked, side)).crossJoinLateral(oldest.as('l')).selectAll('l');
}

/** Since the first line in its state that no other state came after. */
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
        .orderBy('l.created_at')
        .orderBy('l.id')
        .limit(query.limit)
        .as('l'),
    )
    .select(COLUMNS)
    .select(STATE_SINCE.as('state_since'))
    .orderBy('l.created_at')
    .orderBy('l.id');

const foundOf = (row: InferResult<ReturnType<typeof foundBy>>[number]): FoundLifecycle => ({
  lifecycle: lifecycleFromRow(row),
  stateSince: row.state_since,
});

function countsOfSide(filter: LifecycleFilter, side: Side) {
  const meant = meantOf(filter, side);
  const some = meant.select(sql.lit(1).as('one')).limit(LIMITS.countMax + 1);
  const size = build.selectFrom(some.as('x')).select((eb) => eb.fn.countAll<bigint>().as('n'));
  return build
    .selectFrom(statesOf(filter, side))
    .crossJoinLateral(size.as('size'))
    .select(['s.kind', 's.state', 'size.n'])
    .select(meant.select('l.created_at').orderBy('l.created_at').limit(1).as('oldest'))
    .where('size.n', '>', 0n);
}

const counted = (filter: LifecycleFilter) => ofSides(filter, (side) => countsOfSide(filter, side));

type CountRow = InferResult<ReturnType<typeof counted>>[number];

const oldestOf = (rows: readonly CountRow[]): string =>
  rows.flatMap(({ oldest }) => oldest ?? []).toSorted()[0] ?? '';

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

/** @param ask on a replica, where there is one */
export const createLifecycleSearch = (ask: Ask): LifecycleSearch => ({
  find: (query, io) => ask(io, async (session) => (await session.ask(foundBy(query))).map(foundOf)),
  count: (filter, io) => ask(io, async (session) => countsOf(await session.ask(counted(filter)))),
});
