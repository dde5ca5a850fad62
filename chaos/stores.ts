import { join } from 'node:path';
import type { EmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import { startEmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import { startPostgresPair } from '../embedded/postgres/pair.ts';
import type { RedisCluster } from '../embedded/redis-cluster.ts';
import { startRedisCluster } from '../embedded/redis-cluster.ts';
import type { LocalRedis } from '../embedded/redis.ts';
import { startLocalRedis } from '../embedded/redis.ts';
import { DatabasePair } from './database-pair.ts';
import type { TcpProxy, Target } from './tcp-proxy.ts';
import type { Service, WorldOptions } from './world.ts';

/**
 * The servers for the data and the queue of a chaos run; a member is `null` if there is no such server, or if the run
 * has not started it.
 */
export interface Stores {
  readonly databaseUrl: string | null;
  readonly postgres: EmbeddedPostgres | null;
  readonly pair: DatabasePair | null;
  readonly redis: LocalRedis | null;
  readonly cluster: RedisCluster | null;
}

/** The services among these servers that processes reach through proxies. */
type StoreService = Extract<Service, 'postgres' | 'postgres-2' | 'redis'>;

async function startDatabase(
  { folder, size, databaseUrl, signal }: WorldOptions,
  stack: AsyncDisposableStack,
): Promise<Pick<Stores, 'databaseUrl' | 'postgres' | 'pair'>> {
  if (databaseUrl !== undefined) return { databaseUrl, postgres: null, pair: null };
  if (size === 'ha') {
    const servers = stack.use(await startPostgresPair(undefined, join(folder, 'postgres')));
    const pair = new DatabasePair(servers);
    await pair.begin();
    return { databaseUrl: null, postgres: null, pair };
  }
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), signal });
  stack.defer(() => postgres.stop());
  return { databaseUrl: null, postgres, pair: null };
}

async function startQueue(
  { folder, size, queue, searchPath, signal }: WorldOptions,
  stack: AsyncDisposableStack,
): Promise<Pick<Stores, 'redis' | 'cluster'>> {
  if (queue === 'postgres') return { redis: null, cluster: null };
  if (size === 'ha')
    return { redis: null, cluster: stack.use(await startRedisCluster(searchPath)) };
  const redis = await startLocalRedis({ dataDir: join(folder, 'redis'), searchPath, signal });
  stack.defer(() => redis.stop());
  return { redis, cluster: null };
}

/** Starts the servers of the database and of the queue. Both are stopped when the stack is disposed of. */
export async function startStores(
  options: WorldOptions,
  stack: AsyncDisposableStack,
): Promise<Stores> {
  const starting = [startDatabase(options, stack), startQueue(options, stack)] as const;
  // Waits until both have started or failed. If one failed while the other was still starting, the other would not be
  // stopped.
  await Promise.allSettled(starting);
  const [database, queue] = await Promise.all(starting);
  return { ...database, ...queue };
}

/** The address of the server that takes writes, without a proxy. */
export const writableUrl = ({ databaseUrl, postgres, pair }: Stores): string =>
  databaseUrl ?? pair?.primaryUrl ?? postgres?.url ?? '';

/** Returns the addresses for a process that connects directly. */
export function addressesOf(stores: Stores): Readonly<Record<string, string>> {
  const redisUrl = stores.cluster?.url ?? stores.redis?.url;
  return {
    DATABASE_URL: stores.pair?.url ?? writableUrl(stores),
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
  };
}

/** Returns the address of a server as a target of a proxy. */
function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? join(host, `.s.PGSQL.${port}`) : Number(port);
}

export function storeTargets(stores: Stores): Readonly<Record<StoreService, Target>> {
  const [one = writableUrl(stores), other = null] =
    stores.pair?.servers.map(({ url }) => url) ?? [];
  return {
    postgres: targetOf(one),
    'postgres-2': other === null ? 0 : targetOf(other),
    redis: stores.redis?.url ?? 0,
  };
}

/**
 * Returns the addresses for a process that connects through its proxies. Nodes of a cluster have no proxies, because
 * they tell clients their own addresses.
 */
export function addressesThrough(
  stores: Stores,
  ways: Readonly<Record<StoreService, TcpProxy>>,
): Readonly<Record<string, string>> {
  const { pair, redis, cluster } = stores;
  const through = new URL(writableUrl(stores));
  through.hostname = '127.0.0.1';
  through.port = String(ways.postgres.port);
  const [one, other] = [ways.postgres, ways['postgres-2']].map(({ port }) => `127.0.0.1:${port}`);
  const url =
    pair === null
      ? through.href
      : through.href.replace(`@${one}`, `@${one},${other}`) + '?target_session_attrs=read-write';
  return {
    ...addressesOf(stores),
    DATABASE_URL: url,
    ...(redis === null || cluster !== null
      ? {}
      : { REDIS_URL: `redis://127.0.0.1:${ways.redis.port}` }),
  };
}
