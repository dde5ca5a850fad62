import { expect, test } from 'vitest';
import { claimingTogether } from '../../../workers/claims.ts';
import type { Claim, Claimed, StartedAttempt } from '../../../src/app/ports/outbox.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { change } from '../app/made.ts';

const begun = (attempt: number): StartedAttempt => ({
  change: change(),
  attempt,
  lifecycle: null,
  through: null,
  circuit: null,
});

interface Batch {
  readonly claims: readonly Claim[];
  readonly io: Io;
  readonly end: (claimed: readonly Claimed[]) => void;
  readonly fail: (error: Error) => void;
}

/** Waits for the next turn of the event loop. Claims that are made after it do not belong to the same batch. */
const nextBreath = () => new Promise((resolve) => setImmediate(resolve));

/** Returns a claimer whose batches end when the test ends them. A claim outside of a batch gets attempt number 100. */
function claiming() {
  const batches: Batch[] = [];
  const alone: string[] = [];
  const claim = claimingTogether({
    startAttempts: (claims, io) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Claimed[]>();
      batches.push({ claims, io, end: resolve, fail: reject });
      return promise;
    },
    startAttempt: async (effect, _dispatchNo, submissionId) => {
      alone.push(`${effect} ${submissionId}`);
      return begun(100);
    },
  });
  const ask = (name: string, { signal = new AbortController().signal, deadlineMs = 1_000 } = {}) =>
    claim(trusted(name), 1, trusted(`of ${name}`), { signal, deadlineMs });
  const names = () => batches.map(({ claims }) => claims.map(({ effect }) => effect));
  return { ask, batches, alone, names };
}

test('effects that find no claim under way are claimed at once, and those that find one by the next', async () => {
  const { ask, batches, alone, names } = claiming();
  const all = [ask('a'), ask('b')];
  await expect.poll(names).toEqual([['a', 'b']]);
  all.push(ask('c'), ask('d'));
  batches[0]!.end([begun(1), null]);
  await expect.poll(names).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  batches[1]!.end([null, begun(4)]);
  expect((await Promise.all(all)).map((one) => one?.attempt)).toEqual([1, undefined, undefined, 4]);
  expect(alone).toEqual([]);
});

test('what is to be claimed apart is, under its own submission ID, and holds up no batch', async () => {
  const { ask, batches, alone, names } = claiming();
  const first = ask('a');
  await nextBreath();
  const second = ask('b');
  batches[0]!.end(['apart']);
  expect((await first)?.attempt).toBe(100);
  expect(alone).toEqual(['a of a']);
  await expect.poll(names).toEqual([['a'], ['b']]);
  batches[1]!.end([begun(2)]);
  expect((await second)?.attempt).toBe(2);
});

test('what a claim fails with all of it fails with, and nothing of it is claimed again', async () => {
  const { ask, batches, alone } = claiming();
  const first = ask('a');
  await nextBreath();
  const others = Promise.allSettled([ask('b'), ask('c')]);
  batches[0]!.end([begun(1)]);
  await first;
  await expect.poll(() => batches).toHaveLength(2);
  batches[1]!.fail(new Error('the database is away'));
  expect(await others).toMatchObject([
    { reason: { message: 'the database is away' } },
    { reason: { message: 'the database is away' } },
  ]);
  expect(alone).toEqual([]);
});

test('a job that stops waiting is not claimed, and its neighbours are', async () => {
  const { ask, batches, names } = claiming();
  const stopping = new AbortController();
  const first = ask('a');
  await nextBreath();
  const gone = ask('b', { signal: stopping.signal });
  const last = ask('c');
  stopping.abort(new Error('the worker is stopping'));
  await expect(gone).rejects.toThrow('the worker is stopping');
  batches[0]!.end([begun(1)]);
  await first;
  await expect.poll(names).toEqual([['a'], ['c']]);
  batches[1]!.end([begun(3)]);
  expect((await last)?.attempt).toBe(3);
});

test('a claim has the time of the job that may wait longest', async () => {
  const { ask, batches } = claiming();
  const first = ask('a');
  await nextBreath();
  const others = [ask('b', { deadlineMs: 10 }), ask('c', { deadlineMs: 5_000 })];
  batches[0]!.end([begun(1)]);
  await first;
  await expect.poll(() => batches).toHaveLength(2);
  expect(batches[1]!.io.deadlineMs).toBeGreaterThan(1_000);
  expect(batches[1]!.io.deadlineMs).toBeLessThanOrEqual(5_000);
  batches[1]!.end([begun(2), begun(3)]);
  await Promise.all(others);
});
