import { describe, expect, test, vi } from 'vitest';
import { ProblemError } from '../../../src/domain/problems.ts';
import { Admission } from '../../../src/http/kit/admission.ts';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { toProblem, problemHeaders } from '../../../src/http/kit/problem.ts';

const of = (party: string, subject = 'anna') => ({ party, subject });
const never = new AbortController().signal;

/** Returns work that ends when the test ends it. */
function gate() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    work: (name: string) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
    /** Ends the oldest work in progress, and waits for what follows from this. */
    end: async (): Promise<void> => {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const codeOf = (running: Promise<unknown>) =>
  running.then(
    () => 'done',
    (error: unknown) => (error instanceof ProblemError ? error.details.code : error),
  );

test('so many at once, the others in the order of their coming', async () => {
  const admission = new Admission({ atOnce: 2, waitMsMax: 60_000 });
  const { work, begun, end } = gate();
  const all = ['a', 'b', 'c', 'd'].map((name) => admission.run(of('one'), never, work(name)));
  expect(begun).toEqual(['a', 'b']);
  await end();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (let n = 0; n < 3; n += 1) await end();
  await Promise.all(all);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('whoever asks for much waits behind itself, and not in front of others', async () => {
  const admission = new Admission({ atOnce: 1, waitMsMax: 60_000 });
  const { work, begun, end } = gate();
  const greedy = [1, 2, 3, 4].map((n) => admission.run(of('greedy'), never, work(`greedy ${n}`)));
  const modest = admission.run(of('modest'), never, work('modest'));
  for (let n = 0; n < 5; n += 1) await end();
  await Promise.all([...greedy, modest]);
  expect(begun).toEqual(['greedy 1', 'greedy 2', 'modest', 'greedy 3', 'greedy 4']);
});

describe('what cannot be done in time', () => {
  test('is refused before it begins, as soon as that is known', async () => {
    const admission = new Admission({ atOnce: 1, waitMsMax: 60 });
    const { work, begun, end } = gate();
    const all = Array.from({ length: 20 }, (_, n) => admission.run(of('one'), never, work(`${n}`)));
    const ends = all.map(codeOf);
    // Each request is expected to take ten milliseconds. This limits the number of requests that may wait.
    expect(await Promise.all(ends.slice(7))).toEqual(
      Array.from({ length: 13 }, () => 'OVERLOADED'),
    );
    // Requests that were allowed to wait are refused when their time limit has passed.
    expect(await Promise.all(ends.slice(1, 7))).toEqual(
      Array.from({ length: 6 }, () => 'OVERLOADED'),
    );
    await end();
    expect(await ends[0]).toBe('done');
    expect(begun).toEqual(['0']);
    // Refused requests do not block the queue.
    const next = admission.run(of('one'), never, work('next'));
    await end();
    expect(await codeOf(next)).toBe('done');
  });

  test('a caller of its own is let in where a greedy one is refused', async () => {
    const admission = new Admission({ atOnce: 1, waitMsMax: 60 });
    const { work, begun, end } = gate();
    const greedy = Array.from({ length: 20 }, () =>
      codeOf(admission.run(of('greedy'), never, work('g'))),
    );
    const modest = codeOf(admission.run(of('modest'), never, work('modest')));
    await end();
    await end();
    expect(begun.slice(0, 3)).toContain('modest');
    for (let n = 0; n < 20; n += 1) await end();
    expect(await modest).toBe('done');
    expect(await Promise.all(greedy)).toContain('OVERLOADED');
  });

  test('says when to come back', async () => {
    const admission = new Admission({ atOnce: 1, waitMsMax: 10 });
    const { work, end } = gate();
    const first = admission.run(of('one'), never, work('first'));
    const second = codeOf(admission.run(of('one'), never, work('second')));
    const refused: unknown = await admission
      .run(of('one'), never, work('third'))
      .catch((error) => error);
    const details = toProblem(refused, { databaseOutage: () => null });
    expect(details).toMatchObject({ code: 'OVERLOADED', status: 503 });
    expect(problemHeaders(details)).toEqual({ 'retry-after': '1' });
    await end();
    await first;
    await end();
    await second;
  });
});

test('whoever goes away gives up the turn, and is not begun', async () => {
  const admission = new Admission({ atOnce: 1, waitMsMax: 60_000 });
  const { work, begun, end } = gate();
  const first = admission.run(of('one'), never, work('first'));
  const gone = new AbortController();
  const reason = new Error('gone');
  const second = codeOf(admission.run(of('one'), gone.signal, work('second')));
  gone.abort(reason);
  expect(await second).toBe(reason);
  await end();
  await first;
  expect(begun).toEqual(['first']);
  await expect(admission.run(of('one'), gone.signal, work('third'))).rejects.toBe(reason);
});

test('while another tenant waits long, a tenant begins some changes, and the next ones a moment later', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  try {
    const admission = new Admission({ atOnce: 100, waitMsMax: 60_000 });
    const begun: string[] = [];
    const write = (party: string) =>
      admission.run(of(party), never, async () => void begun.push(party));
    const count = (party: string) => begun.filter((each) => each === party).length;
    const outcome = async (ms: number) => {
      const waiting = admission.awaiting(of('modest'), () => sleep(ms));
      await vi.advanceTimersByTimeAsync(ms);
      await waiting;
    };
    const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const { begunMax, begunWindowMs, begunLookMs, delayedMs } = HTTP_LIMITS;
    const many = begunMax + 2;
    await outcome(delayedMs);
    await Promise.all(Array.from({ length: many }, () => write('greedy')));
    expect(count('greedy')).toBe(many);

    await vi.advanceTimersByTimeAsync(begunWindowMs);
    await outcome(2 * delayedMs);
    const beside = Array.from({ length: many }, () => write('greedy'));
    await vi.advanceTimersByTimeAsync(begunWindowMs - 1);
    expect(count('greedy')).toBe(many + begunMax);
    await write('modest');
    await vi.advanceTimersByTimeAsync(1 + begunLookMs);
    expect(count('greedy')).toBe(2 * many);
    await Promise.all(beside);
  } finally {
    vi.useRealTimers();
  }
});
