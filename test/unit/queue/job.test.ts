import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EffectId } from '../../../src/domain/ids.ts';
import type { JobData } from '../../../src/queue/job.ts';
import { trusted } from '../../../src/domain/ids.ts';
import {
  JOB_OPTIONS,
  effectsOf,
  idOfJob,
  inJobs,
  placedJobs,
  jobDataOf,
  jobIdOf,
  parseJob,
} from '../../../src/queue/job.ts';

const idOf = (effectId: string, dispatchNo: number) =>
  jobIdOf({ effectId: trusted<EffectId>(effectId), dispatchNo });

const safeId = fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/);
const dispatchNo = fc.integer({ min: 1, max: 1_000_000 });
const first = (id: string) => ({ effectId: trusted<EffectId>(id), dispatchNo: 1 });
const effects = fc.array(
  fc.record({ effectId: safeId.map((id) => trusted<EffectId>(id)), dispatchNo }),
  { maxLength: 40 },
);

describe('job id', () => {
  test('is the effect id and the dispatch number', () => {
    expect(idOf('0192-ab', 3)).toBe('0192-ab-3');
  });

  test('is always one that BullMQ takes: no colon, never a number', () => {
    fc.assert(
      fc.property(safeId, dispatchNo, (id, no) => {
        const jobId = idOf(id, no);
        expect(jobId).not.toContain(':');
        expect(jobId).not.toMatch(/^\d+$/);
        expect(jobId).not.toBe('0');
      }),
    );
  });

  test('tells every dispatch of every effect apart', () => {
    fc.assert(
      fc.property(safeId, dispatchNo, safeId, dispatchNo, (a, m, b, n) => {
        expect(idOf(a, m) === idOf(b, n)).toBe(a === b && m === n);
      }),
    );
  });

  test.each(['', ' ', 'a:b', 'a/b', 'a b', 'a\n', 'ä', 'a'.repeat(129)])(
    'refuses the unsafe effect id %j',
    (id) => {
      expect(() => idOf(id, 1)).toThrow(/not a safe effect id/);
    },
  );

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'refuses the dispatch number %d',
    (no) => {
      expect(() => idOf('a', no)).toThrow(/not a dispatch number/);
    },
  );
});

describe('job data', () => {
  test('survives the way through a store', () => {
    fc.assert(
      fc.property(safeId, dispatchNo, (id, no) => {
        const job = { effectId: trusted<EffectId>(id), dispatchNo: no };
        expect(parseJob(JSON.parse(JSON.stringify(job)))).toEqual(job);
      }),
    );
  });

  test('carries as many effects as there are, in groups of no more than so many', () => {
    fc.assert(
      fc.property(effects, fc.integer({ min: 1, max: 9 }), (all, max) => {
        const jobs = inJobs(all, max);
        const stored = jobs.map((job) => parseJob(JSON.parse(JSON.stringify(job))));
        expect(stored.flatMap(effectsOf)).toEqual(all);
        expect(jobs).toHaveLength(Math.ceil(all.length / max));
        expect(Math.max(0, ...jobs.map((job) => effectsOf(job).length))).toBeLessThanOrEqual(max);
      }),
    );
  });

  test('shares no job between what goes ahead and what does not, and puts in front the first of it last', () => {
    fc.assert(
      fc.property(effects, fc.integer({ min: 1, max: 9 }), fc.nat(4), (all, max, every) => {
        const placed = placedJobs(
          all.map((effect, n) => ({ ...effect, isAhead: n % 5 < every })),
          max,
        );
        const line: JobData[] = [];
        for (const { data, isAhead } of placed) {
          if (isAhead) line.unshift(data);
          else line.push(data);
        }
        const inTurn = [true, false].flatMap((isAhead) =>
          inJobs(
            all.filter((_, n) => n % 5 < every === isAhead),
            max,
          ),
        );
        expect(line).toEqual(inTurn);
      }),
    );
  });

  test('of one effect is what it was before there were others', () => {
    const job = { effectId: trusted<EffectId>('a'), dispatchNo: 2 };
    expect(inJobs([job], 8)).toEqual([job]);
    expect(idOfJob(job)).toBe('a-2');
  });

  test('that shares only some effects with another has another id', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => first(id));
    const [ab, abAgain] = [jobDataOf([a!, b!]), jobDataOf([a!, b!])];
    expect(idOfJob(ab)).toBe(idOfJob(abAgain));
    const ids = [ab, jobDataOf([a!]), jobDataOf([a!, c!]), jobDataOf([a!, b!, c!])].map(idOfJob);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+$/u);
  });

  test.each([
    null,
    undefined,
    'a',
    {},
    { effectId: 'a' },
    { dispatchNo: 1 },
    { effectId: 1, dispatchNo: 1 },
    { effectId: 'a', dispatchNo: '1' },
    { effectId: 'a:b', dispatchNo: 1 },
    { effectId: 'a', dispatchNo: 0 },
    { effectId: 'a', dispatchNo: 1, more: {} },
    { effectId: 'a', dispatchNo: 1, more: [{ effectId: 'b' }] },
  ])('is refused when it is something else: %j', (raw) => {
    expect(() => parseJob(raw)).toThrow(TypeError);
  });

  test('is the ids and nothing else, whatever came with them', () => {
    expect(parseJob({ effectId: 'a', dispatchNo: 1, secret: 'x' })).toEqual({
      effectId: 'a',
      dispatchNo: 1,
    });
  });
});

test('no job is retried by BullMQ, and none is kept, by count or otherwise', () => {
  expect(JOB_OPTIONS).toEqual({ attempts: 1, removeOnComplete: true, removeOnFail: true });
});
