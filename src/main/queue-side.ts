import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ReadinessCheck } from '../http/kit/deps.ts';
import type { QueueBackend } from '../queue/backend.ts';
import { probePostgresQueue, probeRedisQueue } from '../queue/probe.ts';
import { postgresBackend } from '../queue/postgres-backend.ts';
import { redisBackend } from '../queue/redis-backend.ts';
import { ServerClient } from '../store/sql/server-client.ts';
import type { Config } from './config.ts';
import { redisEndpoint } from './redis-endpoint.ts';
import type { Relay } from '../queue/relay.ts';
import type { QueueProbe } from '../app/ports/queue-probe.ts';

/** Returns the configured backend of the queue for all parts of this process. It is opened at the first call. */
export function queueBackendOf(config: Config, log: Logger): () => Promise<QueueBackend> {
  const { queue, databaseUrl } = config;
  const open = async (): Promise<QueueBackend> => {
    switch (queue.kind) {
      case 'postgres':
        return postgresBackend({ databaseUrl, client: ServerClient }, log);
      case 'redis':
        return redisBackend({ url: queue.url }, log);
      case 'local-redis':
        // The process that starts a Redis replaces this setting by the address of that Redis.
        throw new Error('the queue is in a Redis of the process that has workers');
      default:
        return queue satisfies never;
    }
  };
  let opened: Promise<QueueBackend> | null = null;
  return () => (opened ??= open());
}

/**
 * Examines the queue's storage without changing it.
 *
 * @param shards how many queues the storage contains
 */
export async function probeQueue(
  { queue, databaseUrl, dataDir }: Config,
  shards: number,
): Promise<QueueProbe> {
  switch (queue.kind) {
    case 'postgres':
      return probePostgresQueue(databaseUrl, shards, ServerClient);
    case 'redis':
      return probeRedisQueue(queue.url, shards);
    case 'local-redis': {
      const socket = await redisEndpoint(join(dataDir, 'redis'));
      if (socket !== null) return probeRedisQueue(socket, shards);
      return { kind: 'unreachable', where: dataDir, why: 'no Redis was started there' };
    }
    default:
      return queue satisfies never;
  }
}

/** Checks whether the queue accepts jobs: by the results of the relay and, for a Redis, by the server's own report. */
export const queueCheck = (config: Config, relay: Pick<Relay, 'refusal'>): ReadinessCheck => ({
  name: 'queue',
  check: async () => {
    const refusal = relay.refusal();
    if (refusal !== null) throw new Error(`the queue takes no operations: ${refusal}`);
    if (config.queue.kind === 'postgres') return;
    // For PostgreSQL, only an attempt to add a job shows whether the queue accepts jobs.
    const found = await probeQueue(config, 1);
    if (found.kind === 'unreachable' || found.kind === 'unwritable') throw new Error(found.why);
  },
});
