import { PostgresConnection, PostgresQueueBackend, quoteSchemaName } from 'bullmq';
import { Client } from 'pg';
import type { QueueBackend, QueueLink } from './backend.ts';
import { closeQuietly } from './bounded.ts';
import { createMender } from './mender.ts';
import type { Mendable } from './mender.ts';
import { lookAtSchema, makeWhole, wrongWith } from './postgres-schema.ts';
import { QueueStartError, errorCode, withoutSecrets } from './queue-error.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import { queueNameOf } from './shards.ts';
import { errorText } from '../domain/error-text.ts';

export interface PostgresBackendOptions {
  /** A PostgreSQL connection string. `options` in its query are used as well. */
  readonly databaseUrl: string;
  /** The separate schema with BullMQ's tables. It is created and migrated here. */
  readonly schema?: string;
  /** Interval of the checks of the storage. @default `QUEUE_LIMITS.lookMs` */
  readonly lookMs?: number;
  /** The client class, for example one that finds the primary among several servers. @default the driver's */
  readonly client?: typeof Client;
}

export const POSTGRES_SCHEMA = 'tenure_queue';
const QUEUE_CONNECTIONS = QUEUE_LIMITS.queueConnections;
/** The pool, and one connection on which a worker waits for notifications. */
const WORKER_CONNECTIONS = QUEUE_LIMITS.workerConnections + 1;

/**
 * Settings of every connection of the queue. If the server crashes, losing the last transactions does no harm, because
 * all work is in the outbox: a lost job is dispatched again, and a job that reappears is recognised as done.
 */
const SESSION = '-c synchronous_commit=off -c jit=off';

interface ConnectionConfig {
  readonly connectionString: string;
  readonly options: string;
  readonly Client: typeof Client;
}

/**
 * BullMQ sets the search path through the `options` of a connection. The `options` of a URL would override it, so they
 * are moved there.
 */
function connectionConfig({
  databaseUrl,
  client = Client,
}: PostgresBackendOptions): ConnectionConfig {
  const [before = '', ...after] = databaseUrl.split('?');
  const query = new URLSearchParams(after.join('?'));
  const options = query.get('options');
  query.delete('options');
  return {
    connectionString: query.size === 0 ? before : `${before}?${query.toString()}`,
    options: options === null ? SESSION : `${options} ${SESSION}`,
    Client: client,
  };
}

const NO_CONNECTIONS_LEFT = '53300';
/** SQLSTATE codes: authentication failed, unknown database, missing rights. */
const NOT_LET_IN: readonly string[] = ['28000', '28P01', '3D000', '42501'];

function startError(error: unknown, where: string): QueueStartError {
  if (error instanceof QueueStartError) return error;
  const code = errorCode(error);
  if (code === NO_CONNECTIONS_LEFT) {
    return new QueueStartError(
      'QUEUE_CONNECTIONS_SHORT',
      `PostgreSQL at ${where} has no free connection for the queue, which needs up to ` +
        `${QUEUE_CONNECTIONS + WORKER_CONNECTIONS}: raise max_connections or close other connections`,
      { cause: error },
    );
  }
  const why =
    code !== null && NOT_LET_IN.includes(code)
      ? 'does not allow the user of the queue to connect'
      : 'cannot be used';
  return new QueueStartError(
    'QUEUE_UNREACHABLE',
    `PostgreSQL at ${where} ${why}: ${errorText(error)}`,
    { cause: error },
  );
}

/**
 * Throws an error that names the number of missing connections, as long as one connection can still be opened. Whether
 * there are enough is certain only when all are open.
 */
async function checkHeadroom(client: Client, where: string): Promise<void> {
  const { rows } = await client.query<{ limit: number; used: number }>(`
    select current_setting('max_connections')::int
             - case when rolsuper then 0
                    else current_setting('superuser_reserved_connections')::int
                       + coalesce(nullif(current_setting('reserved_connections', true), '')::int, 0)
               end as "limit",
           (select sum(numbackends)::int from pg_stat_database) as used
      from pg_roles where rolname = current_user`);
  const [row] = rows;
  if (row === undefined) return;
  // The connection that runs this query is included in `used` and will be closed.
  const free = row.limit - row.used + 1;
  const needed = QUEUE_CONNECTIONS + WORKER_CONNECTIONS;
  if (free < needed) {
    throw new QueueStartError(
      'QUEUE_CONNECTIONS_SHORT',
      `PostgreSQL at ${where} has ${free} of ${row.limit} free connections, but the queue needs ` +
        `${needed}: raise max_connections or close other connections`,
    );
  }
}

/** Runs a function with a separate connection. */
async function withClient<T>(
  { Client: Connecting, ...config }: ConnectionConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Connecting({
    ...config,
    application_name: 'tenure-queue',
    connectionTimeoutMillis: QUEUE_LIMITS.connectMs,
    // The timeout is long because a migration may wait for one in another process.
    query_timeout: QUEUE_LIMITS.startMs,
    statement_timeout: QUEUE_LIMITS.startMs,
  });
  // If the connection breaks between two statements, the next statement fails, so this event needs no handling.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await closeQuietly(client.end(), QUEUE_LIMITS.connectMs);
  }
}

/** @returns why the tables had to be created again, or `null` */
async function prepare(
  config: ConnectionConfig,
  schema: string,
  where: string,
): Promise<string | null> {
  try {
    return await withClient(config, async (client) => {
      await checkHeadroom(client, where);
      return makeWhole(client, schema, null);
    });
  } catch (error) {
    throw startError(error, where);
  }
}

const mendable = (config: ConnectionConfig, schema: string): Mendable => ({
  look: () => withClient(config, async (client) => wrongWith(await lookAtSchema(client, schema))),
  makeAnew: (because, isSure) =>
    withClient(
      config,
      async (client) => (await makeWhole(client, schema, { because, isSure })) !== null,
    ),
});

/**
 * Classes of SQLSTATE that indicate damaged storage: a missing object or column, an unsuitable value, a violated
 * constraint, an internal error. Errors about connections, resources and locks do not indicate damage.
 */
const OF_DAMAGE: readonly string[] = ['0A', '22', '23', '3F', '42', 'XX'];
const isOfDamage = (error: unknown): boolean =>
  OF_DAMAGE.includes(errorCode(error)?.slice(0, 2) ?? '');

/** BullMQ's PostgreSQL backend, changed so that it tolerates an outage. */
class SteadyPostgresBackend extends PostgresQueueBackend {
  /**
   * Waits a moment after a failed fetch, before the worker fetches again. BullMQ 6.7 fetches again at once after every
   * failure except ECONNREFUSED, which uses a whole processor core while a Unix socket is missing, or while the server
   * starts or has no free connection.
   */
  override async moveToActive(token: string, name?: string): Promise<unknown[]> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, QUEUE_LIMITS.retryMs));
      throw error;
    }
  }

  /** Logs a failed check and leaves it to the next one; after an error, the worker would pause its checks for 5 s. */
  override async moveStalledJobsToWait(): Promise<string[]> {
    try {
      return await super.moveStalledJobsToWait();
    } catch (error) {
      this.emit('error', error);
      return [];
    }
  }

  /** In seconds. BullMQ would wait for an hour if the server's wake-up was lost; this limit shortens the delay. */
  override get maximumBlockTimeout(): number {
    return QUEUE_LIMITS.idlePollMs / 1_000;
  }
}

async function open(connection: PostgresConnection, poolMax: number, listens: boolean) {
  await connection.waitUntilReady();
  // All queries run at the same time, so that each opens a connection. The pool keeps them open, so none is missing
  // later.
  await Promise.all(
    Array.from({ length: poolMax }, () => connection.pool.query('select pg_backend_pid()')),
  );
  if (listens) await connection.getListenClient();
}

/**
 * Creates BullMQ's backend on PostgreSQL, for deployments of any size without Redis. Connects, checks that there are
 * enough connections, and migrates BullMQ's schema, so that queues and workers created on it find everything ready:
 * BullMQ 6.7 neither recovers from a failed start nor reports it.
 *
 * @throws QueueStartError
 */
export async function postgresBackend(
  options: PostgresBackendOptions,
  log: QueueLog,
): Promise<QueueBackend> {
  const schema = options.schema ?? POSTGRES_SCHEMA;
  try {
    quoteSchemaName(schema);
  } catch (error) {
    throw new QueueStartError('QUEUE_UNSUITABLE', errorText(error), { cause: error });
  }
  const where = withoutSecrets(options.databaseUrl);
  const config = connectionConfig(options);
  const anew = await prepare(config, schema, where);
  if (anew !== null) log.warn({ because: anew }, 'recreated the queue');
  const mender = createMender(mendable(config, schema), log, options.lookMs);

  return {
    kind: 'postgres',
    adds: 'flows',
    async connect(side, _log, shard = 0): Promise<QueueLink> {
      const poolMax = side === 'worker' ? QUEUE_LIMITS.workerConnections : QUEUE_CONNECTIONS;
      const connection = new PostgresConnection({
        ...config,
        schema,
        application_name: 'tenure-queue',
        max: poolMax,
        // Connections stay open: opening one would take the next job longer than everything else.
        idleTimeoutMillis: 0,
        keepAlive: true,
        connectionTimeoutMillis: QUEUE_LIMITS.connectMs,
        query_timeout: QUEUE_LIMITS.commandMs,
        statement_timeout: QUEUE_LIMITS.commandMs,
      });
      // As of 6.7, BullMQ creates the connection for notifications with the driver's own client; this replaces the
      // client class.
      Reflect.set(connection, 'pgModule', { Client: config.Client });
      try {
        await open(connection, poolMax, side === 'worker');
      } catch (error) {
        await closeQuietly(connection.close(), QUEUE_LIMITS.connectMs);
        throw startError(error, where);
      }
      const listenName = side === 'worker' ? queueNameOf(shard) : undefined;
      // All shards are in one schema, so one worker checks it.
      const endWatch = side === 'worker' && shard === 0 ? mender.watch() : () => undefined;
      return {
        heed(error) {
          if (isOfDamage(error)) mender.suspect(error);
        },
        // BullMQ closes the connection together with the queue or worker.
        factory: (name, opts) =>
          new SteadyPostgresBackend(
            connection,
            name,
            { ...opts, connection: connection.pool },
            true,
            listenName,
          ),
        release() {
          endWatch();
          return connection.close();
        },
      };
    },
  };
}
