import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EffectJob } from '../../src/queue/job.ts';
import { JOB_OPTIONS, SUBMIT_JOB, jobIdOf } from '../../src/queue/job.ts';
import { queueSuite } from '../kit/queue-suite.ts';
import { first, io, isEmpty, newEffectId, until } from '../kit/queue-under-test.ts';
import type { QueueServer } from './queue-kit.ts';
import { openWorld, peek, usableQueueServers } from './queue-kit.ts';

describe.each(await usableQueueServers('jobs'))('queue on $kind', ({ start }) => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  queueSuite(() => openWorld(server));

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

  test('what fails is not kept', async () => {
    await using world = await openWorld(server);
    let runs = 0;
    await world.worker(async () => {
      runs += 1;
      throw new Error('no such luck');
    });
    await world.queue.add([first(newEffectId())], io);
    await until(async () => runs > 0 && (await isEmpty(world.queue)), 'the job has failed');
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
});
