import type { Pool } from 'pg';
import type {
  ChangeCounts,
  CountQuery,
  ChangeQuery,
  ChangeSearch,
  Count,
  FoundChange,
  Grouping,
} from '../app/change-search.ts';
import { classOf } from '../domain/ledger-codes.ts';
import { LIMITS } from '../domain/limits.ts';
import { ask, unnamed } from './ask.ts';
import { NEWEST_CODE, conditionsOf } from './change-conditions.ts';
import { Parameters } from './ops-scope.ts';
import type { ChangeRow } from './rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from './rows/change-row.ts';
import type { Session } from './session.ts';
import { columnsOf, statement } from './statement.ts';
import { onConnection } from './transact.ts';

interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Then all of them are at hand; else there are so many that a walk in order of time soon meets them. */
const FEW_BEGUN = `(select count(*) from begun) <= ${LIMITS.countMax}`;

/**
 * The changes that a query means, as a query of their own: rows of `id` and `accepted_at`, in order, as many as the
 * query's limit. For statements that do more with them than show them.
 */
export function meantChanges(query: ChangeQuery, parameters: Parameters): string {
  const { scope, filter, order, after } = query;
  const cursor = after === undefined ? { order } : { order, after };
  const { open, finished, outcomes, begun } = conditionsOf(scope, filter, parameters, { cursor });
  const way = order === 'newest' ? 'desc' : 'asc';
  const limit = parameters.add(query.limit);
  const first = (alias: string): string =>
    `order by ${alias}.accepted_at ${way}, ${alias}.id ${way} limit ${limit}`;
  const page = (condition: string): string =>
    `select c.id, c.accepted_at from change c where ${condition} ${first('c')}`;
  const parts: string[] = open === null ? [] : [page(open)];
  const walked =
    finished === null || begun === null ? finished : `${finished} and not ${FEW_BEGUN}`;
  if (walked !== null && outcomes === null) parts.push(page(walked));
  if (walked !== null && outcomes !== null) {
    parts.push(`
      select p.id, p.accepted_at
      from (${outcomes}) o cross join lateral (${page(`${walked} and c.outcome = o.key`)}) p
      ${first('p')}`);
  }
  if (finished !== null && begun !== null) {
    const ended =
      outcomes === null ? 'true' : `c.outcome = any(array(select o.key from (${outcomes}) o))`;
    parts.push(`
      select c.id, c.accepted_at from begun c where ${FEW_BEGUN} and ${finished} and ${ended} ${first('c')}`);
  }
  if (parts.length === 0)
    return 'select null::uuid as id, null::timestamptz as accepted_at where false';
  const all = parts.map((part) => `(${part})`).join(' union all ');
  const meant = `select m.id, m.accepted_at from (${all}) m ${first('m')}`;
  return begun === null ? meant : `with begun as materialized (${begun}) ${meant}`;
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

/** Some changes that end or stand alike, with how many they are, up to one more than is counted. */
interface Tally {
  readonly state: string;
  readonly operation: string;
  readonly code: string | null;
  readonly ledger_code: string | null;
  readonly fingerprint: string | null;
  /** Whom they concern or who asked, where that was asked for. */
  readonly whose: string | null;
  readonly n: bigint;
}

const COLUMN_OF: Readonly<Partial<Record<Grouping, string>>> = {
  party: 'c.app_user',
  by: 'c.caller_subject',
};

/** Open ones are counted in their rows, finished ones in the index of their outcome. */
export function countStatement({ scope, filter, groupBy }: CountQuery): Sql | null {
  const parameters = new Parameters();
  const asked = { byOutcome: true };
  const { open, finished: all, outcomes, begun } = conditionsOf(scope, filter, parameters, asked);
  const finished = all === null || begun === null ? all : `${all} and not ${FEW_BEGUN}`;
  const whose = groupBy === null ? undefined : COLUMN_OF[groupBy];
  const parts: string[] = [];
  if (open !== null) {
    parts.push(`
      select c.state, c.operation, null as code, ${NEWEST_CODE} as ledger_code, null as fingerprint,
             ${whose ?? 'null'} as whose, count(*) as n
      from change c where ${open} group by 1, 2, 4, 6`);
  }
  if (finished !== null && outcomes !== null && whose === undefined) {
    const enough = parameters.add(LIMITS.countMax + 1);
    parts.push(`
      select o.state, o.operation, o.code, o.ledger_code,
             case when o.code is not null then o.key end as fingerprint, null as whose,
             (select count(*) from (
                select from change c where ${finished} and c.outcome = o.key limit ${enough}
              ) x) as n
      from (${outcomes}) o`);
  }
  if (finished !== null && outcomes !== null && whose !== undefined) {
    parts.push(`
      select null as state, null as operation, null as code, null as ledger_code, null as fingerprint,
             ${whose} as whose, count(*) as n
      from change c where ${finished} and c.outcome = any(array(select o.key from (${outcomes}) o)) group by 6`);
  }
  if (all !== null && begun !== null) {
    parts.push(`
      select o.state, o.operation, o.code, o.ledger_code,
             case when o.code is not null then o.key end as fingerprint, ${whose ?? 'null'} as whose, count(*) as n
      from begun c join (${outcomes}) o on o.key = c.outcome where ${FEW_BEGUN} and ${all} group by 1, 2, 3, 4, 5, 6`);
  }
  if (parts.length === 0) return null;
  const text = parts.join(' union all ');
  const { values } = parameters;
  return { text: begun === null ? text : `with begun as materialized (${begun}) ${text}`, values };
}

/** What a tally counts for. */
const KEY_OF: Readonly<Record<Grouping, (tally: Tally) => string | null>> = {
  state: ({ state }) => state,
  operation: ({ operation }) => operation,
  code: ({ code, ledger_code: ledgerCode }) => ledgerCode ?? code,
  class: ({ ledger_code: ledgerCode }) => (ledgerCode === null ? null : classOf(ledgerCode)),
  failure: ({ fingerprint }) => fingerprint,
  party: ({ whose }) => whose,
  by: ({ whose }) => whose,
};

const counted = (tallies: readonly Tally[]): Count => {
  const sum = tallies.reduce((all, { n }) => all + Number(n), 0);
  return { count: Math.min(sum, LIMITS.countMax), more: sum > LIMITS.countMax };
};

/** The whole of it, and its groups: largest first. */
export function countsOf(tallies: readonly Tally[], groupBy: Grouping | null): ChangeCounts {
  const keyOf = groupBy === null ? () => null : KEY_OF[groupBy];
  const there = tallies.filter(({ n }) => n > 0n);
  const groups = [...Map.groupBy(there, keyOf)]
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
