import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeInstalls } from '../../bench/create-license.ts';
import { checkInvariants } from '../../bench/invariants.ts';
import type { BenchWorld } from '../../bench/world.ts';
import { startBenchWorld } from '../../bench/world.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { queueShards } from '../../src/main/queue-shards.ts';
import { probeRedisQueue } from '../../src/queue/probe.ts';
import { REDIS_PREFIX } from '../../src/queue/redis-backend.ts';
import { queueNameOf, shardPrefix } from '../../src/queue/shards.ts';
import { hasRedis } from '../e2e/kit/has-redis.ts';
import { closedWithout } from '../kit/queue-close.ts';
import type { RedisCluster } from '../../embedded/redis-cluster.ts';
import { startRedisCluster } from '../../embedded/redis-cluster.ts';
import { underLoad as callUnderLoad } from './kit/under-load.ts';

/*
 * A whole Tenure with its queues on a Redis Cluster, which has faults under load. Every operation must succeed exactly
 * once. Prints the longest time without an answer.
 */

const SHARDS = 4;
const CALLERS = 12;
/** The maximum time without an answer. Within it, lost jobs are dispatched again, even on a busy machine. */
const STALL_MS_MAX = 2 * LIMITS.redispatchMs;
const keyOf = (shard: number): string =>
  `${shardPrefix(REDIS_PREFIX, shard)}:${queueNameOf(shard)}:wait`;

describe.skipIf(!hasRedis('Redis Cluster'))('the queue on a Redis Cluster', () => {
  let cluster: RedisCluster;
  let world: BenchWorld;
  let installs: readonly string[];
  const answered: string[] = [];
  beforeAll(async () => {
    cluster = await startRedisCluster(process.env['PATH'] ?? '');
    world = await startBenchWorld({ env: { REDIS_URL: cluster.url } });
    await queueShards(world.state.databaseUrl, SHARDS);
    installs = await makeInstalls(world, CALLERS);
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const underLoad = (what: string, happens: () => Promise<void>): Promise<number> =>
    callUnderLoad({ world, installs, answered }, what, happens);

  test('each shard has keys on its own, and they are spread over the nodes', async () => {
    expect(await underLoad('nothing happens', async () => undefined)).toBeLessThan(STALL_MS_MAX);
    const nodes = new Set<number>();
    for (let shard = 0; shard < SHARDS; shard += 1)
      nodes.add(await cluster.primaryOf(keyOf(shard)));
    expect(nodes.size).toBeGreaterThan(1);
  });

  test('one node that is named alone leads to the others', async () => {
    for (const port of cluster.ports) {
      const found = await probeRedisQueue(`redis://127.0.0.1:${port}`, SHARDS);
      expect(found).toMatchObject({ kind: 'counts' });
    }
  });

  test('a primary is killed', async () => {
    const stallMs = await underLoad('a primary is killed', () => cluster.killPrimaryOf(keyOf(1)));
    expect(stallMs).toBeLessThan(STALL_MS_MAX);
    await cluster.revive();
  });

  test('a slot moves', async () => {
    const stallMs = await underLoad('a slot moves', () => cluster.moveSlotOf(keyOf(2)));
    expect(stallMs).toBeLessThan(STALL_MS_MAX);
  });

  test('the number of queues changes', async () => {
    for (const shards of [2, 6]) {
      const stallMs = await underLoad(`${shards} queues from now on`, async () => {
        await queueShards(world.state.databaseUrl, shards);
      });
      expect(stallMs).toBeLessThan(STALL_MS_MAX);
    }
  });

  test('everything in it is lost', async () => {
    const stallMs = await underLoad('all is lost', () => cluster.loseEverything());
    expect(stallMs).toBeLessThan(STALL_MS_MAX);
  });

  test('a process whose queues are closed while all nodes are dead ends by itself', async () => {
    await using other = await startRedisCluster(process.env['PATH'] ?? '');
    expect(await closedWithout(other.url, () => other.kill())).toBe(0);
  });

  test('what was accepted has taken effect once, and nothing is left behind', async () => {
    await expect
      .poll(() => probeRedisQueue(cluster.url, 6), { timeout: STALL_MS_MAX })
      .toMatchObject({ kind: 'counts', waiting: 0, active: 0 });
    await expect(checkInvariants(world, answered)).resolves.toBeUndefined();
  });
});
