import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Io } from '../../src/app/ports/io.ts';
import type { EffectId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { EffectJob } from '../../src/queue/job.ts';
import { jobIdOf } from '../../src/queue/job.ts';
import { QUEUE_LIMITS } from '../../src/queue/limits.ts';
import { PATIENCE_MS } from './patience.ts';
import type { OpenQueue } from './queue-under-test.ts';
import {
  effectIds,
  first,
  io,
  isEmpty,
  memoryOutbox,
  newEffectId,
  recordingLog,
  relaying,
  until,
} from './queue-under-test.ts';

/** The behaviour that relay, workers and outbox require of every queue. */
export function queueSuite(open: OpenQueue): void {
  test.each([1, 10, 250])(
    'a dispatch that is added twice runs once (%i at a time)',
    async (count) => {
      await using world = await open();
      const jobs = effectIds(count).map(first);
      await world.queue.add(jobs, io);
      await world.queue.add(jobs, io);
      const waiting = Math.ceil(count / QUEUE_LIMITS.jobEffectsMax);
      expect(await world.queue.counts(io)).toEqual({ waiting, active: 0 });
      const runs: string[] = [];
      await world.worker(async (job) => {
        runs.push(jobIdOf(job));
      });
      await until(() => isEmpty(world.queue), 'all jobs are gone');
      expect(runs.toSorted()).toEqual(jobs.map(jobIdOf).toSorted());
    },
  );

  test('a finished dispatch does not block the next of its effect, nor itself', async () => {
    await using world = await open();
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
      await using world = await open();
      const jobs = [first(newEffectId()), first(trusted<EffectId>(raw))];
      await expect(world.queue.add(jobs, io)).rejects.toThrow(TypeError);
      expect(await world.queue.counts(io)).toEqual({ waiting: 0, active: 0 });
    },
  );

  test('an effect id of digits only is a safe job id', async () => {
    await using world = await open();
    const runs: EffectId[] = [];
    await world.worker(async ({ effectId }) => {
      runs.push(effectId);
    });
    const effectId = trusted<EffectId>('4711');
    await world.queue.add([first(effectId)], io);
    await until(() => runs.length > 0, 'the job has run');
    expect(runs).toEqual([effectId]);
  });

  test('what fails is logged and not repeated', async () => {
    await using world = await open();
    const log = recordingLog();
    let runs = 0;
    await world.worker(
      async () => {
        runs += 1;
        throw new Error('no such luck');
      },
      { log },
    );
    const job = first(newEffectId());
    await world.queue.add([job], io);
    await until(async () => runs > 0 && (await isEmpty(world.queue)), 'the job has failed');
    expect(log.entries).toContainEqual({
      level: 'error',
      detail: { job: jobIdOf(job), effectId: job.effectId, error: 'no such luck' },
      message: 'job failed; the relay dispatches its effect again',
    });
    const next = first(newEffectId());
    await world.queue.add([next], io);
    await until(async () => runs > 1 && (await isEmpty(world.queue)), 'the next has failed');
    expect(runs).toBe(2);
  });

  test('two workers share the jobs: each runs once', async () => {
    await using world = await open();
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
    await until(() => isEmpty(world.queue), 'all jobs have run');
    expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
    expect(runs.size).toBe(ids.length);
    expect(Math.min(...byWorker)).toBeGreaterThan(0);
  });

  test('the relay dispatches when woken, long before it would have looked', async () => {
    await using world = await open();
    const outbox = memoryOutbox(60_000);
    await world.worker(async ({ effectId }) => {
      outbox.finish(effectId);
    });
    await using relay = relaying(world, outbox, { relayBatchMax: 100, relayPollMs: 60_000 });
    await until(() => relay.state === 'running', 'the relay runs');
    for (let round = 1; round <= 3; round += 1) {
      outbox.insert([newEffectId()]);
      relay.wake();
      await until(() => outbox.finished === round, 'the effect has run');
    }
    expect(outbox.finished).toBe(3);
  });

  test('the relay dispatches what falls due without being woken, and more than a batch', async () => {
    await using world = await open();
    const outbox = memoryOutbox(200);
    const ids = effectIds(25);
    outbox.insert(ids);
    const seen = new Map<EffectId, number>();
    // The worker ignores the first dispatch of each effect, as if Redis had lost the job.
    await world.worker(async ({ effectId, dispatchNo }) => {
      seen.set(effectId, dispatchNo);
      if (dispatchNo > 1) outbox.finish(effectId);
    });
    await using _relay = relaying(world, outbox, { relayBatchMax: 10, relayPollMs: 60_000 });
    await until(() => outbox.finished === ids.length, 'all are done at their second dispatch');
    // On a busy machine, a dispatch may arrive so late that a third dispatch has been made.
    expect([...seen.values()].every((dispatchNo) => dispatchNo >= 2)).toBe(true);
  });

  test('a burst far beyond what the queue holds runs completely, each effect once', async () => {
    await using world = await open();
    const outbox = memoryOutbox(60_000);
    const ids = effectIds(QUEUE_LIMITS.waitingMax * QUEUE_LIMITS.jobEffectsMax * 3);
    const runs = new Map<EffectId, number>();
    let most = 0;
    await world.worker(async ({ effectId }) => {
      runs.set(effectId, (runs.get(effectId) ?? 0) + 1);
      outbox.finish(effectId);
    });
    outbox.insert(ids);
    await using _relay = relaying(world, outbox, { relayBatchMax: 100, relayPollMs: 60_000 });
    await until(async () => {
      most = Math.max(most, (await world.queue.counts(io)).waiting);
      return outbox.finished === ids.length;
    }, 'all effects have run');
    expect(most).toBeLessThan(QUEUE_LIMITS.waitingMax + 100 / QUEUE_LIMITS.jobEffectsMax + 1);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
  });

  test('what goes ahead runs before all that waited, each in its order', async () => {
    await using world = await open();
    const [behind, ahead] = [effectIds(20).map(first), effectIds(10).map(first)];
    await world.queue.add(behind, io);
    await world.queue.add(
      ahead.map((effect) => ({ ...effect, isAhead: true })),
      io,
    );
    const runs: EffectJob[] = [];
    await world.worker(
      async (effect) => {
        runs.push(effect);
      },
      { concurrency: 1 },
    );
    await until(() => isEmpty(world.queue), 'all have run');
    expect(runs).toEqual([...ahead, ...behind]);
  });

  test('what goes ahead has the next place of a worker that has taken others before', async () => {
    await using world = await open();
    const others = effectIds(QUEUE_LIMITS.jobEffectsMax).map(first);
    const ahead = first(newEffectId());
    const letGo = Promise.withResolvers<void>();
    const started: EffectJob[] = [];
    const worker = await world.worker(
      async (effect) => {
        started.push(effect);
        await letGo.promise;
      },
      { concurrency: 2 },
    );
    await world.queue.add(others, io);
    await until(() => started.length === 2, 'both places are taken');
    await world.queue.add([{ ...ahead, isAhead: true }], io);
    await until(() => worker.running === 2, 'both jobs are taken');
    letGo.resolve();
    await until(() => isEmpty(world.queue), 'all have run');
    expect(started).toEqual([...others.slice(0, 2), ahead, ...others.slice(2)]);
  });

  test('a caller with little waits for nothing of what another has asked for before', async () => {
    await using world = await open();
    const outbox = memoryOutbox(60_000);
    const [flood, quiet] = [effectIds(200), effectIds(3)];
    await using relay = relaying(world, outbox);
    for (const [ids, party] of [
      [flood, 'loud'],
      [quiet, 'quiet'],
    ] as const) {
      outbox.insert(ids, party);
      relay.wake();
      await until(() => ids.every((id) => outbox.dispatchNo(id) === 1), 'all are on the queue');
    }
    const runs: EffectId[] = [];
    await world.worker(
      async ({ effectId }) => {
        runs.push(effectId);
        outbox.finish(effectId);
      },
      { concurrency: 1 },
    );
    await until(() => isEmpty(world.queue), 'all have run');
    expect(runs).toEqual([...quiet, ...flood]);
  });

  test('a running job that finishes while draining is done; nothing else is taken', async () => {
    await using world = await open();
    const log = recordingLog();
    const started: EffectId[] = [];
    const letGo = Promise.withResolvers<void>();
    const worker = await world.worker(
      async ({ effectId }) => {
        started.push(effectId);
        await letGo.promise;
      },
      { log, concurrency: 1, drainMs: 10_000 },
    );
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
    await using world = await open();
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
    expect(performance.now() - beganMs).toBeLessThan(PATIENCE_MS / 2);
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

  test('effects of a job end each by itself; what has not ended is handed back alone', async () => {
    await using world = await open();
    const jobs = effectIds(QUEUE_LIMITS.jobEffectsMax).map(first);
    const [slow, failing] = jobs;
    const ended: EffectId[] = [];
    const worker = await world.worker(
      async ({ effectId }, jobIo) => {
        if (effectId === slow?.effectId) {
          await once(jobIo.signal, 'abort');
          jobIo.signal.throwIfAborted();
        }
        ended.push(effectId);
        if (effectId === failing?.effectId) throw new Error('no such luck');
      },
      { drainMs: 50 },
    );
    await world.queue.add(jobs, io);
    await until(() => ended.length === jobs.length - 1, 'all but one have ended');
    expect(await world.queue.counts(io)).toEqual({ waiting: 0, active: 1 });
    await worker.stop();
    const again: EffectJob[] = [];
    await world.worker(async (job) => {
      again.push(job);
    });
    await until(() => isEmpty(world.queue), 'it has run elsewhere');
    expect(again).toEqual([slow]);
  });

  test('effects at a time are bounded, not jobs, and one that is slow leaves the others their places', async () => {
    await using world = await open();
    const ids = effectIds(3 * QUEUE_LIMITS.jobEffectsMax);
    const letGo = Promise.withResolvers<void>();
    let [running, most, ended] = [0, 0, 0];
    await world.worker(
      async ({ effectId }) => {
        running += 1;
        most = Math.max(most, running);
        await (effectId === ids[0] ? letGo.promise : sleep(1));
        running -= 1;
        ended += 1;
      },
      { concurrency: 2 },
    );
    await world.queue.add(ids.map(first), io);
    await until(() => ended === ids.length - 1, 'all but the slow one have ended');
    expect(most).toBe(2);
    letGo.resolve();
    await until(() => isEmpty(world.queue), 'the slow one has ended');
  });

  test('stopping twice is stopping once', async () => {
    await using world = await open();
    const worker = await world.worker(async () => {});
    await Promise.all([worker.stop(), worker.stop()]);
    expect(worker.state).toBe('stopped');
  });

  test('a store that has forgotten everything costs a new dispatch, no work', async () => {
    await using world = await open();
    if (world.wipe === undefined) return;
    const outbox = memoryOutbox(1_000);
    const ids = effectIds(50);
    outbox.insert(ids);
    await using relay = relaying(world, outbox);
    await until(
      async () =>
        (await world.queue.counts(io)).waiting ===
        Math.ceil(ids.length / QUEUE_LIMITS.jobEffectsMax),
      'all are queued',
    );
    await world.wipe();
    expect(relay.state).toBe('running');
    await world.worker(async ({ effectId }) => {
      outbox.finish(effectId);
    });
    await until(() => outbox.finished === ids.length, 'all effects have run');
  });
}
