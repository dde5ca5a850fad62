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
  /** A PostgreSQL connection string; `options` in its query are kept. */
  readonly databaseUrl: string;
  /** Where BullMQ's tables live: a schema of their own. Created and migrated here. */
  readonly schema?: string;
  /** Interval of the checks of the storage. @default `QUEUE_LIMITS.lookMs` */
  readonly lookMs?: number;
  /** The client class: one that finds the primary among several servers. @default the driver's */
  readonly client?: typeof Client;
}

export const POSTGRES_SCHEMA = 'tenure_queue';
const QUEUE_CONNECTIONS = QUEUE_LIMITS.queueConnections;
/** The pool and the connection on which a worker waits for notifications. */
const WORKER_CONNECTIONS = QUEUE_LIMITS.workerConnections + 1;

/**
 * Settings of every connection of the queue. It may forget its last moments when the server crashes: what is to be done
 * is in the outbox, and a job that is forgotten or comes back is dispatched again or recognised as done.
 */
const SESSION = '-c synchronous_commit=off -c jit=off';

interface ConnectionConfig {
  readonly connectionString: string;
  readonly options: string;
  readonly Client: typeof Client;
}

/** BullMQ sets the search path through `options`, and a URL's own `options` would win over that. */
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
/** Authentication, unknown database, unknown role. */
const NOT_LET_IN: readonly string[] = ['28000', '28P01', '3D000', '42501'];

function startError(error: unknown, where: string): QueueStartError {
  if (error instanceof QueueStartError) return error;
  const code = errorCode(error);
  if (code === NO_CONNECTIONS_LEFT) {
    return new QueueStartError(
      'QUEUE_CONNECTIONS_SHORT',
      `PostgreSQL at ${where} has no connection left for the queue, which needs up to ` +
        `${QUEUE_CONNECTIONS + WORKER_CONNECTIONS}: raise max_connections or close other clients`,
      { cause: error },
    );
  }
  const why =
    code !== null && NOT_LET_IN.includes(code) ? 'does not let the queue in' : 'cannot be used';
  return new QueueStartError(
    'QUEUE_UNREACHABLE',
    `PostgreSQL at ${where} ${why}: ${errorText(error)}`,
    { cause: error },
  );
}

/** Says how many are missing while a connection is still to be had; opening them all is the proof. */
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
  // The asking connection is counted as used and will be closed.
  const free = row.limit - row.used + 1;
  const needed = QUEUE_CONNECTIONS + WORKER_CONNECTIONS;
  if (free < needed) {
    throw new QueueStartError(
      'QUEUE_CONNECTIONS_SHORT',
      `PostgreSQL at ${where} has ${free} of ${row.limit} connections left and the queue needs ` +
        `${needed}: raise max_connections or close other clients`,
    );
  }
}

/** Runs a function with a connection of its own, after checking that enough connections are left. */
async function withClient<T>(
  { Client: Connecting, ...config }: ConnectionConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Connecting({
    ...config,
    application_name: 'tenure-queue',
    connectionTimeoutMillis: QUEUE_LIMITS.connectMs,
    // A migration may wait for another process that migrates.
    query_timeout: QUEUE_LIMITS.startMs,
    statement_timeout: QUEUE_LIMITS.startMs,
  });
  // A connection that breaks between two statements fails the next statement.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await closeQuietly(client.end(), QUEUE_LIMITS.connectMs);
  }
}

/** @returns why the tables had to be created anew, or `null` */
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
 * Classes of SQLSTATE that indicate damaged storage: a missing object or column, an unsuitable value, a constraint, an
 * internal error. Errors about connections, resources and locks do not.
 */
const OF_DAMAGE: readonly string[] = ['0A', '22', '23', '3F', '42', 'XX'];
const isOfDamage = (error: unknown): boolean =>
  OF_DAMAGE.includes(errorCode(error)?.slice(0, 2) ?? '');

/** BullMQ's PostgreSQL backend, made to bear an outage. */
class SteadyPostgresBackend extends PostgresQueueBackend {
  /**
   * A fetch that fails waits a moment before the worker fetches again. As of 6.7 the worker does so at once for every
   * failure but ECONNREFUSED, which keeps a core busy while a Unix socket is away, a server starts up, or it has no
   * connection left.
   */
  override async moveToActive(token: string, name?: string): Promise<unknown[]> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, QUEUE_LIMITS.retryMs));
      throw error;
    }
  }

  /** A check that fails is reported and left to the next; the worker would pause its checks for 5 s. */
  override async moveStalledJobsToWait(): Promise<string[]> {
    try {
      return await super.moveStalledJobsToWait();
    } catch (error) {
      this.emit('error', error);
      return [];
    }
  }

  /** Seconds. BullMQ would sleep an hour if the server never told it of work; a lost wake-up shall cost less. */
  override get maximumBlockTimeout(): number {
    return QUEUE_LIMITS.idlePollMs / 1_000;
  }
}

async function open(connection: PostgresConnection, poolMax: number, listens: boolean) {
  await connection.waitUntilReady();
  // All at the same time, so that each opens a connection: they are kept, so none is missing later.
  await Promise.all(
    Array.from({ length: poolMax }, () => connection.pool.query('select pg_backend_pid()')),
  );
  if (listens) await connection.getListenClient();
}

/**
 * BullMQ on PostgreSQL, for any size that has no Redis. Connects, checks that there are enough connections, and
 * migrates BullMQ's schema, so that queues and workers built on it find everything in place: BullMQ 6.7 neither
 * recovers from a failed start nor reports it.
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
  if (anew !== null) log.warn({ because: anew }, 'the queue was made anew');
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
        // Kept open: reopening costs the next job more than all the rest of its way.
        idleTimeoutMillis: 0,
        keepAlive: true,
        connectionTimeoutMillis: QUEUE_LIMITS.connectMs,
        query_timeout: QUEUE_LIMITS.commandMs,
        statement_timeout: QUEUE_LIMITS.commandMs,
      });
      // The connection on which it waits to be told is made by the driver's own client as of 6.7.
      Reflect.set(connection, 'pgModule', { Client: config.Client });
      try {
        await open(connection, poolMax, side === 'worker');
      } catch (error) {
        await closeQuietly(connection.close(), QUEUE_LIMITS.connectMs);
        throw startError(error, where);
      }
      const listenName = side === 'worker' ? queueNameOf(shard) : undefined;
      // All of them are in one schema.
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
