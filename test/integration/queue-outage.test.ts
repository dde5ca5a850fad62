import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobIdOf } from '../../src/queue/job.ts';
import { QueueUnavailableError } from '../../src/queue/queue-error.ts';
import {
  effectIds,
  first,
  io,
  isEmpty,
  memoryOutbox,
  newEffectId,
  relaying,
  until,
} from '../kit/queue-under-test.ts';
import type { QueueServer } from './queue-kit.ts';
import { openWorld, queueServers } from './queue-kit.ts';

describe.each(await queueServers('kills and outages'))('queue on $kind', ({ start }) => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('a worker process that is killed loses no work: another runs it', async () => {
    await using world = await openWorld(server);
    const child = spawn(
      process.execPath,
      [new URL('queue-worker.fixture.ts', import.meta.url).pathname, server.kind, server.address],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const exited = once(child, 'exit');
    try {
      expect((await lines.next()).value).toBe('ready');
      const jobs = effectIds(3).map(first);
      await world.queue.add(jobs, io);
      for (const _ of jobs) expect((await lines.next()).value).toMatch(/^start /);
      const runs: string[] = [];
      await world.worker(async (job) => {
        runs.push(jobIdOf(job));
      });
      child.kill('SIGKILL');
      await exited;
      await until(() => runs.length === jobs.length, 'all run again');
      await until(() => isEmpty(world.queue), 'nothing is left');
      expect(runs.toSorted()).toEqual(jobs.map(jobIdOf).toSorted());
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  });

  test('while the store is away nothing is marked as dispatched; afterwards everything runs', async () => {
    await using world = await openWorld(server);
    const outbox = memoryOutbox(1_000);
    await world.worker(async ({ effectId }) => {
      outbox.finish(effectId);
    });
    await using relay = relaying(world, outbox);
    outbox.insert([newEffectId()]);
    relay.wake();
    await until(() => outbox.finished === 1, 'the relay relays');
    await server.down();
    await expect(world.queue.add([first(newEffectId())], io)).rejects.toThrow(
      QueueUnavailableError,
    );
    const ids = effectIds(30);
    outbox.insert(ids);
    const refusedBefore = outbox.refused;
    // While the server is unreachable, notifications of other processes must not make the relay retry without a pause.
    await until(() => {
      relay.wake();
      return outbox.refused - refusedBefore >= 3;
    }, 'the relay has tried a few times');
    expect(ids.map((id) => outbox.dispatchNo(id)).every((dispatchNo) => dispatchNo === 0)).toBe(
      true,
    );
    await server.up();
    await until(() => outbox.finished === ids.length + 1, 'all effects have run');
  });

  test('as many come out as went in when the store restarts with work in hand', async () => {
    await using world = await openWorld(server);
    const outbox = memoryOutbox(2_000);
    const ids = effectIds(200);
    outbox.insert(ids);
    let runs = 0;
    await world.worker(
      async ({ effectId }) => {
        runs += 1;
        await sleep(20);
        outbox.finish(effectId);
      },
      { concurrency: 10 },
    );
    await using _relay = relaying(world, outbox);
    await until(() => outbox.finished > 20, 'work is in hand');
    await server.down();
    await server.up();
    await until(() => outbox.finished === ids.length, 'all effects have run');
    expect(runs).toBeGreaterThanOrEqual(ids.length);
    await until(() => isEmpty(world.queue), 'nothing is left over');
  });
});
