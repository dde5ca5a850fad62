import { afterEach, expect, test, vi } from 'vitest';
import type { Rest } from '../../../src/app/engine/lanes/gathering.ts';
import { createGathering } from '../../../src/app/engine/lanes/gathering.ts';

interface Batch {
  readonly entries: readonly number[];
  readonly signal: AbortSignal;
  readonly end: (outcomes: readonly PromiseSettledResult<string>[]) => void;
  readonly fail: (error: Error) => void;
}

const done = (value: string): PromiseSettledResult<string> => ({ status: 'fulfilled', value });

afterEach(() => {
  vi.useRealTimers();
});

/** Returns a batcher whose batches end when the test ends them. */
function gathering(max: number, atOnce?: number, slowMs?: number) {
  const batches: Batch[] = [];
  const gather = createGathering<number, string>({
    run: async (entries, signal) => {
      const { promise, resolve, reject } =
        Promise.withResolvers<readonly PromiseSettledResult<string>[]>();
      batches.push({ entries, signal, end: resolve, fail: reject });
      return promise;
    },
    max,
    ...(atOnce === undefined ? {} : { atOnce }),
    ...(slowMs === undefined ? {} : { slowMs }),
  });
  const begun = (): (readonly number[])[] => batches.map(({ entries }) => entries);
  const endAll = (of: number): void =>
    batches[of]!.end(batches[of]!.entries.map((entry) => done(`${entry} in ${of}`)));
  return { gather, batches, begun, endAll };
}

test('an idle one begins at once, and what comes meanwhile is the next batch', async () => {
  const { gather, begun, endAll } = gathering(10);
  const first = gather(1);
  expect(begun()).toEqual([[1]]);
  const others = [2, 3, 4].map((entry) => gather(entry));
  expect(begun()).toEqual([[1]]);
  endAll(0);
  expect(await first).toBe('1 in 0');
  await expect.poll(begun).toEqual([[1], [2, 3, 4]]);
  endAll(1);
  expect(await Promise.all(others)).toEqual(['2 in 1', '3 in 1', '4 in 1']);
});

test('a batch has at most so many entries, and the rest waits in order', async () => {
  const { gather, begun, endAll } = gathering(2);
  const all = [1, 2, 3, 4].map((entry) => gather(entry));
  endAll(0);
  await expect.poll(begun).toEqual([[1], [2, 3]]);
  endAll(1);
  await expect.poll(begun).toEqual([[1], [2, 3], [4]]);
  endAll(2);
  expect(await Promise.all(all)).toEqual(['1 in 0', '2 in 1', '3 in 1', '4 in 2']);
});

test('several batches may run at the same time', async () => {
  const { gather, begun, endAll } = gathering(2, 2);
  const all = [1, 2, 3, 4].map((entry) => gather(entry));
  expect(begun()).toEqual([[1], [2]]);
  endAll(1);
  await expect.poll(begun).toEqual([[1], [2], [3, 4]]);
  endAll(0);
  endAll(2);
  expect(await Promise.all(all)).toEqual(['1 in 0', '2 in 1', '3 in 2', '4 in 2']);
});

test('one entry fails without its neighbours, and a batch that fails fails for all of it only', async () => {
  const { gather, batches, begun, endAll } = gathering(10);
  const all = Promise.allSettled([1, 2, 3].map((entry) => gather(entry)));
  batches[0]!.fail(new Error('the whole batch'));
  await expect.poll(begun).toEqual([[1], [2, 3]]);
  batches[1]!.end([{ status: 'rejected', reason: new Error('the one') }, done('well')]);
  expect(await all).toMatchObject([
    { reason: { message: 'the whole batch' } },
    { reason: { message: 'the one' } },
    { value: 'well' },
  ]);
  const after = gather(4);
  endAll(2);
  expect(await after).toBe('4 in 2');
});

test('a batch that says too little of its entries fails for those', async () => {
  const { gather, batches } = gathering(10);
  const one = gather(1);
  batches[0]!.end([]);
  await expect(one).rejects.toThrow('the batch said nothing of an entry');
});

test('an entry that is given up before its batch begins is not in it', async () => {
  const { gather, begun, endAll } = gathering(10);
  const first = gather(1);
  const stopping = new AbortController();
  const second = gather(2, stopping.signal);
  const third = gather(3, new AbortController().signal);
  stopping.abort(new Error('stopping'));
  await expect(second).rejects.toThrow('stopping');
  await expect(gather(4, stopping.signal)).rejects.toThrow('stopping');
  endAll(0);
  await first;
  await expect.poll(begun).toEqual([[1], [3]]);
  endAll(1);
  expect(await third).toBe('3 in 1');
});

test('an entry that is given up later leaves its neighbours their batch, until the last one is', async () => {
  const { gather, batches, begun, endAll } = gathering(10);
  const first = gather(1);
  const [stopping, closing] = [new AbortController(), new AbortController()];
  const second = gather(2, stopping.signal);
  const third = gather(3, closing.signal);
  endAll(0);
  await first;
  await expect.poll(begun).toEqual([[1], [2, 3]]);
  stopping.abort(new Error('stopping'));
  await expect(second).rejects.toThrow('stopping');
  expect(batches[1]!.signal.aborted).toBe(false);
  closing.abort(new Error('closing'));
  await expect(third).rejects.toThrow('closing');
  expect(batches[1]!.signal.aborted).toBe(true);
  const next = gather(5);
  endAll(1);
  await expect.poll(begun).toEqual([[1], [2, 3], [5]]);
  endAll(2);
  expect(await next).toBe('5 in 2');
});

test('a batch that takes long holds up no other, and is answered all the same', async () => {
  const { gather, begun, endAll } = gathering(10, 1, 20);
  const stuck = gather(1);
  const next = gather(2);
  await expect.poll(begun).toEqual([[1], [2]]);
  endAll(1);
  expect(await next).toBe('2 in 1');
  endAll(0);
  expect(await stuck).toBe('1 in 0');
  // The batch that got stuck is counted once, however it ends.
  const [third, fourth] = [gather(3), gather(4)];
  await expect.poll(() => begun().length).toBeGreaterThan(2);
  expect(begun()[2]).toEqual([3]);
  endAll(2);
  await third;
  await expect.poll(begun).toEqual([[1], [2], [3], [4]]);
  endAll(3);
  expect(await fourth).toBe('4 in 3');
});

const REST_MS = 30;

/** Returns a batcher whose batches end without the test. */
function restingGathering(isWanted: Rest['isWanted'], max = 3) {
  const batches: (readonly number[])[] = [];
  const gather = createGathering<number, string>({
    run: async (entries) => {
      batches.push(entries);
      return entries.map((entry) => done(`${entry}`));
    },
    max,
    rest: { ms: REST_MS, isWanted },
  });
  return { gather, batches };
}

test('while a rest is wanted, a batch begins so long after the one before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { gather, batches } = restingGathering(() => true);
  expect(await gather(1)).toBe('1');
  vi.advanceTimersByTime(REST_MS - 10);
  const [second, third] = [gather(2), gather(3)];
  vi.advanceTimersByTime(9);
  expect(batches).toEqual([[1]]);
  vi.advanceTimersByTime(1);
  expect(await Promise.all([second, third])).toEqual(['2', '3']);
  expect(batches).toEqual([[1], [2, 3]]);
  vi.advanceTimersByTime(REST_MS);
  expect(await gather(4)).toBe('4');
});

test('what is given up meanwhile is in no batch', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { gather, batches } = restingGathering(() => true);
  await gather(1);
  const stopping = new AbortController();
  const second = gather(2, stopping.signal);
  stopping.abort(new Error('stopping'));
  await expect(second).rejects.toThrow('stopping');
  vi.advanceTimersByTime(REST_MS);
  expect(batches).toEqual([[1]]);
});

test('a batch that is full does not rest, nor does one when no rest is wanted any more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let isWanted = true;
  const { gather, batches } = restingGathering(() => isWanted, 2);
  await gather(1);
  const full = [gather(2), gather(3)];
  expect(await Promise.all(full)).toEqual(['2', '3']);
  const fourth = gather(4);
  expect(batches).toEqual([[1], [2, 3]]);
  isWanted = false;
  expect(await Promise.all([fourth, gather(5)])).toEqual(['4', '5']);
  expect(batches).toEqual([[1], [2, 3], [4, 5]]);
});

test('what is asked for in one breath can be one batch from the first', async () => {
  const batches: (readonly number[])[] = [];
  const gather = createGathering<number, string>({
    run: async (entries) => {
      batches.push(entries);
      return entries.map((entry) => done(`${entry}`));
    },
    max: 10,
    waitsForBreath: true,
  });
  expect(await Promise.all([1, 2, 3].map((entry) => gather(entry)))).toEqual(['1', '2', '3']);
  expect(batches).toEqual([[1, 2, 3]]);
});
