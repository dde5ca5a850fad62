import type { InferResult, RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type {
  ChangeCounts,
  CountQuery,
  ChangeQuery,
  ChangeSearch,
  FoundChange,
} from '../../app/desk/change-search.ts';
import type { Count } from '../../app/ports/views.ts';
import { classOf } from '../../domain/ledger-codes.ts';
import type { Pause } from '../../domain/pause.ts';
import { findPausesOf } from '../engine/pauses.ts';
import { STORE_LIMITS } from '../limits.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Grouping } from '../../domain/grouping.ts';
import { build, wayOf } from '../sql/query.ts';
import type { ChangeConditions } from './change-conditions.ts';
import { NEWEST_CODE, conditionsOf, isPrefix } from './change-conditions.ts';
import { countsByTime, timeCountsOf } from './change-times.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { Ask } from '../sql/ask.ts';
import { asking } from '../sql/ask.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/** A change's place in the order of acceptance. */
interface Place {
  readonly id: string;
  readonly accepted_at: string;
}

const matching = (condition: unknown) =>
  sql`select c.id, c.accepted_at from change c where ${condition}`;

/** Returns the condition on the outcome of finished changes, if the filter has one. */
const endedAs = (outcomes: ChangeConditions['outcomes']) =>
  outcomes === null
    ? sql`true`
    : sql<SqlBool>`c.outcome = any(array(select o.key from ${outcomes} o))`;

interface Page extends ChangeQuery {
  /** Return the order of the rows with an alias; `first` adds the limit. */
  readonly inOrder: (alias: string) => RawBuilder<unknown>;
  readonly first: (alias: string) => RawBuilder<unknown>;
}

function pageOf(query: ChangeQuery): Page {
  const way = sql.raw(wayOf(query));
  const inOrder = (alias: string) => {
    const [at, id] = [sql.ref(`${alias}.accepted_at`), sql.ref(`${alias}.id`)];
    return sql`order by ${at} ${way}, ${id} ${way}`;
  };
  return { ...query, inOrder, first: (alias) => sql`${inOrder(alias)} limit ${query.limit}` };
}

/**
 * Builds a page for a filter by the beginning of a command ID, for which no index is in order of time. If many changes
 * match, the newest changes usually contain enough matches. Otherwise, for example if all matches are old, all matches
 * are read and sorted. A scan in order of time until there are enough matches might read the whole table.
 *
 * @returns the query's `with` clause, and its parts, of which exactly one returns rows
 */
function pageOfAlike(
  { finished, outcomes, recent }: ChangeConditions,
  { scope, inOrder, first, limit }: Page,
) {
  const meant = sql`${finished} and ${endedAs(outcomes)}`;
  const newest = sql`${inOrder('c')} limit ${STORE_LIMITS.searchRecent}`;
  // No index contains a user's changes by time either, but one contains them by outcome.
  const looked =
    scope.of === 'provider'
      ? sql`select c.* from change c where ${recent} ${newest}`
      : sql`select c.* from (
          select r.id
          from ${outcomes} o cross join lateral (${matching(sql`${recent} and c.outcome = o.key`)} ${newest}) r
          ${inOrder('r')} limit ${STORE_LIMITS.searchRecent}) r join change c on c.id = r.id`;
  const enough = sql`(select count(*) from recent) = ${limit}`;
  return {
    before: sql`with recent as materialized (
      select c.id, c.accepted_at from (${looked}) c where ${meant} ${first('c')})`,
    parts: [
      sql`select r.id, r.accepted_at from recent r where ${enough}`,
      // The inner query has no order: with an order, PostgreSQL might scan all rows in the hope of finding the first
      // matches soon.
      sql`select p.id, p.accepted_at from (${matching(meant)} offset 0) p where not ${enough} ${first('p')}`,
    ],
  };
}

const NOTHING = sql`select null::uuid as id, null::timestamptz as accepted_at where false`;

/** A query together with the names of all operations. */
type Within<Query> = Query & { readonly operations: readonly string[] };

/**
 * Builds a subquery of the changes that match a query: rows of `id` and `accepted_at`, in order, up to the query's
 * limit. For queries that do more than show the changes.
 */
export function meantChanges(query: Within<ChangeQuery>): RawBuilder<Place> {
  const { scope, filter, order, after, operations } = query;
  const cursor = after === undefined ? { order } : { order, after };
  const conditions = conditionsOf(scope, filter, { operations, cursor });
  const { open, finished, outcomes, recent } = conditions;
  const page = pageOf(query);
  const { first } = page;
  const pageWhere = (condition: unknown) => sql`${matching(condition)} ${first('c')}`;
  const alike = recent === null ? null : pageOfAlike(conditions, page);
  const parts = [...(alike?.parts ?? []), ...(open === null ? [] : [pageWhere(open)])];
  if (finished !== null && outcomes === null) parts.push(pageWhere(finished));
  if (finished !== null && outcomes !== null && alike === null) {
    parts.push(sql`
      select p.id, p.accepted_at
      from ${outcomes} o cross join lateral (${pageWhere(sql`${finished} and c.outcome = o.key`)}) p
      ${first('p')}`);
  }
  if (parts.length === 0) return sql`(${NOTHING})`;
  const all = sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union all `,
  );
  return sql`(${alike?.before ?? sql``} select m.id, m.accepted_at from (${all}) m ${first('m')})`;
}

/** Builds one page as one query. */
function pageOfFound(query: Within<ChangeQuery>) {
  const way = query.order === 'descending' ? 'desc' : 'asc';
  return build
    .selectFrom(meantChanges(query).as('page'))
    .innerJoin('change as c', 'c.id', 'page.id')
    .select(CHANGE_COLUMNS.map((column) => `c.${column}` as const))
    .select(['c.failure', 'c.last_attempt_no'])
    .select(
      sql<
        string | null
      >`coalesce(c.error ->> 'ledgerCode', case when c.finished_at is null then ${NEWEST_CODE} end)`.as(
        'ledger_code',
      ),
    )
    .orderBy('page.accepted_at', way)
    .orderBy('page.id', way);
}

type FoundRow = InferResult<ReturnType<typeof pageOfFound>>[number];

const foundOf = (row: FoundRow, pause: Pause | null): FoundChange => ({
  change: changeFromRow(row),
  pause,
  failure: row.failure,
  submissions: row.last_attempt_no,
  ledgerCode: row.ledger_code,
});

/** The number of changes with one key; counting stops at one more than the maximum. */
interface Tally {
  readonly key: string | null;
  /**
   * Whether the counted changes are open. If they are grouped by class, `key` is a code, because the database does not
   * know the class of a code.
   */
  readonly open: boolean;
  readonly n: bigint;
}

/**
 * For each grouping, the key of an open change `c` and the key of an outcome `o`. The second is `null` if outcomes do
 * not determine the key.
 */
const GROUP: Readonly<
  Record<Grouping, readonly [open: RawBuilder<unknown>, outcome: RawBuilder<unknown> | null]>
> = {
  state: [sql`c.state`, sql`o.state`],
  operation: [sql`c.operation`, sql`o.operation`],
  code: [NEWEST_CODE, sql`coalesce(o.ledger_code, o.code)`],
  class: [NEWEST_CODE, sql`o.class`],
  failure: [sql`null`, sql`case when o.code is not null then o.key end`],
  party: [sql`c.app_user`, null],
  by: [sql`c.caller_subject`, null],
};

/**
 * Counts changes by group. If outcomes determine the group, each group is counted in an index, up to the maximum. The
 * keys of groups by party or person are not known in advance, so every entry is read.
 */
function countsBy({ scope, filter, groupBy, operations }: Within<CountQuery>) {
  const [ofOpen, ofOutcome] = groupBy === null ? [sql`null`, sql`null`] : GROUP[groupBy];
  const { open, finished, outcomes } = conditionsOf(scope, filter, {
    operations,
    byOutcome: ofOutcome !== null,
  });
  const parts: RawBuilder<unknown>[] = [];
  if (open !== null) {
    parts.push(
      sql`select true as open, ${ofOpen}::text as key, count(*) as n from change c where ${open} group by 2`,
    );
  }
  if (finished !== null && outcomes !== null && ofOutcome !== null) {
    const enough = LIMITS.countMax + 1;
    const some = sql`select 1 from change c where ${finished} and c.outcome`;
    // With two conditions, the plan must not depend on the limit: otherwise PostgreSQL might read all rows in the hope
    // of finding enough matches soon.
    const bounded = isPrefix(filter)
      ? sql`with alike as materialized (${some} = any(g.outcomes)) select 1 from alike limit ${enough}`
      : sql`select 1 from unnest(g.outcomes) as k(outcome)
           cross join lateral (${some} = k.outcome limit ${enough}) x limit ${enough}`;
    parts.push(sql`
      select false as open, g.key, (select count(*) from (${bounded}) y) as n
      from (select ${ofOutcome}::text as key, array_agg(o.key) as outcomes from ${outcomes} o group by 1) g`);
  }
  if (finished !== null && ofOutcome === null) {
    parts.push(sql`
      select false as open, ${ofOpen} as key, count(*) as n
      from change c where ${finished} and ${endedAs(outcomes)} group by 2`);
  }
  if (parts.length === 0) return null;
  return build.selectFrom(sql<Tally>`(${sql.join(parts, sql` union all `)})`.as('t')).selectAll();
}

const counted = (tallies: readonly Tally[]): Count => {
  const sum = tallies.reduce((all, { n }) => all + Number(n), 0);
  return { count: Math.min(sum, LIMITS.countMax), more: sum > LIMITS.countMax };
};

const keyOf = (groupBy: Grouping | null, { key, open }: Tally): string | null =>
  open && groupBy === 'class' && key !== null ? classOf(key) : key;

/**
 * Returns the total, and the groups from largest to smallest. Groups that reach the maximum are ordered by their keys.
 */
function countsOf(tallies: readonly Tally[], groupBy: Grouping | null): ChangeCounts {
  const there = tallies.filter(({ n }) => n > 0n);
  const groups = [...Map.groupBy(there, (tally) => keyOf(groupBy, tally))]
    .map(([key, of]) => ({ key, size: of.reduce((all, { n }) => all + n, 0n), ...counted(of) }))
    .toSorted((a, b) => Number(b.size - a.size) || ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
    .slice(0, LIMITS.pageSizeMax)
    .map(({ key, count, more }) => ({ key, count, more }));
  return { total: counted(there), groups: groupBy === null ? [] : groups };
}

/** An effect is created when its change becomes the head of its lane, and deleted when the change is pruned. */
const TURN_OF = statement<{ made_at: string }>(
  'turn-of',
  'select made_at from effect where change_id = $1',
);

/**
 * @param pool the caller closes it
 * @param operations the names of all operations
 * @param ask runs searches and counts, on a replica if there is one
 */
export const createChangeSearch = (
  pool: Pool,
  operations: readonly string[],
  ask: Ask = asking(pool),
): ChangeSearch => ({
  find: (query, io) =>
    ask(io, async (session) => {
      const rows = await session.ask(pageOfFound({ ...query, operations }));
      const submitted = rows.filter(({ state }) => state === 'submitting' || state === 'retrying');
      const pauses = await findPausesOf(
        session,
        submitted.map(({ id }) => id),
      );
      return rows.map((row) => foundOf(row, pauses.get(row.id) ?? null));
    }),
  count: (query, io) =>
    ask(io, async (session) => {
      const counts = countsBy({ ...query, operations });
      return countsOf(counts === null ? [] : await session.ask(counts), query.groupBy);
    }),
  countByTime: ({ scope, window }, io) =>
    ask(io, async (session) => {
      const counts = countsByTime({ scope, window, operations });
      return timeCountsOf(window, counts === null ? [] : await session.ask(counts));
    }),
  async turnOf(change, io) {
    const [row] = await onConnection(pool, io, (session) => session.run(TURN_OF, [change]));
    return row?.made_at ?? null;
  },
});
