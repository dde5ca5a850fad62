import type { Pool } from 'pg';
import type { ClockReport, NewestOwn, ClockReports, TimeWanted } from '../../app/ports/clocks.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import { STORE_LIMITS } from '../limits.ts';
import { isoAfter } from '../../domain/time.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

interface ReportedRow {
  readonly at: string;
  readonly sent_at: string | null;
  readonly effective_at: string | null;
  readonly record_time: string | null;
}

const earlierRuns = (condition: string): string => `exists (
  select from process_clock p
  where p.job_format is null and ${condition}
    and p.seen_at > now() - ${STORE_LIMITS.clockReportMsMax} * interval '1 millisecond')`;

/**
 * SQL: whether a worker is running that understands only jobs with one operation, on one queue. Processes of these
 * earlier versions report only the columns that are read here.
 */
export const EARLIER_WORKER_RUNS = earlierRuns(`'worker' = any(string_to_array(p.roles, ','))`);

/** SQL: whether any process of such an earlier version is running. */
export const EARLIER_PROCESS_RUNS = earlierRuns('true');

/** Matches workflow IDs that Tenure made, see `workflowIdOf`. Workflow IDs of other applications may be any text. */
const OURS = '^tenure-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/**
 * Reports a process's clock and returns the database's time, in one round trip. The report also says that the process
 * understands job format 2, in which a job may hold several operations, on several queues. The database's clock is read
 * last, so that its value is from about the middle of the round trip.
 */
const REPORT = statement<ReportedRow>(
  'report-clock',
  `with gone as (
     delete from process_clock where seen_at < now() - $6::integer * interval '1 millisecond' and process <> $1
   ), told as (
     insert into process_clock (process, roles, seen_at, ahead_ms, uncertain_ms, ledger_apart_ms, job_format)
     values ($1, $2, clock_timestamp(), $3, $4, $5, 2)
     on conflict (process) do update
     set seen_at = excluded.seen_at, ahead_ms = excluded.ahead_ms, uncertain_ms = excluded.uncertain_ms,
         ledger_apart_ms = excluded.ledger_apart_ms
   ), newest as materialized (
     select u.effective_at, u.record_time, a.at as sent_at
     from (select * from ledger_update order by "offset" desc limit $7) u
     cross join lateral (
       select min(a.at) as at from attempt a
       where a.change_id = case when u.workflow_id ~ '${OURS}' then substr(u.workflow_id, 8)::uuid end
     ) a
     where u.effective_at is not null and a.at is not null
     order by u."offset" desc limit 1
   )
   select clock_timestamp() as at, n.sent_at, n.effective_at, n.record_time
   from (select 1) one left join newest n on true`,
);

const FORGET = statement<never>('forget-clock', 'delete from process_clock where process = $1');

const WANT = statement<never>(
  'want-time',
  `insert into time_wanted as w (participant, record_time) values ($1, $2)
   on conflict (participant) do update set record_time = excluded.record_time
   where w.record_time < excluded.record_time`,
);

const WANTED = statement<{ record_time: string }>(
  'wanted-time',
  `select w.record_time from time_wanted w
   where w.participant = $1 and not exists (
     select from query_store_offset o where o.stream = '${UPDATES_STREAM}' and o.record_time >= w.record_time)`,
);

const newestIn = (row: ReportedRow | undefined): NewestOwn | null =>
  row?.sent_at == null || row.effective_at === null || row.record_time === null
    ? null
    : { sentAt: row.sent_at, effectiveAt: row.effective_at, recordTime: row.record_time };

/** @param pool the caller closes it */
export const createClockReports = (pool: Pool): ClockReports => ({
  async report({ process, roles, difference, ledgerApartMs }: ClockReport, io) {
    const [row] = await onConnection(pool, io, (session) =>
      session.run(REPORT, [
        process,
        roles,
        difference?.aheadMs ?? null,
        difference?.uncertainMs ?? null,
        ledgerApartMs,
        STORE_LIMITS.clockReportMsMax,
        STORE_LIMITS.clockUpdatesMax,
      ]),
    );
    return { at: row?.at ?? '', newest: newestIn(row) };
  },
  async forget(process, io) {
    await onConnection(pool, io, (session) => session.run(FORGET, [process]));
  },
});

/** @param pool the caller closes it */
export const createTimeWanted = (pool: Pool): TimeWanted => ({
  async ask(participant, recordTimeMs, io) {
    const at = isoAfter(recordTimeMs);
    await onConnection(pool, io, (session) => session.run(WANT, [participant, at]));
  },
  async wanted(participant, io) {
    const [row] = await onConnection(pool, io, (session) => session.run(WANTED, [participant]));
    return row?.record_time ?? null;
  },
});
