import { afterAll, beforeAll, describe } from 'vitest';
import type { RedisCluster } from '../../embedded/redis-cluster.ts';
import { startRedisCluster } from '../../embedded/redis-cluster.ts';
import { redisBackend } from '../../src/queue/redis-backend.ts';
import { hasRedis } from '../e2e/kit/has-redis.ts';
import { openWorld } from '../integration/queue-kit.ts';
import { queueSuite } from '../kit/queue-suite.ts';
import { silent } from '../kit/queue-under-test.ts';

describe.skipIf(!hasRedis('jobs on Redis Cluster'))('jobs on a Redis Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster(process.env['PATH'] ?? '');
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  queueSuite(() =>
    openWorld({
      kind: 'redis',
      address: cluster.url,
      backend: (log = silent) => redisBackend({ url: cluster.url }, log),
      down: () => cluster.kill(),
      up: () => cluster.revive(),
      wipe: () => cluster.flush(),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  );
});
