import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Client, Pool } from 'pg';
import type { Logger } from 'pino';
import type { Io } from '../app/ports/io.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { judgeStandbys } from '../doctor/judge-servers.ts';
import { errorLine } from '../domain/error-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { readConnections } from '../store/desk/connections.ts';
import { readStandbys } from '../store/desk/standbys.ts';
import { readClocks } from '../store/desk/vitals.ts';
import { createQueueShards } from '../store/engine/queue-shards.ts';
import { STORE_LIMITS } from '../store/limits.ts';
import { readDatabaseUrl, withoutPassword } from '../store/sql/database-url.ts';
import { MigrationRefusedError, migrate } from '../store/sql/migrate.ts';
import { isSameDatabase, mayChangeSchema } from '../store/sql/run-time-role.ts';
import type { Replica } from '../store/sql/replica.ts';
import { ForeignReplicaError, openReplica } from '../store/sql/replica.ts';
import { refusePooler } from '../store/sql/pooler.ts';
import { openPool } from '../store/sql/pool.ts';
import { sumOfShares } from '../store/sql/shares.ts';
import type { ServerClientConfig } from '../store/sql/server-client.ts';
import { ServerClient } from '../store/sql/server-client.ts';
import { GRANT_TELLING, serversOf } from '../store/sql/servers.ts';
import { TIMELINES } from '../store/sql/timelines.ts';
import { usualFor } from '../store/sql/usual.ts';
import { onConnection } from '../store/sql/transact.ts';
import { ConfigError } from './config.ts';
import type { Config, ProcessRole } from './config.ts';
import type { ConnectionNeeds, ConnectionSum } from './connections.ts';
import { MORE_CONNECTIONS, connectionsOf, shareSizes, shortOfConnections } from './connections.ts';
import { MAIN_LIMITS } from './limits.ts';

/* Opens a process's database: checks of the server, and the pool that the store uses. */

/** The file in the data folder with the newest timelines that were seen, for later processes. */
const TIMELINES_FILE = 'database-timelines.json';

/**
 * Reads which promotions earlier processes have seen, and stores those that this process sees.
 *
 * @throws Error if the stored file cannot be read
 */
export async function recallTimelines(
  dataDir: string,
  onFailure: (words: string) => void,
): Promise<void> {
  await TIMELINES.keepIn(join(dataDir, TIMELINES_FILE), (error) => onFailure(errorLine(error)));
}

/** Opens one connection to the primary, for a command. */
export async function connectToDatabase(
  config: Pick<ServerClientConfig, 'connectionString' | 'application_name'>,
): Promise<Client> {
  const client = new ServerClient({ ...config, pinsSchema: true });
  await client.connect();
  return client;
}

/** Migrates the database and opens the store's pool. */
export async function openDatabase(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<Pool> {
  const { databaseUrl: url } = config;
  await recallTimelines(config.dataDir, (error) =>
    log.warn({ error }, 'the file with known promotions of database servers cannot be written'),
  );
  await refusePooler(url);
  const applied = await migrated(config, log, signal);
  if (applied.length > 0) log.info({ applied }, 'migrated the database');
  const shares = shareSizes(config.roles, config.databasePool);
  const pool = await openPool({
    url,
    max: sumOfShares(shares),
    shares,
    usual: usualFor(url, availableParallelism()),
    applicationName: `tenure-${[...config.roles].join('-')}`,
    pipelined: true,
    statementTimeoutMs: LIMITS.databaseStatementMs,
    idleInTransactionTimeoutMs: LIMITS.databaseStatementMs,
    onConnectionLost: (error) => log.warn({ error: error.message }, 'lost a database connection'),
    signal,
  });
  try {
    await refuseSchemaOwner(config, pool, 'DATABASE_URL');
    await warnUnfenced(pool, log);
    await warnOfStandbys(pool, log);
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/**
 * Migrates the database. If the configured role must not change the schema, waits until the migration job has done so.
 *
 * @returns the migrations that this call applied
 */
async function migrated(
  { databaseUrl: url, schemaOwnerRefusal }: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const untilMs = performance.now() + MAIN_LIMITS.migrationWaitMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await migrate({ url, signal });
    } catch (error) {
      const isDenied = error instanceof MigrationRefusedError && error.code === 'DENIED';
      if (!isDenied || schemaOwnerRefusal === null || performance.now() > untilMs) throw error;
      if (tries === 0) log.info({ reason: error.message }, 'waiting for the migration job');
      await sleep(MAIN_LIMITS.migrationLookMs, signal);
    }
  }
}

/** @throws ConfigError in production if the role may change the schema, unless the exception is listed */
async function refuseSchemaOwner(
  { schemaOwnerRefusal }: Config,
  pool: Pool,
  setting: string,
): Promise<void> {
  if (schemaOwnerRefusal === null || !(await mayChangeSchema(pool))) return;
  throw new ConfigError([schemaOwnerRefusal(setting)]);
}

/**
 * Returns the pool for retention: a pool of one connection if retention has its own database role, otherwise the
 * store's pool.
 *
 * @throws ConfigError if the role may change the schema in production, or if the URL names another database
 */
export async function openRetentionPool(
  config: Config,
  primary: Pool,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Pool> {
  const { retentionUrl: url, roles } = config;
  if (url === null || !roles.has('clock')) return primary;
  const pool = await openPool({
    url,
    max: 1,
    applicationName: 'tenure-retention',
    // The run-time role may create a schema with the name of this role. The default search path would use that schema
    // first.
    schema: 'public',
    pipelined: true,
    statementTimeoutMs: LIMITS.databaseStatementMs,
    idleInTransactionTimeoutMs: LIMITS.databaseStatementMs,
    signal,
  });
  stack.defer(() => pool.end());
  await refuseSchemaOwner(config, pool, 'DATABASE_RETENTION_URL');
  if (await isSameDatabase(primary, pool)) return pool;
  throw new ConfigError([
    'DATABASE_RETENTION_URL and DATABASE_URL name different databases: both must name the same one',
  ]);
}

/** Warns at each start if this process could not recognise a server that has missed a promotion. */
export async function warnUnfenced(pool: Pool, log: Pick<Logger, 'warn'>): Promise<void> {
  const io = { signal: new AbortController().signal, deadlineMs: STORE_LIMITS.connectMs };
  const system = await onConnection(pool, io, async (session) => session.system);
  if (system !== null) return;
  const todo = GRANT_TELLING;
  log.warn(
    { todo },
    'the database role cannot read promotions, so Tenure cannot detect a server that missed a promotion',
  );
}

/** Logs at each start the doctor's findings about the standbys of the database. */
export async function warnOfStandbys(pool: Pool, log: Pick<Logger, 'warn'>): Promise<void> {
  const io = { signal: new AbortController().signal, deadlineMs: STORE_LIMITS.connectMs };
  const findings = judgeStandbys(await onConnection(pool, io, readStandbys));
  for (const { level, what, todo } of findings) if (level === 'wrong') log.warn({ todo }, what);
}

/** Returns the replica for searches and counts; `null` if none is configured. */
export function replicaOf(
  config: Config,
  primary: Pool,
  log: Logger,
  stack: AsyncDisposableStack,
): Replica | null {
  const { replicaUrl: url } = config;
  if (url === null) return null;
  const over = new AbortController();
  const replica = openReplica({
    primary,
    open: () =>
      openPool({
        url,
        serves: 'readers',
        max: MAIN_LIMITS.replicaPool,
        applicationName: 'tenure-replica',
        pipelined: true,
        statementTimeoutMs: LIMITS.databaseStatementMs,
        signal: over.signal,
      }),
    onUnused: (error) =>
      log.warn(
        { error: errorLine(error) },
        'the replica is unavailable, so the primary answers its queries',
      ),
  });
  stack.defer(async () => {
    over.abort();
    await replica.close();
  });
  return replica;
}

/**
 * Checks that the replica belongs to the primary's cluster. If it is unreachable now, it is checked at its first use.
 *
 * @throws ForeignReplicaError with one line for the person who started the process
 */
export async function refuseForeignReplica(
  { replicaUrl: url, roles }: Pick<Config, 'replicaUrl' | 'roles'>,
  primary: Pool,
  signal: AbortSignal,
): Promise<void> {
  if (url === null || !roles.has('api')) return;
  const open = () =>
    openPool({ url, serves: 'readers', max: 1, applicationName: 'tenure-replica', signal });
  const replica = openReplica({ primary, open, onUnused: () => undefined });
  try {
    await replica.behindBytes({ signal, deadlineMs: STORE_LIMITS.serverAskMs });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ForeignReplicaError) throw error;
  } finally {
    await replica.close();
  }
}

type Sizes = Pick<Config, 'databasePool' | 'queue' | 'retentionUrl'>;

/** Returns the values on which the number of a process's connections depends, with the current number of queues. */
async function connectionNeeds(config: Sizes, pool: Pool, io: Io): Promise<ConnectionNeeds> {
  const { shards } = await createQueueShards(pool).read(io);
  return {
    databasePool: config.databasePool,
    hasQueue: config.queue.kind === 'postgres',
    hasRetention: config.retentionUrl !== null,
    shards,
  };
}

/**
 * Returns the sum of the connections of all running processes and of one further process with these roles, if each has
 * this configuration.
 */
export async function sumConnections(
  config: Sizes,
  pool: Pool,
  io: Io,
  more: readonly ProcessRole[] = [],
): Promise<ConnectionSum> {
  const [state, running, needs] = await Promise.all([
    readConnections(pool, io),
    readClocks(pool, io),
    connectionNeeds(config, pool, io),
  ]);
  const all = running.map(({ roles }) => roles.split(',') as ProcessRole[]);
  if (more.length > 0) all.push([...more]);
  return {
    wanted: all.reduce((sum, roles) => sum + connectionsOf(roles, needs), 0),
    processes: all.length,
    usable: state.usable,
    others: state.others,
  };
}

/**
 * Compares the wanted number of connections with the server's. A process that could never get its own connections is
 * refused. If only the sum of all processes is too large, that is logged, because during an upgrade the old processes
 * still hold theirs.
 *
 * @throws Error with one line for the person who started the process
 */
export async function checkConnections(
  config: Sizes & Pick<Config, 'roles'>,
  pool: Pool,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const io = { signal: new AbortController().signal, deadlineMs: MAIN_LIMITS.connectionSumMs };
  const sum = await sumConnections(config, pool, io, [...config.roles]);
  const needs = await connectionNeeds(config, pool, io);
  const own = connectionsOf([...config.roles], needs);
  const never = shortOfConnections({ wanted: own, processes: 1, usable: sum.usable, others: 0 });
  if (never !== null) throw new Error(`${never}. ${MORE_CONNECTIONS}`);
  const short = shortOfConnections(sum);
  if (short !== null) log.warn({ ...sum, todo: MORE_CONNECTIONS }, short);
}

/**
 * Asks all servers periodically for their role, if there are several. Otherwise a process whose connections work would
 * not notice a promotion, and would go on writing to a server that no other process reads.
 */
export function watchServers(url: string, log: Logger, stack: AsyncDisposableStack): void {
  const address = readDatabaseUrl(url);
  if (address === null || address.hosts.length === 1) return;
  const servers = serversOf(address);
  const stop = new AbortController();
  let primary = '';
  const watching = (async () => {
    while (!stop.signal.aborted) {
      try {
        const { host, port } = await servers.look();
        const found = `${host}:${port}`;
        if (found !== primary) log.info({ primary: found }, 'found the primary database server');
        primary = found;
      } catch (error) {
        if (primary !== '')
          log.warn({ error: errorLine(error) }, 'no primary database server was found');
        primary = '';
      }
      await sleep(STORE_LIMITS.serversLookMs, stop.signal);
    }
  })();
  stack.defer(async () => {
    stop.abort();
    await watching;
  });
}

/** Returns a database URL without its password, and the password, for programs that take the password separately. */
export const passwordApart = (
  url: string,
): { readonly url: string; readonly password: string } => ({
  url: withoutPassword(url),
  password: readDatabaseUrl(url)?.password ?? '',
});
