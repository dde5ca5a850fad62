import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EffectId } from '../../src/domain/ids.ts';
import type { EffectJob } from '../../src/queue/job.ts';
import { startShardWorkers } from '../../src/queue/shard-workers.ts';
import type { ShardWorkers } from '../../src/queue/shard-workers.ts';
import { openShardedQueue } from '../../src/queue/sharded-queue.ts';
import type { ShardedQueue } from '../../src/queue/sharded-queue.ts';
import { queueNameOf } from '../../src/queue/shards.ts';
import { createSlots } from '../../src/queue/turns.ts';
import { startRelay } from '../../src/queue/relay.ts';
import { startWorker } from '../../src/queue/worker.ts';
import { effectIds, first, io, memoryOutbox, silent, until } from '../kit/queue-under-test.ts';
import type { QueueServer } from './queue-kit.ts';
import { queueServers } from './queue-kit.ts';

/** A relay, its queues and their workers. A test changes the number of queues. */
async function openWorld(server: QueueServer) {
  const stack = new AsyncDisposableStack();
  const count = { shards: 1, most: 1 };
  const backend = await server.backend();
  const queue = await openShardedQueue(backend, silent);
  stack.defer(() => queue.close());
  const outbox = memoryOutbox(60_000, () => count.shards);
  const runs = new Map<EffectId, number>();
  const startedShards = new Set<number>();
  const slots = createSlots(8);
  const startWorkers = async (): Promise<ShardWorkers> => {
    const workers = await startShardWorkers({
      read: async () => ({ ...count }),
      start: (shard) => {
        startedShards.add(shard);
        return startWorker({
          backend,
          log: silent,
          drainMs: 500,
          slots,
          shard,
          processor: async ({ effectId }) => {
            runs.set(effectId, (runs.get(effectId) ?? 0) + 1);
            outbox.finish(effectId);
          },
        });
      },
      isEmpty: async (shard) => {
        const { waiting, active } = await queue.countsOf(shard, io);
        return waiting + active === 0;
      },
      onCount: (shards) => queue.follow(shards),
      log: silent,
    });
    stack.defer(() => workers.stop());
    return workers;
  };
  const relay = startRelay({ outbox, queue, log: silent });
  stack.defer(() => relay.stop());
  const set = (shards: number): void => {
    count.shards = shards;
    count.most = Math.max(count.most, shards);
  };
  return {
    queue,
    outbox,
    relay,
    runs,
    startedShards,
    startWorkers,
    set,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const leftOn = async (queue: ShardedQueue, shard: number): Promise<number> => {
  const { waiting, active } = await queue.countsOf(shard, io);
  return waiting + active;
};

describe.each(await queueServers('shards'))('shards on $kind', ({ start }) => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('their number changes under load, up and down: nothing is lost, and nothing runs twice', async () => {
    await using world = await openWorld(server);
    const workers = await world.startWorkers();
    const ids: EffectId[] = [];
    for (const shards of [1, 3, 2, 4, 1]) {
      world.set(shards);
      for (let round = 0; round < 4; round += 1) {
        const some = effectIds(40);
        ids.push(...some);
        world.outbox.insert(some);
        world.relay.wake();
        if (round === 1) workers.wake();
        await until(() => world.outbox.finished >= ids.length - 60, 'most have run');
      }
    }
    await until(() => world.outbox.finished === ids.length, 'all have run');
    expect([...world.runs.values()].filter((count) => count !== 1)).toEqual([]);
    expect(world.runs.size).toBe(ids.length);
    expect(world.startedShards).toEqual(new Set([0, 1, 2, 3]));
    expect(workers.isRunning).toBe(true);
  });

  test('what is left on a shard that is not used any more is worked off by workers that start later', async () => {
    await using world = await openWorld(server);
    world.set(4);
    world.queue.follow(4);
    const ids = effectIds(60);
    world.outbox.insert(ids);
    world.relay.wake();
    await until(async () => (await leftOn(world.queue, 3)) > 0, 'some are on the last');
    world.set(1);
    await world.startWorkers();
    await until(() => world.outbox.finished === ids.length, 'all have run');
    expect([...world.runs.values()].every((count) => count === 1)).toBe(true);
    for (let shard = 0; shard < 4; shard += 1) {
      await until(async () => (await leftOn(world.queue, shard)) === 0, queueNameOf(shard));
    }
  });

  test('one that does not open holds up no other', async () => {
    const backend = await server.backend();
    const never = Promise.withResolvers<never>();
    const queue = await openShardedQueue(
      {
        ...backend,
        connect: (side, log, shard) =>
          shard === 1 ? never.promise : backend.connect(side, log, shard),
      },
      silent,
    );
    const soon = { ...io, deadlineMs: 500 };
    const [there, lost] = effectIds(2).map(first) as [EffectJob, EffectJob];
    try {
      queue.follow(2);
      const before = await queue.countsOf(0, io);
      const put = queue.add([there, { ...lost, shard: 1 }], soon);
      await expect(put).rejects.toMatchObject({ refused: [lost.effectId] });
      expect(await queue.counts(soon)).toMatchObject({ waiting: before.waiting + 1 });
    } finally {
      never.reject(new Error('over'));
      await queue.close();
    }
  });
});
