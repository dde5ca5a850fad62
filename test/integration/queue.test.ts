import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EffectId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { EffectJob } from '../../src/queue/job.ts';
import { JOB_OPTIONS, SUBMIT_JOB, jobIdOf } from '../../src/queue/job.ts';
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
  peek,
  queueServers,
  recordingLog,
  until,
} from './queue-kit.ts';

describe.each(await queueServers('jobs'))('queue on $kind', ({ start }) => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('a job is ids, runs once, and leaves nothing behind', async () => {
    await using world = await openWorld(server);
    const job = first(newEffectId());
    await world.queue.add([job], io);
    const kept = await peek(server, async (raw) => raw.getJob(jobIdOf(job)));
    expect(kept?.data).toEqual(job);
    expect(kept?.opts).toMatchObject({ attempts: 1, removeOnComplete: true, removeOnFail: true });

    const runs: EffectJob[] = [];
    await world.worker(async (run) => {
      runs.push(run);
    });
    await until(() => isEmpty(world.queue), 'the job is gone');
    expect(runs).toEqual([job]);
    expect(await peek(server, async (raw) => raw.getJob(jobIdOf(job)))).toBeUndefined();
    expect(await peek(server, (raw) => raw.getJobCounts())).toMatchObject({
      completed: 0,
      failed: 0,
    });
  });

  test.each([1, QUEUE_LIMITS.postgresBulkMin, 250])(
    'a dispatch that is added twice runs once (%i at a time)',
    async (count) => {
      await using world = await openWorld(server);
      const jobs = effectIds(count).map(first);
      await world.queue.add(jobs, io);
      await world.queue.add(jobs, io);
      expect(await world.queue.counts(io)).toEqual({ waiting: count, active: 0 });
      const runs: string[] = [];
      await world.worker(async (job) => {
        runs.push(jobIdOf(job));
      });
      await until(() => isEmpty(world.queue), 'all jobs are gone');
      expect(runs.toSorted()).toEqual(jobs.map(jobIdOf).toSorted());
    },
  );

  test('a finished dispatch does not block the next of its effect, nor itself', async () => {
    await using world = await openWorld(server);
    const effectId = newEffectId();
    const runs: number[] = [];
    await world.worker(async ({ dispatchNo }) => {
      runs.push(dispatchNo);
    });
    for (const dispatchNo of [1, 2, 2]) {
      await world.queue.add([{ effectId, dispatchNo }], io);
      await until(() => isEmpty(world.queue), 'the dispatch has run');
    }
    expect(runs).toEqual([1, 2, 2]);
  });

  test.each(['a:b', '', 'a b', 'ä', 'x'.repeat(129), '../x'])(
    'an effect id that is unsafe as a job id is refused, and nothing beside it is added: %j',
    async (raw) => {
      await using world = await openWorld(server);
      const jobs = [first(newEffectId()), first(trusted<EffectId>(raw))];
      await expect(world.queue.add(jobs, io)).rejects.toThrow(TypeError);
      expect(await world.queue.counts(io)).toEqual({ waiting: 0, active: 0 });
    },
  );

  test('an effect id of digits only is a safe job id', async () => {
    await using world = await openWorld(server);
    const runs: EffectId[] = [];
    await world.worker(async ({ effectId }) => {
      runs.push(effectId);
    });
    const effectId = trusted<EffectId>('4711');
    await world.queue.add([first(effectId)], io);
    await until(() => runs.length > 0, 'the job has run');
    expect(runs).toEqual([effectId]);
  });

  test('what fails is logged, not repeated, and not kept', async () => {
    await using world = await openWorld(server);
    const log = recordingLog();
    let runs = 0;
    const worker = await startWorker({
      backend: world.backend,
      log,
      processor: async () => {
        runs += 1;
        throw new Error('no such luck');
      },
    });
    const job = first(newEffectId());
    await world.queue.add([job], io);
    await until(async () => runs > 0 && (await isEmpty(world.queue)), 'the job has failed');
    await worker.stop();
    expect(runs).toBe(1);
    expect(log.entries).toContainEqual({
      level: 'error',
      detail: { job: jobIdOf(job), error: 'no such luck' },
      message: 'job failed; its effect is dispatched again',
    });
    expect(await peek(server, (raw) => raw.getJobCounts())).toMatchObject({
      failed: 0,
      delayed: 0,
    });
  });

  test('a job with other data than ours reaches no processor', async () => {
    await using world = await openWorld(server);
    const runs: EffectJob[] = [];
    await world.worker(async (job) => {
      runs.push(job);
    });
    await peek(server, (raw) =>
      raw.add(SUBMIT_JOB, { effectId: 'a:b' }, { ...JOB_OPTIONS, jobId: 'foreign-1' }),
    );
    const ours = first(newEffectId());
    await world.queue.add([ours], io);
    await until(() => isEmpty(world.queue), 'both jobs are gone');
    expect(runs).toEqual([ours]);
  });

  test('two workers share the jobs: each runs once', async () => {
    await using world = await openWorld(server);
    const runs = new Map<EffectId, number>();
    const byWorker = [0, 0];
    for (const index of [0, 1]) {
      await world.worker(
        async ({ effectId }) => {
          runs.set(effectId, (runs.get(effectId) ?? 0) + 1);
          byWorker[index]! += 1;
          await sleep(2);
        },
        { concurrency: 8 },
      );
    }
    const ids = effectIds(400);
    await world.queue.add(ids.map(first), io);
    await until(() => isEmpty(world.queue), 'all jobs have run', 20_000);
    expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
    expect(runs.size).toBe(ids.length);
    expect(Math.min(...byWorker)).toBeGreaterThan(0);
  });

  test('the relay dispatches when woken, long before it would have looked', async () => {
    await using world = await openWorld(server);
    const outbox = memoryOutbox(60_000);
    await world.worker(async ({ effectId }) => {
      outbox.finish(effectId);
    });
    const relay = world.relay(outbox, { relayBatchMax: 100, relayPollMs: 60_000 });
    await until(() => relay.state === 'running', 'the relay runs');
    for (let round = 1; round <= 3; round += 1) {
      outbox.insert([newEffectId()]);
      relay.wake();
      await until(() => outbox.finished === round, 'the effect has run', 5_000);
    }
    expect(outbox.finished).toBe(3);
  });

  test('the relay dispatches what falls due without being woken, and more than a batch', async () => {
    await using world = await openWorld(server);
    const outbox = memoryOutbox(200);
    const ids = effectIds(25);
    outbox.insert(ids);
    const seen = new Map<EffectId, number>();
    // The first dispatch of each is lost, as if Redis had forgotten it.
    await world.worker(async ({ effectId, dispatchNo }) => {
      seen.set(effectId, dispatchNo);
      if (dispatchNo > 1) outbox.finish(effectId);
    });
    world.relay(outbox, { relayBatchMax: 10, relayPollMs: 60_000 });
    await until(() => outbox.finished === ids.length, 'all are done at their second dispatch');
    expect([...seen.values()].every((dispatchNo) => dispatchNo === 2)).toBe(true);
  });

  test('a burst far beyond what the queue holds runs completely, each effect once', async () => {
    await using world = await openWorld(server);
    const outbox = memoryOutbox(60_000);
    const ids = effectIds(QUEUE_LIMITS.waitingMax * 3);
    const runs = new Map<EffectId, number>();
    let most = 0;
    await world.worker(async ({ effectId }) => {
      runs.set(effectId, (runs.get(effectId) ?? 0) + 1);
      outbox.finish(effectId);
    });
    outbox.insert(ids);
    world.relay(outbox, { relayBatchMax: 100, relayPollMs: 60_000 });
    await until(
      async () => {
        most = Math.max(most, (await world.queue.counts(io)).waiting);
        return outbox.finished === ids.length;
      },
      'all effects have run',
      25_000,
    );
    expect(most).toBeLessThan(QUEUE_LIMITS.waitingMax + 100);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
  });
});
