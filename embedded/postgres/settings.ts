/** The role that owns the cluster, and the database that holds all data of Tenure. */
export const ROLE = 'tenure';
export const DATABASE = 'tenure';

/** Time limits of the launcher, far above the measured times (start 30 ms, initdb 0.8 s, stop 50 ms). */
export const BOUNDS = {
  probeMs: 5_000,
  initMs: 60_000,
  /** The timeout of a start, including crash recovery, which replays at most `max_wal_size`. */
  startMs: 60_000,
  /**
   * The timeout of a fast shutdown. After it, an immediate shutdown is requested, which has `quitMs` before a SIGKILL.
   */
  stopMs: 10_000,
  quitMs: 5_000,
  pollMs: 5,
  /** The pause before the second restart of a server that keeps dying, doubled each time, and the longest pause. */
  restartMsMin: 200,
  restartMsMax: 5_000,
  /** If a server ran for at least this long, its death is not counted as a repetition of the previous one. */
  steadyMs: 60_000,
  logBytesMax: 10 * 1024 * 1024,
} as const;

/**
 * How safely the server writes.
 *
 * - `full`: commits survive a power failure.
 * - `none`: no fsync, for tests whose data may be lost.
 */
export type Durability = 'full' | 'none';

/**
 * Server settings. They are passed on the command line, so that they always match the code, however old the data folder
 * is.
 *
 * The values suit a laptop on which the whole system has 450 MB: a small buffer pool (the operating system caches the
 * files anyway), no I/O worker processes, no parallel query (its start would cost more than Tenure's queries), one
 * autovacuum worker. The limit on connections is generous, because each BullMQ queue has a pool of its own and cannot
 * recover from a connection that is refused at its start.
 */
export function serverSettings(options: {
  readonly port: number;
  readonly socketDir: string | null;
  readonly durability: Durability;
}): readonly string[] {
  const settings: Record<string, string | number> = {
    port: options.port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: options.socketDir === null ? '' : quotedInList(options.socketDir),
    unix_socket_permissions: '0700',
    max_connections: 250,
    shared_buffers: '32MB',
    work_mem: '4MB',
    maintenance_work_mem: '32MB',
    effective_cache_size: '256MB',
    max_wal_size: '256MB',
    min_wal_size: '48MB',
    wal_buffers: '4MB',
    // There is one server without replicas, so the log contains only what crash recovery needs.
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_logical_replication_workers: 0,
    max_worker_processes: 2,
    max_parallel_workers: 0,
    max_parallel_workers_per_gather: 0,
    autovacuum_max_workers: 1,
    autovacuum_worker_slots: 2,
    io_method: 'sync',
    huge_pages: 'off',
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    // Rows contain other people's contracts, so an error is logged without the statement that caused it.
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] %q%u@%d %a ',
    ...DURABILITY[options.durability],
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Returns one element of a list setting in quotation marks, with which it may contain any characters. */
const quotedInList = (element: string): string => `"${element.replaceAll('"', '""')}"`;

const DURABILITY: Readonly<Record<Durability, Readonly<Record<string, string>>>> = {
  full: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  none: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
};

/**
 * The whole environment of the child processes. They inherit no variable: PGDATA, PGPORT and the like would redirect
 * the server, and the caller's locale would change its messages.
 */
export const CHILD_ENV: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};
