import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeInstalls } from '../../bench/create-license.ts';
import { checkInvariants } from '../../bench/invariants.ts';
import type { BenchWorld } from '../../bench/world.ts';
import { startBenchWorld } from '../../bench/world.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { probeRedisQueue } from '../../src/queue/probe.ts';
import { hasRedis } from '../e2e/kit/has-redis.ts';
import type { RedisSentinels } from './kit/redis-sentinels.ts';
import { startRedisSentinels } from './kit/redis-sentinels.ts';
import { underLoad } from './kit/under-load.ts';

/* A whole Tenure with its queue on a Redis that has a replica. Sentinels know which server is the primary. */

const CALLERS = 12;
const STALL_MS_MAX = 2 * LIMITS.redispatchMs;

describe.skipIf(!hasRedis('Redis Sentinel'))('the queue behind sentinels', () => {
  let redis: RedisSentinels;
  let world: BenchWorld;
  const answered: string[] = [];
  beforeAll(async () => {
    redis = await startRedisSentinels();
    world = await startBenchWorld({ env: { REDIS_URL: redis.url } });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await redis?.[Symbol.asyncDispose]();
  });

  test('the primary is killed: what was accepted has taken effect once', async () => {
    const load = { world, installs: await makeInstalls(world, CALLERS), answered };
    const stallMs = await underLoad(load, 'a primary that sentinels know is killed', () =>
      redis.killPrimary(),
    );
    expect(stallMs).toBeLessThan(STALL_MS_MAX);
    await expect
      .poll(() => probeRedisQueue(redis.url), { timeout: STALL_MS_MAX })
      .toMatchObject({ kind: 'counts', waiting: 0, active: 0 });
    await expect(checkInvariants(world, answered)).resolves.toBeUndefined();
  });
});
