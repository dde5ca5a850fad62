import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReadTime } from '../../../src/http/kit/tenant-limits.ts';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';

/* The share of its time that a process may spend on reads. The test advances the clock and the event loop. */

const PERCENT = 60;
const SHARE_MS = (HTTP_LIMITS.loopWindowMs * PERCENT) / 100;

let busyMs = 0;
let begun: string[] = [];
const leaves: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setImmediate'] });
  [busyMs, begun] = [0, []];
  leaves.length = 0;
});
afterEach(() => void vi.useRealTimers());

const open = (): ReadTime => new ReadTime(PERCENT, () => ({ nowMs: performance.now(), busyMs }));

async function enter(time: ReadTime, party: string, client = new EventEmitter()) {
  leaves.push(await time.enter({ party, subject: 'anna' }, client));
  begun.push(party);
}

/** Advances the event loop by one turn. */
const turn = () => vi.advanceTimersByTimeAsync(1);

test('one read begins in each turn of the event loop, of each tenant in turn', async () => {
  const time = open();
  for (const party of ['one', 'one', 'one', 'two']) void enter(time, party);
  await Promise.resolve();
  expect(begun.length).toBeLessThan(2);
  await vi.advanceTimersByTimeAsync(10);
  expect(begun).toEqual(['one', 'one', 'two', 'one']);
});

test('none begins after the loop was busy for their part of a window, until the window ends', async () => {
  const time = open();
  void enter(time, 'one');
  await turn();
  busyMs += SHARE_MS;
  void enter(time, 'one');
  await vi.advanceTimersByTimeAsync(HTTP_LIMITS.loopWindowMs - 2);
  expect(begun).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2);
  expect(begun).toHaveLength(2);
});

test('a few are in progress; the next one begins when one is answered, or takes long', async () => {
  const time = open();
  for (let n = 0; n < HTTP_LIMITS.readsAtOnce + 2; n += 1) void enter(time, 'one');
  await vi.advanceTimersByTimeAsync(10);
  expect(begun).toHaveLength(HTTP_LIMITS.readsAtOnce);
  leaves[0]?.();
  leaves[0]?.();
  await vi.advanceTimersByTimeAsync(10);
  expect(begun).toHaveLength(HTTP_LIMITS.readsAtOnce + 1);
  await vi.advanceTimersByTimeAsync(HTTP_LIMITS.loopWindowMs);
  expect(begun).toHaveLength(HTTP_LIMITS.readsAtOnce + 2);
});

test('a client that has gone leaves its turn to others', async () => {
  const time = open();
  await enter(time, 'one');
  const client = new EventEmitter();
  const refused = enter(time, 'gone', client);
  void enter(time, 'two');
  client.emit('close');
  await expect(refused).rejects.toThrow('the client disconnected');
  await vi.advanceTimersByTimeAsync(10);
  expect(begun).toEqual(['one', 'two']);
});
