import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { SchemaState } from '../../app/ports/schema-state.ts';
import type { ChangeState, WaitingFor } from '../../domain/change.ts';
import { LIMITS } from '../../domain/limits.ts';
import { STORE_LIMITS } from '../limits.ts';
import { readTombstones } from '../engine/tombstones.ts';
import { DatabaseOutageError } from '../sql/database-outage.ts';
import { MIGRATIONS_FOLDER, readMigrations } from '../sql/migrate.ts';
import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';
import { readParticipantCauses } from '../engine/participant-causes.ts';
import { onConnection, transact } from '../sql/transact.ts';
import { LEASES, STREAMS } from '../engine/upkeep.ts';
import { readStandbys } from './standbys.ts';

/* Reads the state of the database for its administrators. Nothing that it writes remains after the transaction. */

const SERVER = plannedAnew<{
  version: string;
  at: string;
  recovering: boolean;
  durable: string;
  notify_usage: number | null;
}>(
  'server',
  `select current_setting('server_version') as version, clock_timestamp() as at,
          pg_is_in_recovery() as recovering, current_setting('synchronous_commit') as durable,
          case when not pg_is_in_recovery() then pg_notification_queue_usage() end as notify_usage`,
);
const HAS_MIGRATIONS = plannedAnew<{ there: boolean }>(
  'has-migrations',
  `select to_regclass('migration') is not null as there`,
);
const MIGRATIONS = plannedAnew<{ number: number; sha256: string }>(
  'migrations',
  'select number, sha256 from migration order by number',
);

async function schemaOf(session: Session): Promise<SchemaState> {
  const known = await readMigrations(MIGRATIONS_FOLDER);
  const newest = known.length;
  const [has] = await session.run(HAS_MIGRATIONS);
  const applied = has?.there === true ? await session.run(MIGRATIONS) : [];
  const number = applied.at(-1)?.number ?? 0;
  const changed = known.find((migration, i) => {
    const row = applied[i];
    return row !== undefined && row.sha256 !== migration.sha256;
  });
  if (changed !== undefined) return { kind: 'changed', fileName: changed.fileName };
  if (number > newest) return { kind: 'ahead', number, newest };
  return number < newest ? { kind: 'behind', number, newest } : { kind: 'current', number };
}

/**
 * Tries a write. Like every write, it takes a page on disk, an entry in the log, a lock and a place in the NOTIFY
 * queue, all of which end with the transaction. It does not wait for a standby: a separate query shows whether other
 * commits wait.
 */
const PROBE = `set local synchronous_commit = local;
   create temporary table tenure_probe (n integer) on commit drop;
   insert into tenure_probe values (1);
   notify tenure_probe`;

/**
 * Returns why the database accepts no writes and what to do about it. Returns `null` if it accepts writes, or if this
 * role may not try.
 */
async function refusalOf(pool: Pool, io: Io): Promise<{ words: string; todo: string } | null> {
  try {
    await transact(pool, io, (session) => session.script(PROBE));
    return null;
  } catch (error) {
    if (error instanceof DatabaseOutageError) return { words: error.words, todo: error.todo };
    io.signal.throwIfAborted();
    return null;
  }
}

/**
 * Reads the state of the server and of its schema; works with every version of the schema. All times are the server's.
 */
export async function readServer(pool: Pool, io: Io) {
  const server = await lookAtServer(pool, io);
  return { ...server, refusal: server.isReplica ? null : await refusalOf(pool, io) };
}

const lookAtServer = (pool: Pool, io: Io) =>
  onConnection(pool, io, async (session) => {
    const askedAtMs = Date.now();
    const [server] = await session.run(SERVER);
    const answeredAtMs = Date.now();
    const standbys = await readStandbys(session);
    return {
      version: server?.version ?? '',
      at: server?.at ?? '',
      /** This process's time in the middle between request and answer. */
      ourAtMs: (askedAtMs + answeredAtMs) / 2,
      isReplica: server?.recovering ?? false,
      isDurable: server?.durable !== 'off',
      notifyUsage: server?.notify_usage ?? 0,
      standbys,
      schema: await schemaOf(session),
    };
  });

const OUTBOX = plannedAnew<{ open: bigint; due: bigint; oldest_ms: number | null }>(
  'vital-outbox',
  `select count(*) as open, count(*) filter (where due_at <= clock_timestamp()) as due,
          (extract(epoch from clock_timestamp() - min(due_at)) * 1000)::float8 as oldest_ms
   from effect where done_at is null and held_at is null`,
);
const OPEN = plannedAnew<{ state: ChangeState; number: bigint }>(
  'vital-states',
  `select state, count(*) as number from change
   where state in ('submitting', 'retrying', 'in-doubt') group by state
   union all
   select 'queued', count(*) from change where state = 'queued' having count(*) > 0`,
);
const IN_DOUBT = plannedAnew<OperationRow>(
  'vital-doubts',
  `select id, command_id, operation, waiting_for from change
   where state = 'in-doubt' order by accepted_at limit $1`,
);
const ALARMS = plannedAnew<AlarmRow>(
  'vital-alarms',
  `select c.id, c.command_id, c.operation, a.kind, a.since, a.detail
   from alarm a join change c on c.id = a.change_id order by a.since limit $1`,
);

/** Reads the clock reports of running processes: an older report is from a process that has ended. */
const CLOCKS = plannedAnew<ClockRow>(
  'clocks',
  `select process, roles, ahead_ms, uncertain_ms, ledger_apart_ms from process_clock
   where seen_at > clock_timestamp() - $1::integer * interval '1 millisecond' order by process`,
);

interface ClockRow {
  readonly process: string;
  readonly roles: string;
  readonly ahead_ms: number | null;
  readonly uncertain_ms: number | null;
  readonly ledger_apart_ms: number | null;
}

interface OperationRow {
  readonly id: string;
  readonly command_id: string;
  readonly operation: string;
  readonly waiting_for: WaitingFor | null;
}

interface AlarmRow extends Omit<OperationRow, 'waiting_for'> {
  readonly kind: string;
  readonly since: string;
  readonly detail: string;
}

/** Returns the clock of each running process, as measured by that process. Needs the schema of this version. */
export const readClocks = (pool: Pool, io: Io) =>
  onConnection(pool, io, async (session) => {
    const rows = await session.run(CLOCKS, [STORE_LIMITS.clockReportMsMax]);
    return rows.map(({ process, roles, ...row }) => ({
      process,
      roles,
      difference:
        row.ahead_ms === null || row.uncertain_ms === null
          ? null
          : { aheadMs: row.ahead_ms, uncertainMs: row.uncertain_ms },
      ledgerApartMs: row.ledger_apart_ms,
    }));
  });

/** Reads how far the streams, the outbox and the operations have come. Needs the schema of this version. */
export const readVitals = (pool: Pool, io: Io) =>
  onConnection(pool, io, async (session) => {
    const [streams, leases, outbox, open, inDoubt, alarms, participantCauses, lost] =
      await Promise.all([
        session.run(STREAMS),
        session.run(LEASES),
        session.run(OUTBOX),
        session.run(OPEN),
        session.run(IN_DOUBT, [STORE_LIMITS.vitalsListedMax]),
        session.run(ALARMS, [STORE_LIMITS.vitalsListedMax]),
        readParticipantCauses(session),
        readTombstones(session, LIMITS.tombstoneAlarmMs),
      ]);
    return {
      lost,
      participantCauses,
      streams: streams.map(({ record_time: recordTime, ...row }) => ({ ...row, recordTime })),
      leases: leases.map(({ expires_at: expiresAt, held: isHeld, ...row }) => ({
        ...row,
        expiresAt,
        isHeld,
      })),
      outbox: {
        open: Number(outbox[0]?.open ?? 0n),
        due: Number(outbox[0]?.due ?? 0n),
        oldestDueMs: Math.max(0, outbox[0]?.oldest_ms ?? 0),
      },
      operations: new Map(open.map(({ state, number }) => [state, Number(number)])),
      inDoubt: inDoubt.map((row) => ({
        changeId: row.id,
        commandId: row.command_id,
        operation: row.operation,
        detail: row.waiting_for?.detail ?? '',
        since: row.waiting_for?.since ?? '',
      })),
      overdue: alarms.map((row) => ({
        changeId: row.id,
        commandId: row.command_id,
        operation: row.operation,
        kind: row.kind,
        detail: row.detail,
        since: row.since,
      })),
    };
  });
