import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bounded, closeQuietly } from '../../../src/queue/bounded.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  const left = vi.getTimerCount();
  vi.useRealTimers();
  if (left > 0) throw new Error(`${left} timers are left`);
});

const forever = new Promise<never>(() => {});
const live = () => new AbortController().signal;

describe('bounded', () => {
  const late = () => new Error('late');

  test('is the work, when it ends in time', async () => {
    const io = { signal: live(), deadlineMs: 10 };
    await expect(bounded(Promise.resolve(1), io, late)).resolves.toBe(1);
    await expect(bounded(Promise.reject(new Error('no')), io, late)).rejects.toThrow('no');
  });

  test('ends when the time is over, and a later failure of the work disturbs nobody', async () => {
    const work = Promise.withResolvers<number>();
    const result = bounded(work.promise, { signal: live(), deadlineMs: 10 }, late);
    const failure = result.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    work.reject(new Error('nobody waits for this'));
    expect(await failure).toEqual(late());
  });

  test('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const result = bounded(forever, { signal: stop.signal, deadlineMs: 10 }, late);
    stop.abort(new Error('stopping'));
    await expect(result).rejects.toThrow('stopping');
    await expect(bounded(forever, { signal: stop.signal, deadlineMs: 10 }, late)).rejects.toThrow(
      'stopping',
    );
  });
});

describe('closeQuietly', () => {
  test('says whether it closed, and never throws or waits for ever', async () => {
    await expect(closeQuietly(Promise.resolve(), 10)).resolves.toBe(true);
    await expect(closeQuietly(Promise.reject(new Error('no')), 10)).resolves.toBe(false);
    const stuck = closeQuietly(forever, 10);
    await vi.advanceTimersByTimeAsync(10);
    await expect(stuck).resolves.toBe(false);
  });
});
