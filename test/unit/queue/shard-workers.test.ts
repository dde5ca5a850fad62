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
    // The one after it has been looked at all the same.
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
