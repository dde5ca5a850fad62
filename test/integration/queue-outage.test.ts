import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Io } from '../../src/app/ports.ts';
import type { EffectId } from '../../src/domain/ids.ts';
import type { EffectJob } from '../../src/queue/job.ts';
import { jobIdOf } from '../../src/queue/job.ts';
import { QueueUnavailableError } from '../../src/queue/queue-error.ts';
import { QUEUE_LIMITS } from '../../src/queue/queue-limits.ts';
import { startWorker } from '../../src/queue/worker.ts';
import type { QueueServer } from './queue-kit.ts';
import {
  effectIds,
  first,
  io,
  isEmpty,
  memoryOutbox,
  newEffectId,
  openWorld,
  queueServers,
  recordingLog,
  until,
} from './queue-kit.ts';

describe.each(await queueServers('stopping, kills and outages'))('queue on $kind', ({ start }) => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('a running job that finishes while draining is done; nothing else is taken', async () => {
    await using world = await openWorld(server);
    const log = recordingLog();
    const started: EffectId[] = [];
    const letGo = Promise.withResolvers<void>();
    const worker = await startWorker({
      backend: world.backend,
      log,
      concurrency: 1,
      drainMs: 10_000,
      processor: async ({ effectId }) => {
        started.push(effectId);
        await letGo.promise;
      },
    });
    const [one, two] = effectIds(2) as [EffectId, EffectId];
    await world.queue.add([first(one)], io);
    await until(() => started.length === 1, 'the first runs');
    await world.queue.add([first(two)], io);
    const stopped = worker.stop();
    expect(worker.state).toBe('draining');
    letGo.resolve();
    await stopped;
    expect(worker.state).toBe('stopped');
    await worker.ended;
    expect(started).toEqual([one]);
    expect(await world.queue.counts(io)).toEqual({ waiting: 1, active: 0 });
    expect(log.entries.map(({ message }) => message)).toEqual([
      'worker running',
      'worker draining',
      'worker stopped',
    ]);
    await world.worker(async () => {});
    await until(() => isEmpty(world.queue), 'the second has run elsewhere');
  });

  test.each([
    ['gives up when told', true],
    ['does not listen', false],
  ])('a job that outlasts draining and %s is handed back at once', async (_, listens) => {
    await using world = await openWorld(server);
    const effectId = newEffectId();
    const letGo = Promise.withResolvers<void>();
    let running: Io | undefined;
    const worker = await world.worker(
      async (_job, jobIo) => {
        running = jobIo;
        if (listens) await once(jobIo.signal, 'abort').then(() => jobIo.signal.throwIfAborted());
        else await letGo.promise;
      },
      { drainMs: 50 },
    );
    await world.queue.add([first(effectId)], io);
    await until(() => running !== undefined, 'the job runs');
    const beganMs = performance.now();
    await worker.stop();
    expect(performance.now() - beganMs).toBeLessThan(50 + QUEUE_LIMITS.handBackMs + 2_000);
    expect(running?.signal.aborted).toBe(true);
    expect(worker.state).toBe('stopped');
    expect(await world.queue.counts(io)).toEqual({ waiting: 1, active: 0 });

    const again: EffectJob[] = [];
    await world.worker(async (job) => {
      again.push(job);
    });
    await until(() => isEmpty(world.queue), 'it has run elsewhere');
    letGo.resolve();
    expect(again).toEqual([first(effectId)]);
  });

  test('stopping twice is stopping once', async () => {
    await using world = await openWorld(server);
    const worker = await world.worker(async () => {});
    await Promise.all([worker.stop(), worker.stop()]);
    expect(worker.state).toBe('stopped');
  });

  test('a worker process that is killed loses no work: another runs it within five seconds', async () => {
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
      await until(() => runs.length === jobs.length, 'all run again', QUEUE_LIMITS.recoveryMsMax);
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
    const relay = world.relay(outbox);
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
    // Wake-ups of others must not make it hammer a store that is away.
    await until(() => {
      relay.wake();
      return outbox.refused - refusedBefore >= 3;
    }, 'the relay has tried a few times');
    expect(ids.map((id) => outbox.dispatchNo(id)).every((dispatchNo) => dispatchNo === 0)).toBe(
      true,
    );
    await server.up();
    await until(() => outbox.finished === ids.length + 1, 'all effects have run', 15_000);
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
    world.relay(outbox);
    await until(() => outbox.finished > 20, 'work is in hand');
    await server.down();
    await server.up();
    await until(() => outbox.finished === ids.length, 'all effects have run', 20_000);
    expect(runs).toBeGreaterThanOrEqual(ids.length);
    await until(() => isEmpty(world.queue), 'nothing is left over');
  });

  test('a store that has forgotten everything costs a new dispatch, no work', async () => {
    // PostgreSQL that loses what it has committed is outside of the promise: the outbox is in it.
    if (server.kind === 'postgres') return;
    await using world = await openWorld(server);
    const outbox = memoryOutbox(1_000);
    const ids = effectIds(50);
    outbox.insert(ids);
    const relay = world.relay(outbox);
    await until(
      async () => (await world.queue.counts(io)).waiting === ids.length,
      'all are queued',
    );
    await server.wipe();
    expect(relay.state).toBe('running');
    await world.worker(async ({ effectId }) => {
      outbox.finish(effectId);
    });
    await until(() => outbox.finished === ids.length, 'all effects have run', 15_000);
  });
});
