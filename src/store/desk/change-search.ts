import type { Pool } from 'pg';
import type {
  ChangeCounts,
  CountQuery,
  ChangeQuery,
  ChangeSearch,
  Count,
  FoundChange,
} from '../../app/desk/change-search.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { classOf } from '../../domain/ledger-codes.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Grouping } from '../../domain/grouping.ts';
import { ask, unnamed } from '../sql/ask.ts';
import type { ChangeConditions } from './change-conditions.ts';
import { NEWEST_CODE, conditionsOf, isPrefix } from './change-conditions.ts';
import { Parameters } from '../engine/ops-scope.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
}

const matching = (condition: string): string =>
  `select c.id, c.accepted_at from change c where ${condition}`;

/** How finished changes have ended that are meant, where that is asked. */
const endedAs = (outcomes: string | null): string =>
  outcomes === null ? '' : ` and c.outcome = any(array(select o.key from (${outcomes}) o))`;

/** So many of the newest are looked through before an index is asked that has what is meant in another order. */
const RECENT = 2_000;

interface Page {
  readonly scope: OpsScope;
  /** The order, and the first so many in it, of rows that go by a letter. */
  readonly inOrder: (alias: string) => string;
  readonly first: (alias: string) => string;
  readonly limit: string;
}

/**
 * A page of what no index has in order of time, because it begins alike. If much does, enough of it is mostly found among
 * the newest; what came together long ago is not, and all of it is read. A walk in order of time until enough is found
 * might read everything.
 *
 * @returns what goes before the query, and parts of which one has all that is found
 */
function pageOfAlike(
  { finished, outcomes, recent }: ChangeConditions,
  { scope, inOrder, first, limit }: Page,
): { readonly before: string; readonly parts: readonly string[] } {
  const meant = `${finished}${endedAs(outcomes)}`;
  const newest = `${inOrder('c')} limit ${RECENT}`;
  // No index has a user's own by time either, but one has those that ended alike.
  const looked =
    scope.of === 'provider'
      ? `select c.* from change c where ${recent} ${newest}`
      : `select c.* from (
           select r.id
           from (${outcomes}) o cross join lateral (${matching(`${recent} and c.outcome = o.key`)} ${newest}) r
           ${inOrder('r')} limit ${RECENT}) r join change c on c.id = r.id`;
  const enough = `(select count(*) from recent) = ${limit}`;
  return {
    before: `with recent as materialized (
      select c.id, c.accepted_at from (${looked}) c where ${meant} ${first('c')})`,
    parts: [
      `select r.id, r.accepted_at from recent r where ${enough}`,
      // Without an order inside, so that nothing is walked in the hope of meeting the first few.
      `select p.id, p.accepted_at from (${matching(meant)} offset 0) p where not ${enough} ${first('p')}`,
    ],
  };
}

/**
 * The changes that a query means, as a query of their own: rows of `id` and `accepted_at`, in order, as many as the
 * query's limit. For statements that do more with them than show them.
 */
export function meantChanges(query: ChangeQuery, parameters: Parameters): string {
  const { scope, filter, order, after } = query;
  const cursor = after === undefined ? { order } : { order, after };
  const conditions = conditionsOf(scope, filter, parameters, { cursor });
  const { open, finished, outcomes, recent } = conditions;
  const way = order === 'newest' ? 'desc' : 'asc';
  const limit = parameters.add(query.limit);
  const inOrder = (alias: string): string =>
    `order by ${alias}.accepted_at ${way}, ${alias}.id ${way}`;
  const first = (alias: string): string => `${inOrder(alias)} limit ${limit}`;
  const page = (condition: string): string => `${matching(condition)} ${first('c')}`;
  const alike = recent === null ? null : pageOfAlike(conditions, { scope, inOrder, first, limit });
  const parts: string[] = [...(alike?.parts ?? []), ...(open === null ? [] : [page(open)])];
  if (finished !== null && outcomes === null) parts.push(page(finished));
  if (finished !== null && outcomes !== null && alike === null) {
    parts.push(`
      select p.id, p.accepted_at
      from (${outcomes}) o cross join lateral (${page(`${finished} and c.outcome = o.key`)}) p
      ${first('p')}`);
  }
  if (parts.length === 0)
    return 'select null::uuid as id, null::timestamptz as accepted_at where false';
  const all = parts.map((part) => `(${part})`).join(' union all ');
  return `${alike?.before ?? ''} select m.id, m.accepted_at from (${all}) m ${first('m')}`;
}

type FoundRow = ChangeRow & {
  readonly failure: string | null;
  readonly last_attempt_no: number;
  readonly ledger_code: string | null;
};

/** A page as one statement. */
export function searchStatement(query: ChangeQuery): Sql {
  const parameters = new Parameters();
  const meant = meantChanges(query, parameters);
  const way = query.order === 'newest' ? 'desc' : 'asc';
  const text = `
    select ${columnsOf('c', CHANGE_COLUMNS)}, c.failure, c.last_attempt_no,
           coalesce(c.error ->> 'ledgerCode', case when c.finished_at is null then ${NEWEST_CODE} end) as ledger_code
    from (${meant}) page join change c on c.id = page.id
    order by page.accepted_at ${way}, page.id ${way}`;
  return { text, values: parameters.values };
}

const foundOf = (row: FoundRow): FoundChange => ({
  change: changeFromRow(row),
  failure: row.failure,
  submissions: row.last_attempt_no,
  ledgerCode: row.ledger_code,
});

/** How many have something in common, up to one more than is counted. */
interface Tally {
  readonly key: string | null;
  /** Of open ones, whose class is not known to the database: `key` is the code then. */
  readonly open: boolean;
  readonly n: bigint;
}

/** Of which group an open change `c` is, and an outcome `o` of finished ones; `null`: outcomes do not tell. */
const GROUP: Readonly<Record<Grouping, readonly [open: string, outcome: string | null]>> = {
  state: ['c.state', 'o.state'],
  operation: ['c.operation', 'o.operation'],
  code: [NEWEST_CODE, 'coalesce(o.ledger_code, o.code)'],
  class: [NEWEST_CODE, 'o.class'],
  failure: ['null', 'case when o.code is not null then o.key end'],
  party: ['c.app_user', null],
  by: ['c.caller_subject', null],
};

/**
 * Groups of outcomes are counted in the index that has them, none of them further than is told. Of groups by party and
 * person nobody knows which there are, so every entry is read.
 */
export function countStatement({ scope, filter, groupBy }: CountQuery): Sql | null {
  const parameters = new Parameters();
  const [ofOpen, ofOutcome] = groupBy === null ? ['null', 'null'] : GROUP[groupBy];
  const asked = { byOutcome: ofOutcome !== null };
  const { open, finished, outcomes } = conditionsOf(scope, filter, parameters, asked);
  const parts: string[] = [];
  if (open !== null) {
    parts.push(
      `select true as open, ${ofOpen}::text as key, count(*) as n from change c where ${open} group by 2`,
    );
  }
  if (finished !== null && outcomes !== null && ofOutcome !== null) {
    const enough = parameters.add(LIMITS.countMax + 1);
    const some = `select 1 from change c where ${finished} and c.outcome`;
    // Where two conditions meet, it is planned without the limit: in the hope of soon meeting so many, all might be walked.
    const bounded = isPrefix(filter)
      ? `with alike as materialized (${some} = any(g.outcomes)) select 1 from alike limit ${enough}`
      : `select 1 from unnest(g.outcomes) as k(outcome)
           cross join lateral (${some} = k.outcome limit ${enough}) x limit ${enough}`;
    parts.push(`
      select false as open, g.key, (select count(*) from (${bounded}) y) as n
      from (select ${ofOutcome}::text as key, array_agg(o.key) as outcomes from (${outcomes}) o group by 1) g`);
  }
  if (finished !== null && ofOutcome === null) {
    parts.push(`
      select false as open, ${ofOpen} as key, count(*) as n
      from change c where ${finished}${endedAs(outcomes)} group by 2`);
  }
  return parts.length === 0 ? null : { text: parts.join(' union all '), values: parameters.values };
}

const counted = (tallies: readonly Tally[]): Count => {
  const sum = tallies.reduce((all, { n }) => all + Number(n), 0);
  return { count: Math.min(sum, LIMITS.countMax), more: sum > LIMITS.countMax };
};

const keyOf = (groupBy: Grouping | null, { key, open }: Tally): string | null =>
  open && groupBy === 'class' && key !== null ? classOf(key) : key;

/** The whole of it, and its groups: the largest first, where they are counted no further by their keys. */
function countsOf(tallies: readonly Tally[], groupBy: Grouping | null): ChangeCounts {
  const there = tallies.filter(({ n }) => n > 0n);
  const groups = [...Map.groupBy(there, (tally) => keyOf(groupBy, tally))]
    .map(([key, of]) => ({ key, size: of.reduce((all, { n }) => all + n, 0n), ...counted(of) }))
    .toSorted((a, b) => Number(b.size - a.size) || ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
    .slice(0, LIMITS.pageSizeMax)
    .map(({ key, count, more }) => ({ key, count, more }));
  return { total: counted(there), groups: groupBy === null ? [] : groups };
}

/** The row is made when it is the change's turn, and goes when the change is pruned. */
const TURN_OF = statement<{ made_at: string }>(
  'turn-of',
  'select made_at from effect where change_id = $1',
);

/** @param pool stays the caller's */
export function createChangeSearch(pool: Pool): ChangeSearch {
  const run = <Row>(session: Session, { text, values }: Sql): Promise<Row[]> =>
    session.run(unnamed<Row>(text), values);
  return {
    find: (query, io) =>
      ask(pool, io, async (session) =>
        (await run<FoundRow>(session, searchStatement(query))).map(foundOf),
      ),
    count: (query, io) =>
      ask(pool, io, async (session) => {
        const statement = countStatement(query);
        const tallies = statement === null ? [] : await run<Tally>(session, statement);
        return countsOf(tallies, query.groupBy);
      }),
    async turnOf(change, io) {
      const [row] = await onConnection(pool, io, (session) => session.run(TURN_OF, [change]));
      return row?.made_at ?? null;
    },
  };
}
