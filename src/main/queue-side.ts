import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ReadinessCheck } from '../http/deps.ts';
import type { QueueBackend } from '../queue/backend.ts';
import type { Glance } from '../queue/glance.ts';
import { glanceAtPostgresQueue, glanceAtRedisQueue } from '../queue/glance.ts';
import { postgresBackend } from '../queue/postgres-backend.ts';
import { redisBackend } from '../queue/redis-backend.ts';
import type { Config } from './config.ts';
import { processEnvironment } from './config.ts';
import { redisEndpoint, startLocalRedis } from './local-redis.ts';
import type { RunningProcess } from './run-state.ts';

/** The queue's backend as configured; where it is a Redis of our own, that is started first. */
async function openBackend(
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
  onProcess: (process: RunningProcess) => void,
): Promise<QueueBackend> {
  switch (config.queue.kind) {
    case 'postgres':
      return postgresBackend({ databaseUrl: config.databaseUrl }, log);
    case 'redis':
      return redisBackend({ url: config.queue.url }, log);
    case 'local-redis': {
      const searchPath = processEnvironment()['PATH'] ?? '';
      const dataDir = join(config.dataDir, 'redis');
      const redis = await startLocalRedis({ dataDir, searchPath, signal });
      stack.defer(() => redis.stop());
      onProcess({ name: redis.program, pid: redis.pid, logFile: redis.logFile });
      return redisBackend({ url: redis.url }, log);
    }
    default:
      return config.queue satisfies never;
  }
}

/**
 * The queue's backend for all parts of this process, opened by whoever asks first; after a failure by the next. A Redis
 * of our own is the process's that has workers.
 */
export function queueBackendOf(
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
  onProcess: (process: RunningProcess) => void,
): () => Promise<QueueBackend> {
  let opening: Promise<QueueBackend> | null = null;
  return () => {
    if (config.queue.kind === 'local-redis' && !config.roles.has('worker')) {
      return Promise.reject(new Error('the queue is in a Redis of the process that has workers'));
    }
    opening ??= openBackend(config, log, stack, signal, onProcess).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };
}

/** Looks at the queue's store from outside, and leaves it as it is. */
export async function glanceAtQueue({ queue, databaseUrl, dataDir }: Config): Promise<Glance> {
  switch (queue.kind) {
    case 'postgres':
      return glanceAtPostgresQueue(databaseUrl);
    case 'redis':
      return glanceAtRedisQueue(queue.url);
    case 'local-redis': {
      const socket = await redisEndpoint(join(dataDir, 'redis'));
      if (socket !== null) return glanceAtRedisQueue(socket);
      return { kind: 'unreachable', where: dataDir, why: 'no Redis was started there' };
    }
    default:
      return queue satisfies never;
  }
}

/** Whether a Redis takes jobs. Of a queue in the database the check of that says as much. */
export const queueCheck = (config: Config): ReadinessCheck => ({
  name: 'queue',
  check: async () => {
    if (config.queue.kind === 'postgres') return;
    const found = await glanceAtQueue(config);
    if (found.kind === 'unreachable' || found.kind === 'unwritable') throw new Error(found.why);
  },
});
