import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Wakeup, sleep } from '../../../src/app/ports/wakeup.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  const left = vi.getTimerCount();
  vi.useRealTimers();
  if (left > 0) throw new Error(`${left} timers are left`);
});

const live = () => new AbortController().signal;

describe('sleep', () => {
  test('lasts as long as it says, unless it is cut short', async () => {
    const stop = new AbortController();
    let ended = 0;
    const slept = sleep(100, stop.signal).then(() => {
      ended += 1;
      return ended;
    });
    await vi.advanceTimersByTimeAsync(99);
    expect(ended).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    await slept;

    const cut = sleep(100, stop.signal);
    stop.abort();
    await cut;
    await sleep(100, stop.signal);
    expect(ended).toBe(1);
  });

  test('keeps the process alive unless it is told not to', async () => {
    vi.useRealTimers();
    const stop = new AbortController();
    const kept = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = kept();
    const slept = [sleep(60_000, stop.signal)];
    expect(kept()).toBe(before + 1);
    slept.push(sleep(60_000, stop.signal, false));
    expect(kept()).toBe(before + 1);
    stop.abort();
    await Promise.all(slept);
    vi.useFakeTimers();
  });
});

describe('a wake-up', () => {
  test('ends the wait', async () => {
    const wakeup = new Wakeup();
    const waiting = wakeup.wait(1_000, live());
    wakeup.wake();
    expect(await waiting).toBe(true);
    expect(wakeup.isPending).toBe(false);
  });

  test('is kept, once, for the next wait', async () => {
    const wakeup = new Wakeup();
    wakeup.wake();
    wakeup.wake();
    expect(await wakeup.wait(1_000, live())).toBe(true);
    let isOver = false;
    const again = wakeup.wait(50, live()).then((isEarly) => {
      isOver = true;
      return isEarly;
    });
    await vi.advanceTimersByTimeAsync(49);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await again).toBe(false);
  });

  test('is forgotten when it is looked after', async () => {
    const wakeup = new Wakeup();
    wakeup.wake();
    expect(wakeup.isPending).toBe(true);
    wakeup.clear();
    expect(wakeup.isPending).toBe(false);
    const waiting = wakeup.wait(10, live());
    await vi.advanceTimersByTimeAsync(10);
    expect(await waiting).toBe(false);
  });

  test('is not needed once the signal fires', async () => {
    const stop = new AbortController();
    const wakeup = new Wakeup();
    const waiting = wakeup.wait(1_000, stop.signal);
    stop.abort();
    expect(await waiting).toBe(true);
    expect(await wakeup.wait(1_000, stop.signal)).toBe(true);
  });

  test('leaves nothing at the signal, however the wait has ended', async () => {
    const stop = new AbortController();
    const listeners = () => getEventListeners(stop.signal, 'abort').length;
    const wakeup = new Wakeup();
    const woken = wakeup.wait(1_000, stop.signal);
    expect(listeners()).toBe(1);
    wakeup.wake();
    await woken;
    expect(listeners()).toBe(0);
    const late = wakeup.wait(10, stop.signal);
    await vi.advanceTimersByTimeAsync(10);
    await late;
    expect(listeners()).toBe(0);
  });

  test('is for one waiter: of two, the later one hears it, and the other has its time', async () => {
    const wakeup = new Wakeup();
    const ended: string[] = [];
    const first = wakeup.wait(100, live()).then(() => ended.push('first'));
    const second = wakeup.wait(100, live()).then(() => ended.push('second'));
    wakeup.wake();
    await second;
    await vi.advanceTimersByTimeAsync(99);
    expect(ended).toEqual(['second']);
    await vi.advanceTimersByTimeAsync(1);
    await first;
  });
});
