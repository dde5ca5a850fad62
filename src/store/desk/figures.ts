import type { Pool } from 'pg';
import type { BulkAction } from '../../app/desk/bulk-acts.ts';
import type { Figures } from '../../app/desk/figures.ts';
import type { Io } from '../../app/ports/io.ts';
import type { TimerKind } from '../../domain/automatic.ts';
import type { ChangeState } from '../../domain/change.ts';
import { DISABLED_BY_PARTY } from '../../domain/webhook.ts';
import { STORE_LIMITS } from '../limits.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Statement } from '../sql/statement.ts';
import { statement } from '../sql/statement.ts';
import type { PauseScope } from '../../domain/pause.ts';
import { readParticipantCauses } from '../engine/participant-causes.ts';
import { onConnection } from '../sql/transact.ts';
import { readStandbys } from './standbys.ts';

/*
 * Counts open work for monitoring. Everything is found through indexes that contain only open rows, and counts stop at
 * `STORE_LIMITS.figuresCountedMax`, so that the cost of a reading does not grow with the number of finished operations.
 */

/**
 * The number of open changes with one state. Heads and queued changes each have an index of their own, so that no
 * finished rows are read.
 */
interface OpenRow {
  readonly state: ChangeState;
  readonly number: bigint;
  readonly oldest_s: number | null;
}

const OPEN = statement<OpenRow>(
  'figures-open',
  `select h.state, count(*) as number,
          extract(epoch from clock_timestamp() - min(h.accepted_at))::float8 as oldest_s
   from (select state, accepted_at from change
         where state in ('submitting', 'retrying', 'in-doubt') limit ${STORE_LIMITS.figuresCountedMax}) h
   group by h.state
   union all
   select 'queued', count(*), extract(epoch from clock_timestamp() - min(q.accepted_at))::float8
   from (select accepted_at from change where state = 'queued' limit ${STORE_LIMITS.figuresCountedMax}) q`,
);
/** Dispatching an effect postpones its due time, so an effect that is due has not been taken by a relay. */
const EFFECTS = statement<{ open: bigint; due: bigint; late_s: number | null; held: bigint }>(
  'figures-effects',
  `select count(*) as open, count(*) filter (where e.due_at <= clock_timestamp()) as due,
          extract(epoch from clock_timestamp() - min(e.due_at))::float8 as late_s,
          (select count(*) from (select from effect where held_at is not null limit ${STORE_LIMITS.figuresCountedMax}) h) as held
   from (select due_at from effect where done_at is null and held_at is null
         order by due_at limit ${STORE_LIMITS.figuresCountedMax}) e`,
);
const PAUSES = statement<{ scope: PauseScope; number: bigint }>(
  'figures-pauses',
  'select scope, count(*) as number from pause group by scope',
);
/**
 * Counts timers by kind: those that have not fired, and those that a policy would fire at the ledger's last known time.
 * A separate index contains the timers on which no policy acts, so that they are not read.
 */
const TIMERS = statement<{
  kind: TimerKind;
  waiting: bigint;
  due: bigint;
  late_s: number | null;
  given_up: bigint;
}>(
  'figures-timers',
  `with now as materialized (
     select record_time as at from query_store_offset where stream = 'updates'
   ), rule as materialized (
     select 'expire' as kind, provider, grace_ms * interval '1 millisecond' as grace, include_never_renewed as is_all
     from expiry_policy where mode = 'on' and not paused
     union all
     select 'withdraw', provider, interval '0', true from renewal_policy where withdraw_lapsed
   )
   select k.kind,
          (select count(*) from (select from timer t where t.change_id is null and t.kind = k.kind
                                 limit ${STORE_LIMITS.figuresCountedMax}) w) as waiting,
          (select count(*) from (select from timer t where t.given_up and t.kind = k.kind
                                   and t.failures >= ${LIMITS.timerFailuresMax}
                                 limit ${STORE_LIMITS.figuresCountedMax}) g) as given_up,
          coalesce(sum(d.due), 0)::bigint as due, max(d.late_s) as late_s
   from (values ('expire'), ('withdraw')) as k(kind)
     left join rule r on r.kind = k.kind
     left join lateral (
       select count(*) as due, extract(epoch from n.at - min(x.lapses_at) - r.grace)::float8 as late_s
       from now n cross join lateral (
         (select t.lapses_at from timer t
          where t.provider = r.provider and t.kind = r.kind and t.change_id is null and not t.never_renewed
            and t.lapses_at <= n.at - r.grace and (t.open_until is null or t.open_until <= n.at)
            and (t.not_before is null or t.not_before <= clock_timestamp())
          order by t.lapses_at limit ${STORE_LIMITS.figuresCountedMax})
         union all
         (select t.lapses_at from timer t
          where r.is_all and t.provider = r.provider and t.kind = r.kind and t.change_id is null and t.never_renewed
            and t.lapses_at <= n.at - r.grace and (t.open_until is null or t.open_until <= n.at)
            and (t.not_before is null or t.not_before <= clock_timestamp())
          order by t.lapses_at limit ${STORE_LIMITS.figuresCountedMax})
       ) x group by n.at) d on true
   group by k.kind`,
);
const LOST = statement<{ count: bigint }>(
  'figures-lost',
  `select count(*) as count from tombstone where recorded_at > now() - $1 * interval '1 millisecond'`,
);
const ALARMS = statement<{ kind: string; number: bigint }>(
  'figures-alarms',
  'select kind, count(*) as number from alarm group by kind',
);
const STREAMS = statement<{ stream: string; offset: bigint; record_age_s: number | null }>(
  'figures-streams',
  `select stream, "offset", extract(epoch from clock_timestamp() - record_time)::float8 as record_age_s
   from query_store_offset`,
);
interface WebhooksRow {
  readonly enabled: bigint;
  readonly failing: bigint;
  readonly disabled: bigint;
  readonly by_party: bigint;
  readonly failing_long: bigint;
  readonly waiting: bigint;
  readonly oldest_s: number | null;
}
/** Deliveries to a disabled webhook do not count, because they are not tried. */
const WEBHOOKS = statement<WebhooksRow>(
  'figures-webhooks',
  `with hook as materialized (
     select id, is_enabled, failures, disabled_reason, failing_since from webhook limit ${STORE_LIMITS.figuresCountedMax}
   ), waiting as materialized (
     select from hook h cross join lateral (
       select from delivery where webhook_id = h.id and state = 'pending'
       limit ${STORE_LIMITS.figuresCountedMax}) d
     where h.is_enabled limit ${STORE_LIMITS.figuresCountedMax}
   )
   select count(*) filter (where h.is_enabled) as enabled,
          count(*) filter (where h.is_enabled and h.failures > 0) as failing,
          count(*) filter (where h.disabled_reason <> '${DISABLED_BY_PARTY}') as disabled,
          count(*) filter (where h.disabled_reason = '${DISABLED_BY_PARTY}') as by_party,
          count(*) filter (where h.failing_since < now() - ${STORE_LIMITS.webhookAlarmMs} * interval '1 millisecond'
            and h.disabled_reason is distinct from '${DISABLED_BY_PARTY}') as failing_long,
          (select count(*) from waiting) as waiting,
          (select extract(epoch from clock_timestamp() - min(o.created_at))::float8
           from hook h cross join lateral (
             select created_at from delivery where webhook_id = h.id and state = 'pending'
             order by created_at limit 1) o
           where h.is_enabled) as oldest_s
   from hook h`,
);
const BULK_ACTS = statement<{ action: BulkAction; running: bigint; left: bigint }>(
  'figures-bulk-acts',
  `select a.action, count(*) as running, sum(i.number)::bigint as left
   from bulk_act a cross join lateral (
     select count(*) as number from (
       select from bulk_item b where b.act_id = a.id and b.state = 'waiting' limit ${STORE_LIMITS.figuresCountedMax}) w) i
   where a.state = 'running' group by a.action`,
);
const LEASES = statement<{ name: string; left_s: number }>(
  'figures-leases',
  'select name, extract(epoch from expires_at - clock_timestamp())::float8 as left_s from lease',
);

const webhooksFrom = (row: WebhooksRow | undefined): Figures['webhooks'] => ({
  enabled: Number(row?.enabled ?? 0n),
  failing: Number(row?.failing ?? 0n),
  disabled: Number(row?.disabled ?? 0n),
  disabledByParty: Number(row?.by_party ?? 0n),
  failingLong: Number(row?.failing_long ?? 0n),
  waiting: Number(row?.waiting ?? 0n),
  oldestSeconds: Math.max(0, row?.oldest_s ?? 0),
});

const operationsFrom = ({ state, number, oldest_s: oldestSeconds }: OpenRow) => ({
  state,
  number: Number(number),
  oldestSeconds,
});

export const readFigures = (pool: Pool, io: Io): Promise<Figures> =>
  onConnection(pool, io, async (session) => {
    const ask = <Row>(asked: Statement<Row>) => session.run(asked);
    const [
      open,
      [effects],
      timers,
      pauses,
      participantCauses,
      alarms,
      streams,
      [hooks],
      acts,
      leases,
      [lost],
      standbys,
    ] = await Promise.all([
      ask(OPEN),
      ask(EFFECTS),
      ask(TIMERS),
      ask(PAUSES),
      readParticipantCauses(session),
      ask(ALARMS),
      ask(STREAMS),
      ask(WEBHOOKS),
      ask(BULK_ACTS),
      ask(LEASES),
      session.run(LOST, [LIMITS.tombstoneAlarmMs]),
      readStandbys(session),
    ]);
    return {
      lostOperations: Number(lost?.count ?? 0n),
      asynchronousStandbys: standbys.wanted === '' ? standbys.following : 0,
      operations: open.map(operationsFrom),
      effects: {
        open: Number(effects?.open ?? 0n),
        due: Number(effects?.due ?? 0n),
        held: Number(effects?.held ?? 0n),
        lateSeconds: Math.max(0, effects?.late_s ?? 0),
      },
      timers: timers.map(({ kind, waiting, due, late_s: lateSeconds, given_up: givenUp }) => ({
        kind,
        waiting: Number(waiting),
        due: Number(due),
        lateSeconds: Math.max(0, lateSeconds ?? 0),
        givenUp: Number(givenUp),
      })),
      pauses: pauses.map(({ scope, number }) => ({ scope, number: Number(number) })),
      participantCauses,
      alarms: alarms.map(({ kind, number }) => ({ kind, number: Number(number) })),
      streams: streams.map(({ stream, offset, record_age_s: recordAgeSeconds }) => ({
        stream,
        offset: Number(offset),
        recordAgeSeconds,
      })),
      webhooks: webhooksFrom(hooks),
      bulkActs: acts.map(({ action, running, left }) => ({
        action,
        running: Number(running),
        left: Number(left),
      })),
      leases: leases.map(({ name, left_s: leftSeconds }) => ({ name, leftSeconds })),
    };
  });
