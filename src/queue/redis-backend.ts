import { createRedisBackend } from 'bullmq';
import type { QueueBackend, QueueLink } from './backend.ts';
import { closeQuietly } from './bounded.ts';
import { QueueStartError, withoutSecrets } from './queue-error.ts';
import { createMender } from './mender.ts';
import type { Mendable } from './mender.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import { infoField } from './redis-info.ts';
import { complaintsTo } from './queue-log.ts';
import type { RedisAddress, RedisClient, RedisSettings } from './redis-address.ts';
import {
  clusterAt,
  connectRedis,
  openRedis,
  parseRedisAddress,
  primariesOf,
  reconnectAfterMs,
} from './redis-address.ts';
import type { RedisPlace } from './redis-keys.ts';
import { deleteKeys, lookAtKeys } from './redis-keys.ts';
import { queueNameOf, shardPrefix } from './shards.ts';
import { errorText } from '../domain/error-text.ts';

export interface RedisBackendOptions {
  /** One server, a cluster or sentinels: see `parseRedisAddress`. Redis 6.2 or newer, or Valkey. */
  readonly url: string;
  /** Prefix of all keys. It is in braces, so that in a cluster all keys have the same slot. */
  readonly prefix?: string;
  /** Interval of the checks of the storage. @default `QUEUE_LIMITS.lookMs` */
  readonly lookMs?: number;
}

export const REDIS_PREFIX = '{tenure}';
const VERSION_MIN = [6, 2] as const;

const COMMON = {
  connectTimeout: QUEUE_LIMITS.connectMs,
  // A command that times out does not close its connection; only this option replaces a connection whose peer is lost.
  socketTimeout: QUEUE_LIMITS.silenceMs,
  // The server was a primary before; the new primary is found under the same name.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  lazyConnect: true,
} as const satisfies RedisSettings;

/**
 * Adding jobs must fail quickly instead of waiting: during this, the relay holds row locks, and it repeats a failed
 * round.
 */
const FAIL_FAST = {
  ...COMMON,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  commandTimeout: QUEUE_LIMITS.commandMs,
  retryStrategy: reconnectAfterMs,
} as const satisfies RedisSettings;

/** A worker waits for its server for any length of time; BullMQ requires `null` here. */
const WAIT_FOR_SERVER = {
  ...COMMON,
  maxRetriesPerRequest: null,
  retryStrategy: reconnectAfterMs,
} as const satisfies RedisSettings;

/** For the checks at the start: a failed connection is not retried. */
const ONCE = {
  ...FAIL_FAST,
  retryStrategy: () => null,
} as const satisfies RedisSettings;

/** Connects a client, and closes it if this fails; ioredis reports the reason only as an event. */
export async function connected(client: RedisClient, where: string): Promise<void> {
  let reason: unknown;
  client.on('error', (error) => {
    reason = error;
  });
  try {
    await connectRedis(client);
  } catch (error) {
    client.disconnect();
    throw new QueueStartError(
      'QUEUE_UNREACHABLE',
      `Redis at ${where} cannot be used: ${reasonOf(reason ?? error)}`,
      { cause: reason ?? error },
    );
  }
}

/** Returns the error's message. For an unreachable cluster, adds the message of the last node. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'lastNodeError' in error && error.lastNodeError !== undefined
    ? `${errorText(error)}: ${errorText(error.lastNodeError)}`
    : errorText(error);

function checkVersion(info: string, where: string): void {
  const valkey = infoField(info, 'valkey_version');
  const version = valkey ?? infoField(info, 'redis_version') ?? '0.0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = VERSION_MIN;
  if (major < majorMin || (major === majorMin && minor < minorMin)) {
    throw new QueueStartError(
      'QUEUE_UNSUITABLE',
      `Redis at ${where} has version ${version}, but the queue needs ${majorMin}.${minorMin} or newer`,
    );
  }
}

/**
 * Checks a server's version, role and settings: throws if it cannot hold the queue, and logs a warning for settings
 * that only cause delays.
 */
function inspect(info: string, where: string, log: QueueLog): void {
  checkVersion(info, where);
  if (infoField(info, 'role') === 'slave') {
    throw new QueueStartError(
      'QUEUE_UNSUITABLE',
      `Redis at ${where} is a replica and accepts no writes: set REDIS_URL to its primary`,
    );
  }
  const policy = infoField(info, 'maxmemory_policy');
  if (policy !== null && policy !== 'noeviction') {
    log.warn(
      { where, maxmemoryPolicy: policy },
      'Redis may delete jobs when its memory is full, which delays operations: set maxmemory-policy to noeviction',
    );
  }
  if (infoField(info, 'aof_enabled') === '0') {
    log.warn(
      { where },
      'Redis keeps no append-only file, so a restart delays the operations on the queue: set appendonly to yes',
    );
  }
}

/** The address of the queue's Redis. `siteOf` determines whether it is a cluster. */
interface Site {
  readonly address: RedisAddress;
  /** The address for people, without secrets. */
  readonly where: string;
}

/** Runs a function with a separate client. */
async function withProbe<T>(
  { address, where }: Site,
  work: (probe: RedisClient) => Promise<T>,
): Promise<T> {
  const probe = openRedis(address, { ...ONCE, connectionName: 'tenure-queue-probe' });
  await connected(probe, where);
  try {
    return await work(probe);
  } finally {
    await quit(probe);
  }
}

/** If the address is a node of a cluster, returns the address of the whole cluster. */
const siteOf = (site: Site): Promise<Site> =>
  site.address.kind === 'one'
    ? withProbe(site, async (probe) => {
        const isNode = infoField(await probe.info(), 'cluster_enabled') === '1';
        const [node] = primariesOf(probe);
        return isNode && node !== undefined ? { ...site, address: clusterAt(node) } : site;
      })
    : Promise.resolve(site);

const mendable = (site: Site, place: RedisPlace): Mendable => ({
  look: (closely) =>
    withProbe(site, (probe) => lookAtKeys(probe, place, closely ? 'all' : 'queue')),
  makeAnew: (because, isSure) =>
    withProbe(site, async (probe) => {
      // Another process may already have replaced the storage.
      if (!isSure && (await lookAtKeys(probe, place, 'all')) === null) return false;
      await deleteKeys(probe, place, because);
      return true;
    }),
});

/**
 * Messages of Redis or of a BullMQ script that indicate damaged storage: a key of a wrong type, or an invalid value.
 * Other refusals, such as exhausted memory, do not indicate damage.
 */
const OF_DAMAGE = /^WRONGTYPE|not an integer|user_script|Error running script|hash value/;
const isOfDamage = (error: unknown): boolean => OF_DAMAGE.test(errorText(error));

async function quit(client: RedisClient): Promise<void> {
  const asked = await closeQuietly(client.quit(), QUEUE_LIMITS.connectMs);
  if (!asked) client.disconnect();
}

/** Checks the servers. Deletes the first queue if it is damaged, so that it is created again. */
async function prepare(site: Site, place: RedisPlace, log: QueueLog): Promise<void> {
  await withProbe(site, async (probe) => {
    for (const node of primariesOf(probe)) inspect(await node.info(), site.where, log);
    const because = await lookAtKeys(probe, place, 'queue');
    if (because === null) return;
    await deleteKeys(probe, place, because);
    log.warn({ because }, 'recreated the queue');
  });
}

/**
 * Creates BullMQ's backend on Redis or Valkey. Connects once to check that the server can hold the queue, and logs
 * settings that would cause delays later.
 *
 * @throws QueueStartError
 */
export async function redisBackend(
  options: RedisBackendOptions,
  log: QueueLog,
): Promise<QueueBackend> {
  const address = parseRedisAddress(options.url);
  if (address === null) {
    throw new QueueStartError(
      'QUEUE_URL_INVALID',
      `the queue's address must be redis://…, rediss://…, redis+sentinel://… or the path of a socket`,
    );
  }
  const where = withoutSecrets(options.url);
  const placeOf = (shard: number): RedisPlace => ({
    prefix: shardPrefix(options.prefix ?? REDIS_PREFIX, shard),
    name: queueNameOf(shard),
  });
  let site: Site;
  try {
    site = await siteOf({ address, where });
    await prepare(site, placeOf(0), log);
  } catch (error) {
    if (error instanceof QueueStartError) throw error;
    throw new QueueStartError(
      'QUEUE_UNREACHABLE',
      `Redis at ${where} cannot be used: ${errorText(error)}`,
      { cause: error },
    );
  }

  return {
    kind: 'redis',
    // `bulk` adds all jobs in one pipeline.
    adds: 'bulk',
    async connect(side, connectLog, shard = 0): Promise<QueueLink> {
      const { prefix, ...place } = placeOf(shard);
      const mender = createMender(mendable(site, { prefix, ...place }), log, options.lookMs);
      const settings = side === 'worker' ? WAIT_FOR_SERVER : FAIL_FAST;
      const client = openRedis(site.address, {
        ...settings,
        connectionName: `tenure-queue-${side}`,
      });
      await connected(client, where);
      client.on('error', complaintsTo(connectLog, side));
      const endWatch = side === 'worker' ? mender.watch() : () => undefined;
      return {
        heed: (error) => {
          if (isOfDamage(error)) mender.suspect(error);
        },
        factory: (name, opts, extra) =>
          createRedisBackend(name, Object.assign({ prefix }, opts, { connection: client }), extra),
        release() {
          endWatch();
          return quit(client);
        },
      };
    },
  };
}
