import type { InferResult, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { CostGroup, CostKey, CostQuery, Costs } from '../../app/ports/costs.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { trusted } from '../../domain/ids.ts';
import { ask } from '../sql/ask.ts';
import { build } from '../sql/query.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';
import { changesInScope, finishedInScope } from '../engine/ops-scope.ts';

/**
 * SQL: whether the cost of the attempt `a` is unknown. An attempt that was refused at once with a code never reached
 * the network, so its cost is 0. An attempt that provably had no effect may still have cost something.
 */
const isUnknown = (a: string): string =>
  `${a}.cost is null
   and (${a}.verdict is distinct from 'refused' or ${a}.answer_offset is not null or ${a}.ledger_code is null
     or ${a}.proven_at is not null)`;

/** SQL: sums over the attempts with alias `a`: `attempts`, `bytes` and `unknown`. */
export const sumsOf = (a: string): string =>
  `count(*) as attempts, coalesce(sum(${a}.cost), 0)::bigint as bytes, count(*) filter (where ${isUnknown(a)}) as unknown`;

/** SQL: the sums over the stored attempts of the change `c`. */
const SUMS = `select ${sumsOf('a')} from attempt a where a.change_id = c.id`;

/**
 * SQL: the cost of the change `c`: the sums `s` over its attempts or, if retention has deleted the attempts, the sums
 * recorded with the change.
 */
const TOLD = `select case when s.attempts > 0 then s.attempts else c.last_attempt_no end as attempts,
    case when s.attempts > 0 then s.bytes else coalesce(c.paid_cost, 0) end as bytes,
    case when s.attempts > 0 then s.unknown else coalesce(c.unpriced_attempts, c.last_attempt_no) end as unknown`;

const COST_OF = statement<{ readonly bytes: bigint; readonly unknown: bigint }>(
  'cost-of',
  `select x.bytes, x.unknown
   from change c cross join lateral (${SUMS}) s cross join lateral (${TOLD}) x where c.id = $1`,
);

/**
 * Returns the column of the other party: all changes of a provider's scope have that provider, and all changes of a
 * user's scope have that user.
 */
const partyOf = ({ of }: OpsScope) => (of === 'provider' ? 'c.app_user' : 'c.provider');

/** Returns the attempts of open or of finished changes, because each kind has its own index by acceptance. */
function attempted({ scope, from, until, party, operations, after }: CostQuery, isOpen: boolean) {
  let query = build
    .selectFrom('change as c')
    .select(['c.id', 'c.accepted_at', 'c.operation', `${partyOf(scope)} as party`])
    .select(['c.last_attempt_no', 'c.paid_cost', 'c.unpriced_attempts'])
    .where('c.finished_at', isOpen ? 'is' : 'is not', null)
    .where(isOpen ? changesInScope(scope) : finishedInScope(scope))
    .where('c.accepted_at', '>=', from)
    .where('c.accepted_at', '<', until)
    .where('c.last_attempt_no', '>', 0);
  if (party !== undefined) query = query.where(partyOf(scope), '=', party);
  if (operations !== undefined) {
    query = query.where((eb) => eb('c.operation', '=', eb.fn.any(eb.val(operations))));
  }
  if (after?.day == null) return query;
  // Pages go from the newest day to the oldest, so later days were on earlier pages.
  return query.where('c.accepted_at', '<', sql<string>`${after.day}::date + interval '1 day'`);
}

/** The group of a row. A key by which the query does not group is empty. */
interface KeyRow {
  readonly day: string;
  readonly operation: string;
  readonly party: string;
}

const KEYS = {
  day: sql`to_char(c.accepted_at at time zone 'utc', 'YYYY-MM-DD')`,
  operation: sql.ref('c.operation'),
  party: sql.ref('c.party'),
};

interface Sums {
  readonly attempts: bigint;
  readonly bytes: bigint;
  readonly unknown: bigint;
}

function groupsOf(asked: CostQuery) {
  const { by, after, limit } = asked;
  const key = <Name extends keyof CostKey>(name: Name) =>
    sql<KeyRow[Name]>`${by.includes(name) ? KEYS[name] : sql.lit('')} collate "C"`.as(name);
  const groups = build
    .selectFrom(attempted(asked, true).unionAll(attempted(asked, false)).as('c'))
    .crossJoinLateral(sql<Sums>`(${sql.raw(SUMS)})`.as('s'))
    .crossJoinLateral(sql<Sums>`(${sql.raw(TOLD)})`.as('x'))
    .select([key('day'), key('operation'), key('party')])
    .select((eb) => eb.fn.countAll<bigint>().as('operations'))
    .select(sql<bigint>`sum(x.attempts)::bigint`.as('attempts'))
    .select(sql<bigint>`sum(x.bytes)::bigint`.as('bytes'))
    .select(sql<bigint>`sum(x.unknown)::bigint`.as('unknown'))
    .groupBy(sql`1, 2, 3`);
  const page = build
    .selectFrom(groups.as('g'))
    .selectAll()
    .orderBy('g.day', 'desc')
    .orderBy('g.operation')
    .orderBy('g.party')
    .limit(limit);
  if (after === undefined) return page;
  const day = after.day ?? '';
  const rest = sql`(${after.operation ?? ''}, ${after.party ?? ''})`;
  return page.where(
    sql<SqlBool>`(g.day < ${day} or g.day = ${day} and (g.operation, g.party) > ${rest})`,
  );
}

type GroupRow = InferResult<ReturnType<typeof groupsOf>>[number];

const groupFromRow = (row: GroupRow): CostGroup => ({
  key: {
    day: row.day === '' ? null : row.day,
    operation: row.operation === '' ? null : row.operation,
    party: row.party === '' ? null : trusted(row.party),
  },
  operations: Number(row.operations),
  attempts: Number(row.attempts),
  bytes: row.bytes,
  unknown: Number(row.unknown),
});

/** @param pool the caller closes it */
export function createCosts(pool: Pool): Costs {
  return {
    list: (query, io) =>
      ask(pool, io, async (session) => (await session.ask(groupsOf(query))).map(groupFromRow)),
    async of(change, io) {
      const [row] = await onConnection(pool, io, (session) => session.run(COST_OF, [change]));
      return { bytes: BigInt(row?.bytes ?? 0), unknown: Number(row?.unknown ?? 0) };
    },
  };
}
