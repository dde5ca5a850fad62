import type { Expression, InferResult, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type {
  DueQuery,
  NextDue,
  Timer,
  TimerMove,
  TimerPageQuery,
  TimerView,
  Timers,
} from '../../app/ports/policies.ts';
import { SCHEDULER_LEASE } from '../../app/ports/leases.ts';
import type { Change } from '../../domain/change.ts';
import type { ChangeId, ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { ALLOCATION } from '../../domain/licensing.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import { build } from '../sql/query.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import type { Statement } from '../sql/statement.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';
import { HELD_UNTIL, isFree } from './holds.ts';

const TIMER_COLUMNS = [
  'lifecycle_id',
  'kind',
  'provider',
  'lapses_at',
  'open_until',
  'never_renewed',
  'generation',
  'failures',
  'not_before',
  'change_id',
  'given_up',
] as const satisfies readonly (keyof Row<'timer'>)[];

export const TIMER = columnsOf('t', TIMER_COLUMNS);

/**
 * Locks the lease. A process that no longer holds the lease gets no row, and no other process can take the lease until
 * the statement ends.
 */
const OWNER = (epoch: string) =>
  `owner as materialized (select 1 from lease where name = '${SCHEDULER_LEASE}' and epoch = ${epoch} for share)`;

/**
 * Changes in doubt are omitted, because they wait for a person and must not use up the maximum number of open changes.
 */
const UNDER_WAY = statement<{ changes: string[]; ledger_time: string | null }>(
  'timers-under-way',
  `select array(select c.id::text from change c, unnest($2::text[]) as p(prefix)
                where c.act_as = $1 and c.finished_at is null and c.state <> 'in-doubt' and starts_with(c.command_id, 'tenure:')
                  and starts_with(c.command_id, p.prefix)) as changes,
          (select record_time from query_store_offset where stream = 'updates') as ledger_time`,
);

/** The parameters are the same in all queries for due timers; see `dueValues`. */
const LAPSED = `t.provider = $1 and t.kind = $2 and t.change_id is null and t.lapses_at <= $3::timestamptz`;
const MAY_FIRE = `(t.open_until is null or t.open_until <= $4::timestamptz)
     and (t.not_before is null or t.not_before <= $5::timestamptz)`;

const due = (condition: string): string =>
  `with ${OWNER('$6')}, found as (
     select t.* from timer t
     where ${LAPSED} ${condition} and ${MAY_FIRE} and ${isFree(['$4', '$8'])} and exists (select from owner)
     order by t.lapses_at, t.lifecycle_id limit $7 for update of t skip locked
   )
   select true as is_ours, ${TIMER} from owner left join found t on true order by t.lapses_at, t.lifecycle_id`;

const RENEWED = 'and not t.never_renewed';
const DUE = statement<TimerRow & DueRow>('timers-due', due(''));
const DUE_RENEWED = statement<TimerRow & DueRow>('timers-due-renewed', due(RENEWED));

/**
 * A separate statement, because `offset 0` makes PostgreSQL look up each allocation on its own; see `settlements.ts`.
 */
const PAYABLE = statement<TimerRow & DueRow>(
  'timers-payable',
  `with ${OWNER('$6')}, found as (
     select t.* from timer t
       join lifecycle l on l.id = t.lifecycle_id
     where t.provider = $1 and t.kind = $2 and t.change_id is null and t.lapses_at > $4::timestamptz
       and $3::timestamptz is not null
       and (t.not_before is null or t.not_before <= $5::timestamptz)
       and exists (select from owner)
       and exists (
         select from contract k
           cross join lateral (
             select c.template_fqn from contract c
             where c.payload #>> '{allocation,settlement,settlementRef,id}' = k.payload ->> 'requestId'
               and c.archived_at_offset is null and not c.divulged_only
             offset 0) as a
         where k.contract_id = l.contract_id and a.template_fqn = '${templateFqn(ALLOCATION)}')
     order by t.lapses_at, t.lifecycle_id limit $7 for update of t skip locked
   )
   select true as is_ours, ${TIMER} from owner left join found t on true order by t.lapses_at, t.lifecycle_id`,
);

/**
 * SQL: when the first window or plan-based protection of a lapsed timer ends. Used for one kind of timer only. Few of
 * its timers have lapsed, because lapsed timers are fired.
 */
const closes = (condition: string): string =>
  `least(
       (select min(t.open_until) from timer t
        where ${LAPSED} ${condition} and t.open_until > $4::timestamptz),
       (select min(${HELD_UNTIL}) from timer t join lifecycle_hold h on h.lifecycle_id = t.lifecycle_id
        where ${LAPSED} ${condition} and ($6 or not h.is_suspended) and ${HELD_UNTIL} > $4::timestamptz))`;

const next = (condition: string): string =>
  `select
     (select t.lapses_at from timer t
      where t.provider = $1 and t.kind = $2 and t.change_id is null and t.lapses_at > $3::timestamptz ${condition}
      order by t.lapses_at limit 1) as lapse,
     case when $2 = 'expire' then ${closes(condition)} end as close,
     (select min(t.not_before) from timer t
      where ${LAPSED} ${condition} and t.not_before > $5::timestamptz) as wall`;

const NEXT = statement<NextDue>('timers-next', next(''));
const NEXT_RENEWED = statement<NextDue>('timers-next-renewed', next(RENEWED));

const FAILED = statement<TimerRow & PrefixedChange>(
  'timers-failed',
  `select ${TIMER}, ${CHANGE_COLUMNS.map((column) => `c.${column} as change__${column}`).join(', ')}
   from timer t join change c on c.id = t.change_id
   where t.provider = $1 and t.change_id is not null and not t.given_up
     and c.finished_at is not null
   order by t.lifecycle_id limit $2`,
);

/** Locks timers in the order that all transactions use, and omits timers that have changed since they were read. */
const MOVE = statement<{ is_ours: boolean }>(
  'move-timers',
  `with ${OWNER('$2')}, wanted as materialized (
     select r.* from json_to_recordset($1::json) as r(
       lifecycle_id text, lapses_at timestamptz, generation integer, change_id uuid,
       to_generation integer, to_failures integer, to_not_before timestamptz, to_change_id uuid, to_given_up boolean)
   ), held as materialized (
     select t.lifecycle_id from timer t
     where t.lifecycle_id = any($3) and exists (select from owner)
     order by t.lifecycle_id for no key update
   ), moved as (
     update timer t
     set generation = w.to_generation, failures = w.to_failures, not_before = w.to_not_before, change_id = w.to_change_id,
         given_up = w.to_given_up
     from wanted w join held h on h.lifecycle_id = w.lifecycle_id
     where t.lifecycle_id = w.lifecycle_id and t.lifecycle_id = any($3) and t.lapses_at = w.lapses_at
       and t.generation = w.generation and t.change_id is not distinct from w.change_id
   )
   select true as is_ours from owner`,
);

const HOLD = statement<TimerRow>(
  'hold-timer',
  `select ${TIMER} from timer t where t.lifecycle_id = $1 for no key update`,
);

const MOVE_HELD = statement<never>(
  'move-held-timer',
  `update timer set generation = $2, failures = $3, not_before = $4, change_id = $5, given_up = $6
   where lifecycle_id = $1`,
);

/** See `Tx.timer`. */
export async function holdTimer(session: Session, lifecycleId: LifecycleId): Promise<Timer | null> {
  const [row] = await session.run(HOLD, [lifecycleId]);
  return row === undefined ? null : timerFromRow(row);
}

/** See `Tx.moveTimer`. */
export const sendTimer = (session: Session, { seen, to }: TimerMove): void =>
  session.send(MOVE_HELD, [
    seen.lifecycleId,
    to.generation,
    to.failures,
    to.notBefore,
    to.changeId,
    to.isGivenUp,
  ]);

type Side = 'provider' | 'app_user';

/** Selects the timers of a party as provider or as user; each side has an index. */
const ofSide = (side: Side, party: Party) =>
  side === 'provider'
    ? sql<SqlBool>`t.provider = ${party}`
    : sql<SqlBool>`l.kind in ('license', 'renewal') and l.app_user = ${party} and l.app_user <> ''
        and l.ended_at is null and t.provider <> ${party}`;

const STATES: Readonly<Record<NonNullable<TimerPageQuery['state']>, Expression<SqlBool>>> = {
  waiting: sql`t.change_id is null`,
  fired: sql`t.change_id is not null and not t.given_up`,
  'given-up': sql`t.given_up`,
};

function pageOfSide({ party, kind, state, after, limit }: TimerPageQuery, side: Side) {
  let query = build
    .selectFrom('timer as t')
    .innerJoin('lifecycle as l', 'l.id', 't.lifecycle_id')
    .select(TIMER_COLUMNS.map((column) => `t.${column}` as const))
    .select(['l.contract_id', 'l.app_user', 'l.license_num', 'l.state'])
    .where(ofSide(side, party))
    .orderBy('t.lapses_at')
    .orderBy('t.lifecycle_id')
    .limit(limit);
  if (kind !== undefined) query = query.where('t.kind', '=', kind);
  if (state !== undefined) query = query.where(STATES[state]);
  if (after === undefined) return query;
  const { lapsesAt, lifecycleId } = after;
  return query.where(sql<SqlBool>`(t.lapses_at, t.lifecycle_id) > (${lapsesAt}, ${lifecycleId})`);
}

const pageOf = (query: TimerPageQuery) =>
  build
    .selectFrom(
      build
        .selectFrom(pageOfSide(query, 'provider').as('p'))
        .selectAll()
        .unionAll(build.selectFrom(pageOfSide(query, 'app_user').as('u')).selectAll())
        .as('t'),
    )
    .selectAll()
    .orderBy('lapses_at')
    .orderBy('lifecycle_id')
    .limit(query.limit);

export type ViewRow = InferResult<ReturnType<typeof pageOf>>[number];

type TimerRow = Pick<Row<'timer'>, (typeof TIMER_COLUMNS)[number]>;
interface DueRow {
  readonly is_ours: boolean;
}
type PrefixedChange = {
  readonly [Column in (typeof CHANGE_COLUMNS)[number] as `change__${Column}`]: ChangeRow[Column];
};

const timerFromRow = (row: TimerRow): Timer => ({
  lifecycleId: trusted<LifecycleId>(row.lifecycle_id),
  kind: row.kind,
  provider: trusted<Party>(row.provider),
  lapsesAt: row.lapses_at,
  openUntil: row.open_until,
  isNeverRenewed: row.never_renewed,
  generation: row.generation,
  failures: row.failures,
  notBefore: row.not_before,
  changeId: row.change_id === null ? null : trusted<ChangeId>(row.change_id),
  isGivenUp: row.given_up,
});

export const viewFromRow = (row: ViewRow): TimerView => ({
  ...timerFromRow(row),
  contractId: trusted<ContractId>(row.contract_id),
  appUser: trusted<Party>(row.app_user),
  licenseNum: row.license_num,
  state: row.state,
});

const moveToJson = ({ seen, to }: TimerMove) => ({
  lifecycle_id: seen.lifecycleId,
  lapses_at: seen.lapsesAt,
  generation: seen.generation,
  change_id: seen.changeId,
  to_generation: to.generation,
  to_failures: to.failures,
  to_not_before: to.notBefore,
  to_change_id: to.changeId,
  to_given_up: to.isGivenUp,
});

const dueValues = ({
  provider,
  kind,
  lapsedBy,
  closedBy,
  wallNow,
}: DueQuery): readonly unknown[] => [provider, kind, lapsedBy, closedBy, wallNow];

const isWithSuspended = ({ withSuspended = false }: DueQuery): boolean => withSuspended;

/** Reads the result: no row means that the lease is not held, and a row without a timer that nothing is due. */
const dueFrom = (rows: readonly (TimerRow & DueRow)[]): Timer[] | null =>
  rows.length === 0
    ? null
    : rows.flatMap((row) =>
        (row.lifecycle_id as string | null) === null ? [] : timerFromRow(row),
      );

/** @param pool opened with `pipelined`; the caller closes it */
export function createTimers(pool: Pool): Timers {
  const run = <R>(io: Io, query: Statement<R>, values: readonly unknown[]): Promise<R[]> =>
    onConnection(pool, io, (session) => session.run(query, values), 'by-key');
  return {
    async underWay(provider, prefixes, io) {
      const [row] = await run(io, UNDER_WAY, [provider, prefixes]);
      return {
        changes: (row?.changes ?? []).map((id) => trusted<ChangeId>(id)),
        ledgerTime: row?.ledger_time ?? null,
      };
    },
    async due(query, limit, leaseEpoch, io) {
      const asked = query.withNeverRenewed ? DUE : DUE_RENEWED;
      const values = [...dueValues(query), leaseEpoch, limit, isWithSuspended(query)];
      return dueFrom(await run(io, asked, values));
    },
    async payable(query, limit, leaseEpoch, io) {
      return dueFrom(await run(io, PAYABLE, [...dueValues(query), leaseEpoch, limit]));
    },
    async nextDue(query, io) {
      const asked = query.withNeverRenewed ? NEXT : NEXT_RENEWED;
      const [row] = await run(io, asked, [...dueValues(query), isWithSuspended(query)]);
      return { lapse: row?.lapse ?? null, close: row?.close ?? null, wall: row?.wall ?? null };
    },
    async failed(provider, limit, io) {
      const rows = await run(io, FAILED, [provider, limit]);
      return rows.map((row) => ({ timer: timerFromRow(row), change: changeOf(row) }));
    },
    async move(moves, leaseEpoch, io) {
      const ids = moves.map(({ seen }) => seen.lifecycleId);
      const values = [JSON.stringify(moves.map(moveToJson)), leaseEpoch, ids];
      const rows = await transact(pool, io, (session) => session.run(MOVE, values));
      return rows.length > 0;
    },
    async page(query, io) {
      const rows = await onConnection(pool, io, (session) => session.ask(pageOf(query)));
      return rows.map(viewFromRow);
    },
  };
}

function changeOf(row: PrefixedChange): Change {
  const columns = CHANGE_COLUMNS.map((column) => [column, row[`change__${column}`]]);
  return changeFromRow(Object.fromEntries(columns) as ChangeRow);
}
