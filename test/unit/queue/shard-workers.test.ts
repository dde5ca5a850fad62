import { expect, test, vi } from 'vitest';
import { startShardWorkers } from '../../../src/queue/shard-workers.ts';
import type { QueueWorker } from '../../../src/queue/worker.ts';

function workerOf(stopped: () => void): QueueWorker {
  const over = Promise.withResolvers<void>();
  return {
    state: 'running',
    running: 0,
    ended: over.promise,
    stop() {
      stopped();
      over.resolve();
      return over.promise;
    },
  };
}

test('a retired queue that cannot be asked keeps its worker, fails no start, and is asked again', async () => {
  const stopped: number[] = [];
  const warn = vi.fn();
  const isEmpty = vi.fn<(shard: number) => Promise<boolean>>();
  isEmpty.mockRejectedValueOnce(new Error('its node is away')).mockResolvedValue(true);
  const log = { warn, error: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const workers = await startShardWorkers({
    read: async () => ({ shards: 1, most: 3 }),
    start: async (shard) => workerOf(() => stopped.push(shard)),
    isEmpty,
    onCount: () => undefined,
    log,
  });
  try {
    // The shard after the failed one was checked nevertheless.
    expect(stopped).toEqual([2]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(
      { shard: 1, error: expect.stringContaining('its node is away') },
      expect.any(String),
    );
    workers.wake();
    await vi.waitFor(() => expect(stopped).toEqual([2, 1]));
  } finally {
    await workers.stop();
  }
  expect(new Set(stopped)).toEqual(new Set([2, 1, 0]));
});

const NODE_AWAY = new Error('its node is away');

/** Starts workers. The test changes the number of shards, and the first starts of one shard fail. */
async function startWith(count: { shards: number; most: number }, failing: number) {
  const [started, stopped]: [number[], number[]] = [[], []];
  const warn = vi.fn();
  const isAway = vi.fn((shard: number) => shard === failing);
  const workers = await startShardWorkers({
    read: async () => ({ ...count }),
    start: async (shard) => {
      if (isAway(shard)) throw NODE_AWAY;
      started.push(shard);
      return workerOf(() => stopped.push(shard));
    },
    isEmpty: async () => false,
    onCount: () => undefined,
    log: { warn, error: vi.fn(), info: vi.fn() },
  });
  return { workers, started, stopped, warn, isAway };
}

test('a retired queue whose worker does not start fails no start, and is tried again', async () => {
  const { workers, started, warn, isAway } = await startWith({ shards: 1, most: 3 }, 1);
  try {
    expect(started).toEqual([0, 2]);
    expect(warn).toHaveBeenCalledWith(
      { shard: 1, error: expect.stringContaining('its node is away') },
      expect.stringContaining('retired queue'),
    );
    isAway.mockReturnValue(false);
    workers.wake();
    await vi.waitFor(() => expect(started).toEqual([0, 2, 1]));
  } finally {
    await workers.stop();
  }
});

test('a queue in use whose worker does not start fails a start, and what was started is stopped', async () => {
  await expect(startWith({ shards: 2, most: 2 }, 1)).rejects.toBe(NODE_AWAY);
});

test('a new queue whose worker does not start holds up none of the others', async () => {
  const count = { shards: 1, most: 1 };
  const { workers, started, isAway } = await startWith(count, 1);
  try {
    count.shards = 3;
    workers.wake();
    await vi.waitFor(() => expect(started).toEqual([0, 2]));
    isAway.mockReturnValue(false);
    workers.wake();
    await vi.waitFor(() => expect(started).toEqual([0, 2, 1]));
  } finally {
    await workers.stop();
  }
});
