import { expect, test } from 'vitest';
import type { EffectJob } from '../../../src/queue/job.ts';
import { jobIdOf } from '../../../src/queue/job.ts';
import { QueueUnavailableError } from '../../../src/queue/queue-error.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import { effectIds, first, io } from '../../kit/queue-under-test.ts';
import type { StepPoint } from './hooks.ts';
import { never } from './hooks.ts';
import { fateOf, manualTime, settled } from './manual-time.ts';
import type { MemoryQueueOptions } from './queue.ts';
import { createMemoryQueue } from './queue.ts';

type Fate = (point: StepPoint) => Promise<void> | void;

const RECOVERY_MS = 3_000;

function world(options: Partial<MemoryQueueOptions> = {}) {
  const time = manualTime();
  const queue = createMemoryQueue({
    after: time.after,
    recoveryMs: () => RECOVERY_MS,
    ...options,
  });
  return {
    time,
    queue,
    relay: queue.connect('relay').queue,
    connect: (name: string, fate: Fate = () => undefined) =>
      queue.connect(name, { after: time.after, step: async (point) => fate(point) }),
  };
}

const jobs = (count: number): readonly EffectJob[] => effectIds(count).map(first);
const at = (call: string, place: StepPoint['at'], happens: () => Promise<void> | void): Fate =>
  function (point) {
    return point.call === call && point.at === place ? happens() : undefined;
  };
const breaks = () => {
  throw new Error('cut by the test');
};
/** Returns a hook that calls the function once, and after that does nothing. */
const once = (happens: () => Promise<void> | void) => {
  let isOver = false;
  return () => {
    if (isOver) return undefined;
    isOver = true;
    return happens();
  };
};

test.each([
  ['before', 0],
  ['after', 1],
] as const)('a queue that is cut off %s it has taken jobs', async (place, count) => {
  const { queue, connect } = world();
  const relay = connect('api', at('queue.add', place, breaks)).queue;
  await expect(relay.add(jobs(2), io)).rejects.toThrow(QueueUnavailableError);
  expect(queue.waiting).toHaveLength(count);
});

test('a queue that does not answer in time is unavailable', async () => {
  const { time, connect } = world();
  const relay = connect('api', at('queue.counts', 'before', never)).queue;
  const asking = relay.counts({ ...io, deadlineMs: 500 });
  asking.catch(() => undefined);
  await time.pass(499);
  expect(await fateOf(asking)).toBe('open');
  await time.pass(1);
  await expect(asking).rejects.toThrow(QueueUnavailableError);
});

test('the jobs of a killed worker run elsewhere when their locks have run out, and not before', async () => {
  const { time, queue, relay, connect } = world();
  connect('one').startWorker({ processor: () => never() });
  const added = jobs(3);
  for (const one of added) await relay.add([one], io);
  await settled();
  expect(queue.active.map(({ process }) => process)).toEqual(['one', 'one', 'one']);
  queue.kill('one');
  const runs: string[] = [];
  connect('two').startWorker({
    processor: async (job) => {
      runs.push(jobIdOf(job));
    },
  });
  await time.pass(RECOVERY_MS - 1);
  expect(runs).toEqual([]);
  // If a dispatch is added a second time, it is ignored.
  for (const one of added) await relay.add([one], io);
  await time.pass(1);
  expect(runs.toSorted()).toEqual(added.map(jobIdOf).toSorted());
  expect([queue.waiting, queue.active]).toEqual([[], []]);
});

test('a job that kills every worker leaves the queue after a few', async () => {
  const { time, queue, relay, connect } = world();
  await relay.add(jobs(1), io);
  for (let deaths = 0; deaths <= QUEUE_LIMITS.stalledCountMax; deaths += 1) {
    const name = `worker-${deaths}`;
    connect(name).startWorker({ processor: () => never() });
    await settled();
    expect(queue.active).toHaveLength(1);
    queue.kill(name);
    await time.pass(RECOVERY_MS);
  }
  expect([queue.waiting, queue.active]).toEqual([[], []]);
});

test('a worker that loses its locks runs on, and another runs the same job beside it', async () => {
  const { queue, relay, connect } = world();
  const goesOn = Promise.withResolvers<void>();
  const runs: string[] = [];
  const slow = connect('slow').startWorker({
    concurrency: 1,
    processor: async () => {
      runs.push('slow');
      await goesOn.promise;
    },
  });
  const [job] = jobs(1);
  await relay.add([job!], io);
  await settled();
  const ends = Promise.withResolvers<void>();
  connect('fast').startWorker({
    processor: async () => {
      runs.push('fast');
      await ends.promise;
    },
  });
  queue.loseLocks('slow');
  await settled();
  expect(runs).toEqual(['slow', 'fast']);
  goesOn.resolve();
  await settled();
  // The first worker has lost the job, so it can no longer finish it.
  expect(slow.running).toBe(0);
  expect(queue.active).toEqual([{ job, process: 'fast' }]);
  ends.resolve();
  await settled();
  expect([queue.waiting, queue.active]).toEqual([[], []]);
});

test('a wiped queue has forgotten what runs, so that the next dispatch of it runs beside it', async () => {
  const { queue, relay, connect } = world();
  const ends: (() => void)[] = [];
  connect('worker').startWorker({
    processor: () => new Promise<void>((resolve) => ends.push(resolve)),
  });
  const added = jobs(1);
  await relay.add(added, io);
  await settled();
  queue.wipe();
  expect(await relay.counts(io)).toEqual({ waiting: 0, active: 0 });
  await relay.add(added, io);
  await settled();
  expect(ends).toHaveLength(2);
  ends[0]?.();
  await settled();
  expect(queue.active).toHaveLength(1);
  ends[1]?.();
  await settled();
  expect(queue.active).toEqual([]);
});

test('a lost wake-up costs the time until the worker looks by itself', async () => {
  const { time, relay, connect } = world({ deliver: () => undefined });
  let runs = 0;
  connect('worker').startWorker({
    processor: async () => {
      runs += 1;
    },
  });
  await settled();
  await relay.add(jobs(1), io);
  await time.pass(QUEUE_LIMITS.idlePollMs - 1);
  expect(runs).toBe(0);
  await time.pass(1);
  expect(runs).toBe(1);
});

test.each([
  ['gave it out', 'queue.take', 'after', 1],
  ['was told how it ended', 'queue.finish', 'before', 2],
] as const)(
  'a job of which the queue never heard after it %s runs when its lock has run out',
  async (_, call, place, expected) => {
    const { time, queue, relay, connect } = world();
    let runs = 0;
    connect('worker', at(call, place, once(breaks))).startWorker({
      processor: async () => {
        runs += 1;
      },
    });
    await relay.add(jobs(1), io);
    await time.pass(RECOVERY_MS - 1);
    expect(runs).toBe(expected - 1);
    expect(queue.active).toHaveLength(1);
    await time.pass(1);
    expect(runs).toBe(expected);
    expect([queue.waiting, queue.active]).toEqual([[], []]);
  },
);

test('a worker that is killed between taking a job and hearing of it has not begun it', async () => {
  const { time, queue, relay, connect } = world();
  let runs = 0;
  const processor = async () => {
    runs += 1;
  };
  connect('one', at('queue.take', 'after', never)).startWorker({ processor });
  await relay.add(jobs(1), io);
  await settled();
  queue.kill('one');
  connect('two').startWorker({ processor });
  expect(runs).toBe(0);
  await time.pass(RECOVERY_MS);
  expect(runs).toBe(1);
});
