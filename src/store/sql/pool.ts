import { Pool } from 'pg';
import type { PoolConfig } from 'pg';
import { columnTypes } from './column-types.ts';
import { asUnreachable, assertDatabaseUrl } from './database-unreachable.ts';
import type { ServerClientConfig } from './server-client.ts';
import { ServerClient } from './server-client.ts';
import { watchSilence } from './silence.ts';
import type { ShareSizes } from './shares.ts';
import { keepShares } from './shares.ts';
import { keepUsual } from './usual.ts';
import { STORE_LIMITS } from '../limits.ts';

export interface PoolOptions {
  /** `postgresql://user:password@host:port,host:port/database?sslmode=…` */
  readonly url: string;
  /** See `ServerClientConfig`. */
  readonly serves?: 'primary' | 'readers';
  /** The maximum number of connections. Keep it small: a process has several pools, including those of BullMQ. */
  readonly max: number;
  /** How many connections are opened without waiting; see `keepUsual`. @default `max` */
  readonly usual?: number | null;
  /** Divides the connections among kinds of work; see `ConnectionShares`. @default not divided */
  readonly shares?: ShareSizes;
  /**
   * Whether statements are sent without waiting for earlier answers. This is useful only to callers that choose where
   * they wait, such as the store; for other callers it makes no difference.
   */
  readonly pipelined?: boolean;
  /** Shown in `pg_stat_activity` and in the server's log. */
  readonly applicationName: string;
  /** Timeout for opening a connection, and for waiting until one is free if all are in use. */
  readonly connectTimeoutMs?: number;
  /** The server ends a statement that runs longer than this. @default none, because a listener's streams never end */
  readonly statementTimeoutMs?: number;
  /**
   * The server ends a connection whose transaction is idle for longer than this, because the transaction's locks would
   * block others.
   */
  readonly idleInTransactionTimeoutMs?: number;
  /** Called for the log when an idle connection breaks. The pool has already replaced it. */
  readonly onConnectionLost?: (error: Error) => void;
  /**
   * The schema of the tables. @default the search path of the role. The parameter `options` of the URL overrides both.
   */
  readonly schema?: string;
  /** See `ServerClientConfig`. */
  readonly pinsSchema?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Opens a pool and its first connection. Column values are parsed as in `columnTypes`.
 *
 * @throws DatabaseUnreachableError; nothing is left open
 */
export async function openPool(options: PoolOptions): Promise<Pool> {
  options.signal.throwIfAborted();
  assertDatabaseUrl(options.url);
  const { statementTimeoutMs: statementMs, idleInTransactionTimeoutMs: idleMs } = options;
  const config: PoolConfig & ServerClientConfig = {
    Client: ServerClient,
    connectionString: options.url,
    serves: options.serves ?? 'primary',
    max: options.max,
    pipeline: options.pipelined ?? false,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? STORE_LIMITS.connectMs,
    idleTimeoutMillis: STORE_LIMITS.idleConnectionMs,
    keepAlive: true,
    types: columnTypes,
    pinsSchema: options.pinsSchema ?? false,
    ...(options.schema === undefined ? {} : { options: `-c search_path=${options.schema}` }),
    ...(statementMs === undefined
      ? {}
      : // The second timeout is the client's own, for a server or network that has become silent.
        {
          statement_timeout: statementMs,
          query_timeout: statementMs + STORE_LIMITS.answerGraceMs,
        }),
    ...(idleMs === undefined ? {} : { idle_in_transaction_session_timeout: idleMs }),
  };
  const pool = new Pool(config);
  watchSilence(pool);
  if (options.shares !== undefined) keepShares(pool, options.shares);
  if (options.usual != null) keepUsual(pool, { usual: options.usual });
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', (error) => {
    // The driver attaches the whole client, including its password, and the listener writes a log.
    Reflect.deleteProperty(error, 'client');
    options.onConnectionLost?.(asUnreachable(error, options.url) ?? error);
  });
  try {
    await pool.query('select 1');
    options.signal.throwIfAborted();
    return pool;
  } catch (error) {
    await pool.end();
    throw asUnreachable(error, options.url) ?? error;
  }
}

/**
 * Closes a pool after its connections were returned.
 *
 * @throws Error if some connections are still in use after `withinMs`, because their users hang or never returned them
 */
export async function closePool(pool: Pool, withinMs: number): Promise<void> {
  const inUse = () => pool.totalCount - pool.idleCount;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(new Error(`${inUse()} database connections are still in use after ${withinMs} ms`)),
      withinMs,
    );
  });
  try {
    await Promise.race([pool.end(), late]);
  } finally {
    clearTimeout(timer);
  }
}
