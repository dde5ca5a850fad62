import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import {
  DatabaseDeadlineError,
  Deadline,
  isDatabaseUnavailable,
} from '../../../src/store/sql/deadline.ts';
import { io } from '../../kit/store-rows.ts';

test('it ends with the time, and says so', async () => {
  using deadline = new Deadline(io(20));
  expect(deadline.isOver()).toBe(false);
  expect(deadline.remainingMs()).toBeLessThanOrEqual(20);
  await expect(deadline.over).rejects.toBeInstanceOf(DatabaseDeadlineError);
  expect(deadline.isOver()).toBe(true);
  // The minimum is 1, because for PostgreSQL zero means no limit.
  expect(deadline.remainingMs()).toBe(1);
});

test('it ends with the signal, for the reason of the signal', async () => {
  const stop = new AbortController();
  using deadline = new Deadline(io(60_000, stop.signal));
  const reason = new Error('gone');
  stop.abort(reason);
  await expect(deadline.over).rejects.toBe(reason);
  expect(deadline.isOver()).toBe(true);
  expect(() => new Deadline(io(60_000, stop.signal))).toThrow(reason);
});

test('once disposed it leaves no timer and no listener behind', () => {
  vi.useFakeTimers();
  try {
    const { signal } = new AbortController();
    const deadline = new Deadline(io(10, signal));
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([1, 1]);
    deadline[Symbol.dispose]();
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('only outages count as outages', () => {
  expect(isDatabaseUnavailable(new DatabaseDeadlineError(5))).toBe(true);
  expect(isDatabaseUnavailable(new Error('a bug'))).toBe(false);
  expect(isDatabaseUnavailable(undefined)).toBe(false);
});
