import type { Pool } from 'pg';
import type { CostGroup, CostKey, CostQuery, Costs } from '../../app/ports/costs.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { trusted } from '../../domain/ids.ts';
import { ask, unnamed } from '../sql/ask.ts';
import { Parameters, changesInScope, finishedInScope } from '../engine/ops-scope.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/**
 * SQL: whether nobody has said what the attempt `a` cost. What was refused with a code at once never reached the network,
 * and cost nothing; what was proved to have no effect may have been paid for.
 */
const isUnknown = (a: string): string =>
  `${a}.cost is null
   and (${a}.verdict is distinct from 'refused' or ${a}.answer_offset is not null or ${a}.ledger_code is null
     or ${a}.proven_at is not null)`;

/** SQL: what the attempts that go by `a` add up to, as `attempts`, `bytes` and `unknown`. */
export const sumsOf = (a: string): string =>
  `count(*) as attempts, coalesce(sum(${a}.cost), 0)::bigint as bytes, count(*) filter (where ${isUnknown(a)}) as unknown`;

/**
 * SQL: joins the change `c` to what it cost, `x`: from the attempts that are kept or, once none is, from what was written
 * down of them.
 */
const COST = `cross join lateral (select ${sumsOf('a')} from attempt a where a.change_id = c.id) s
  cross join lateral (
    select case when s.attempts > 0 then s.attempts else c.last_attempt_no end as attempts,
           case when s.attempts > 0 then s.bytes else coalesce(c.paid_cost, 0) end as bytes,
           case when s.attempts > 0 then s.unknown else coalesce(c.unpriced_attempts, c.last_attempt_no) end as unknown
  ) x`;

const COST_OF = statement<{ readonly bytes: bigint; readonly unknown: bigint }>(
  'cost-of',
  `select x.bytes, x.unknown from change c ${COST} where c.id = $1`,
);

/** Open and finished ones have indexes of their own by acceptance. */
function asked(query: CostQuery, parameters: Parameters): string {
  const { scope, party, operations } = query;
  const common = [
    `c.accepted_at >= ${parameters.add(query.from)}::timestamptz`,
    `c.accepted_at < ${parameters.add(query.until)}::timestamptz`,
    'c.last_attempt_no > 0',
    ...(party === undefined ? [] : [`c.${partyOf(scope)} = ${parameters.add(party)}`]),
    ...(operations === undefined ? [] : [`c.operation = any(${parameters.add(operations)})`]),
    // Days after that of the last row before the page have been told.
    ...(query.after?.day == null
      ? []
      : [`c.accepted_at < ${parameters.add(query.after.day)}::date + interval '1 day'`]),
  ].join(' and ');
  const some = (which: string, whose: string): string =>
    `select c.id, c.accepted_at, c.operation, c.${partyOf(scope)} as party, c.last_attempt_no, c.paid_cost, c.unpriced_attempts
     from change c where c.finished_at is ${which} and ${whose} and ${common}`;
  return `${some('null', changesInScope(scope, 'c', parameters))}
    union all ${some('not null', finishedInScope(scope, 'c', parameters))}`;
}

/** Whom it is about: everything of a provider's scope is about that provider, everything of a user's about that user. */
const partyOf = ({ of }: OpsScope): string => (of === 'provider' ? 'app_user' : 'provider');

interface GroupRow {
  readonly day: string;
  readonly operation: string;
  readonly party: string;
  readonly operations: bigint;
  readonly attempts: bigint;
  readonly bytes: bigint;
  readonly unknown: bigint;
}

const KEYS: Readonly<Record<CostQuery['by'][number], string>> = {
  day: `to_char(c.accepted_at at time zone 'utc', 'YYYY-MM-DD')`,
  operation: 'c.operation',
  party: 'c.party',
};

function groupsOf(query: CostQuery) {
  const parameters = new Parameters();
  const { by, after } = query;
  const key = (name: keyof CostKey): string =>
    `${by.includes(name) ? KEYS[name] : "''"} collate "C" as ${name}`;
  const text = `
    select g.* from (
      select ${key('day')}, ${key('operation')}, ${key('party')}, count(*) as operations,
             sum(x.attempts)::bigint as attempts, sum(x.bytes)::bigint as bytes, sum(x.unknown)::bigint as unknown
      from (${asked(query, parameters)}) c ${COST}
      group by 1, 2, 3
    ) g
    ${after === undefined ? '' : `where ${isAfter(after, parameters)}`}
    order by g.day desc, g.operation, g.party limit ${parameters.add(query.limit)}`;
  return { query: unnamed<GroupRow>(text), values: parameters.values };
}

function isAfter({ day, operation, party }: CostKey, parameters: Parameters): string {
  const named = parameters.add(day ?? '');
  const rest = `(${parameters.add(operation ?? '')}, ${parameters.add(party ?? '')})`;
  return `(g.day < ${named} or g.day = ${named} and (g.operation, g.party) > ${rest})`;
}

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

/** @param pool stays the caller's */
export function createCosts(pool: Pool): Costs {
  return {
    list: (asks, io) =>
      ask(pool, io, async (session) => {
        const { query, values } = groupsOf(asks);
        return (await session.run(query, values)).map(groupFromRow);
      }),
    async of(change, io) {
      const [row] = await onConnection(pool, io, (session) => session.run(COST_OF, [change]));
      return { bytes: BigInt(row?.bytes ?? 0), unknown: Number(row?.unknown ?? 0) };
    },
  };
}
