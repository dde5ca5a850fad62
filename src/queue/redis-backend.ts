import { createRedisBackend } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { Redis } from 'ioredis';
import type { QueueBackend, QueueLink } from './backend.ts';
import { closeQuietly } from './bounded.ts';
import { QueueStartError, withoutSecrets } from './queue-error.ts';
import { createMender } from './mender.ts';
import type { Mendable } from './mender.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import { infoField } from './redis-info.ts';
import { complaintsTo } from './queue-log.ts';
import { deleteKeys, lookAtKeys } from './redis-keys.ts';
import { errorText } from '../domain/error-text.ts';

export interface RedisBackendOptions {
  /** `redis://…`, `rediss://…` (TLS) or the absolute path of a Unix socket. Redis from 6.2 or Valkey. */
  readonly url: string;
  /** Before all keys. In braces, so that all of them share a slot where the server is part of a cluster. */
  readonly prefix?: string;
  /** What the queue is kept in is looked at this often; `QUEUE_LIMITS.lookMs` by default. */
  readonly lookMs?: number;
}

export const REDIS_PREFIX = '{tenure}';
const VERSION_MIN = [6, 2] as const;

const isAddress = (url: string): boolean =>
  url.startsWith('/') ? !url.startsWith('//') : /^rediss?:\/\/./i.test(url) && URL.canParse(url);

/** Reconnecting: soon at first, never more than a second apart. */
const reconnectAfterMs = (tries: number): number => Math.min(tries * 50, 1_000);

const COMMON = {
  connectTimeout: QUEUE_LIMITS.connectMs,
  // A command that is given up leaves its connection as it is; only this replaces one whose peer is lost.
  socketTimeout: QUEUE_LIMITS.silenceMs,
  // It was a primary; whoever is one now has the same name.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  lazyConnect: true,
} as const satisfies RedisOptions;

/** Adding must fail soon rather than wait: the relay holds database rows meanwhile and knows how to repeat. */
const FAIL_FAST = {
  ...COMMON,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  commandTimeout: QUEUE_LIMITS.commandMs,
  retryStrategy: reconnectAfterMs,
} as const satisfies RedisOptions;

/** A worker waits for its server, however long that takes; BullMQ insists on `null`. */
const WAIT_FOR_SERVER = {
  ...COMMON,
  maxRetriesPerRequest: null,
  retryStrategy: reconnectAfterMs,
} as const satisfies RedisOptions;

/** For the first look: no second try. */
const ONCE = {
  ...FAIL_FAST,
  retryStrategy: () => null,
} as const satisfies RedisOptions;

/** Connects and closes again where that fails; ioredis tells the reason only by event. */
async function connected(client: Redis, where: string): Promise<void> {
  let reason: unknown;
  client.on('error', (error) => {
    reason = error;
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw new QueueStartError(
      'QUEUE_UNREACHABLE',
      `Redis at ${where} cannot be used: ${errorText(reason ?? error)}`,
      { cause: reason ?? error },
    );
  }
}

function checkVersion(info: string, where: string): void {
  const valkey = infoField(info, 'valkey_version');
  const version = valkey ?? infoField(info, 'redis_version') ?? '0.0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = VERSION_MIN;
  if (major < majorMin || (major === majorMin && minor < minorMin)) {
    throw new QueueStartError(
      'QUEUE_UNSUITABLE',
      `Redis at ${where} has version ${version}; the queue needs ${majorMin}.${minorMin} or newer`,
    );
  }
}

/** What would make it lose or refuse work: the fatal throws, the rest is said. */
async function inspect(client: Redis, where: string, log: QueueLog): Promise<void> {
  const info = await client.info();
  checkVersion(info, where);
  if (infoField(info, 'role') === 'slave') {
    throw new QueueStartError(
      'QUEUE_UNSUITABLE',
      `Redis at ${where} is a replica and takes no writes: name its primary`,
    );
  }
  if (infoField(info, 'cluster_enabled') === '1') {
    throw new QueueStartError(
      'QUEUE_UNSUITABLE',
      `Redis at ${where} is a node of a cluster, which is not supported`,
    );
  }
  const policy = infoField(info, 'maxmemory_policy');
  if (policy !== null && policy !== 'noeviction') {
    log.warn(
      { where, maxmemoryPolicy: policy },
      'Redis may evict jobs when its memory is full: set maxmemory-policy to noeviction; ' +
        'an evicted job is dispatched again, but late',
    );
  }
  if (infoField(info, 'aof_enabled') === '0') {
    log.warn(
      { where },
      'Redis keeps no append-only file: after a restart the jobs it held are dispatched again, but late',
    );
  }
}

/** A look at what is kept there, on a connection of its own. */
async function withProbe<T>(
  url: string,
  where: string,
  work: (probe: Redis) => Promise<T>,
): Promise<T> {
  const probe = new Redis(url, { ...ONCE, connectionName: 'tenure-queue-probe' });
  await connected(probe, where);
  try {
    return await work(probe);
  } finally {
    await quit(probe);
  }
}

const mendable = (url: string, where: string, prefix: string): Mendable => ({
  look: (closely) =>
    withProbe(url, where, (probe) => lookAtKeys(probe, prefix, closely ? 'all' : 'queue')),
  makeAnew: (because, isSure) =>
    withProbe(url, where, async (probe) => {
      // Unless somebody else was faster.
      if (!isSure && (await lookAtKeys(probe, prefix, 'all')) === null) return false;
      await deleteKeys(probe, prefix, because);
      return true;
    }),
});

/**
 * What Redis or a script of BullMQ's says of what it found: a key of a wrong type, or a value that is none. Refusals
 * for other reasons, a full memory among them, say nothing of it.
 */
const OF_DAMAGE = /^WRONGTYPE|not an integer|user_script|Error running script|hash value/;
const isOfDamage = (error: unknown): boolean => OF_DAMAGE.test(errorText(error));

async function quit(client: Redis): Promise<void> {
  const asked = await closeQuietly(client.quit(), QUEUE_LIMITS.connectMs);
  if (!asked) client.disconnect();
}

/**
 * BullMQ on Redis or Valkey. Connects once to see that the server can hold the queue, and says what about its settings
 * would cost time later.
 *
 * @throws QueueStartError
 */
export async function redisBackend(
  options: RedisBackendOptions,
  log: QueueLog,
): Promise<QueueBackend> {
  const { url } = options;
  if (!isAddress(url)) {
    throw new QueueStartError(
      'QUEUE_URL_INVALID',
      `the queue's address must be redis://…, rediss://… or the path of a socket`,
    );
  }
  const where = withoutSecrets(url);
  const prefix = options.prefix ?? REDIS_PREFIX;
  const mender = createMender(mendable(url, where, prefix), log, options.lookMs);
  try {
    await withProbe(url, where, async (probe) => {
      await inspect(probe, where, log);
      const because = await lookAtKeys(probe, prefix, 'queue');
      if (because === null) return;
      await deleteKeys(probe, prefix, because);
      log.warn({ because }, 'the queue was made anew');
    });
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
    // One pipeline.
    adds: 'bulk',
    async connect(side, connectLog): Promise<QueueLink> {
      const settings = side === 'worker' ? WAIT_FOR_SERVER : FAIL_FAST;
      const client = new Redis(url, { ...settings, connectionName: `tenure-queue-${side}` });
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
