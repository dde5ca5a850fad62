import type { Pool } from 'pg';
import type { Alarm, Alarms } from '../../app/ports/alarms.ts';
import type { Io } from '../../app/ports/io.ts';
import { CLOCK_LEASE } from '../../app/ports/leases.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { CRITICAL_WAITS } from '../../domain/alarm.ts';
import type { ChangeId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Row } from '../../../migrations/schema.ts';
import { ARRIVALS_CHANNEL } from '../sql/channels.ts';
import type { Statement } from '../sql/statement.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const EVENT_TIME = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"';

/** SQL: the severity of an alarm by its kind, as `severityOf` returns it. `$3` has the critical kinds. */
const severity = (kind: string): string =>
  `case when ${kind} = any($3::text[]) then 'critical' else 'warning' end`;

/**
 * This is one statement, so that either everything happens under the lease or nothing: a process without the lease
 * gets no row. The lock on the lease keeps other processes from taking the lease until the commit.
 *
 * The events are written with the alarms, so that each alarm that begins or ends has one. An alarm that becomes
 * critical has another event. Operators of the change's provider see them.
 */
const REPLACE = statement<{ raised: string[]; cleared: string[]; is_told: boolean }>(
  'replace-alarms',
  `with owner as materialized (
     select 1 from lease where name = '${CLOCK_LEASE}' and epoch = $2 for share
   ), found as (
     select r.* from json_to_recordset($1::json) as r(change_id uuid, kind text, since timestamptz, detail text)
   ), before as materialized (
     select change_id, kind from alarm
   ), gone as (
     delete from alarm a using owner
     where not exists (select from found f where f.change_id = a.change_id)
     returning a.change_id, a.kind, a.since, a.detail
   ), risen as (
     insert into alarm (change_id, kind, since, detail)
     select f.change_id, f.kind, f.since, f.detail from found f, owner
     on conflict (change_id) do update set kind = excluded.kind, since = excluded.since, detail = excluded.detail
     where (alarm.kind, alarm.since, alarm.detail) is distinct from (excluded.kind, excluded.since, excluded.detail)
     returning change_id, kind, since, detail, xmax = 0 as is_new
   ), told as (
     select 'tenure.alarm.cleared' as type, g.* from gone g
     union all
     select 'tenure.alarm.raised', r.change_id, r.kind, r.since, r.detail
     from risen r left join before b on b.change_id = r.change_id
     where r.is_new or r.kind = any($3::text[]) and not b.kind = any($3::text[])
   ), arrivals as (
     insert into arrival (events)
     select jsonb_agg(jsonb_build_object(
       'type', t.type, 'subject', c.id, 'lifecycle_id', c.lifecycle_id, 'parties', jsonb_build_array(c.provider),
       'data', jsonb_build_object(
         'operationId', c.id, 'commandId', c.command_id, 'operation', c.operation, 'provider', c.provider,
         'kind', t.kind, 'severity', ${severity('t.kind')}, 'since', to_char(t.since at time zone 'UTC', '${EVENT_TIME}'), 'detail', t.detail)))
     from told t join change c on c.id = t.change_id having count(*) > 0
   )
   select coalesce((select array_agg(change_id::text) from risen where is_new), '{}') as raised,
          coalesce((select array_agg(change_id::text) from gone), '{}') as cleared,
          exists (select from told) as is_told
   from owner`,
);

const alarmsWhere = (condition: string): string =>
  `select a.change_id, a.kind, a.since, a.detail, a.raised_at
   from alarm a join change c on c.id = a.change_id
   where ${condition} order by a.raised_at, a.change_id limit $1`;

const LISTS: Readonly<Record<OpsScope['of'] | 'all', Statement<Row<'alarm'>>>> = {
  all: statement<Row<'alarm'>>('alarms-of-all', alarmsWhere('true')),
  provider: statement<Row<'alarm'>>('alarms-of-provider', alarmsWhere('c.provider = $2')),
  caller: statement<Row<'alarm'>>('alarms-of-caller', alarmsWhere('c.caller_party = $2')),
};

/** @param pool the caller closes it */
export function createAlarms(pool: Pool): Alarms {
  return {
    async replace(alarms, leaseEpoch, io: Io) {
      const rows = alarms.map(({ changeId, kind, since, detail }) => ({
        change_id: changeId,
        kind,
        since,
        detail,
      }));
      const values = [JSON.stringify(rows), leaseEpoch, CRITICAL_WAITS];
      const row = await transact(pool, io, async (session) => {
        const [replaced] = await session.run(REPLACE, values);
        if (replaced?.is_told === true) session.announce(ARRIVALS_CHANNEL, '');
        return replaced;
      });
      if (row === undefined) return null;
      const isRaised = new Set(row.raised);
      return {
        raised: alarms.filter(({ changeId }) => isRaised.has(changeId)),
        cleared: row.cleared.map((id) => trusted<ChangeId>(id)),
      };
    },
    async list(limit, io, scope): Promise<readonly Alarm[]> {
      const list = LISTS[scope?.of ?? 'all'];
      const values = scope === undefined ? [limit] : [limit, scope.party];
      const rows = await onConnection(pool, io, (session) => session.run(list, values));
      return rows.map((row) => ({
        changeId: trusted<ChangeId>(row.change_id),
        kind: row.kind,
        since: row.since,
        detail: row.detail,
        raisedAt: row.raised_at,
      }));
    },
  };
}
