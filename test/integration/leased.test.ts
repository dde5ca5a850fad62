import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { LeaseLostError, leased } from '../../src/app/engine/lanes/leased.ts';
import type { LeasedRole, Term } from '../../src/app/engine/lanes/leased.ts';
import type { Leases } from '../../src/app/ports/leases.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { io } from '../kit/store-rows.ts';

/* Leases: which process has a role, as the clock and the rows of a real PostgreSQL decide. */

const running: { readonly stopping: AbortController; readonly done: Promise<void> }[] = [];

afterEach(async () => {
  for (const { stopping } of running) stopping.abort();
  await Promise.all(running.splice(0).map(({ done }) => done));
});

interface Player {
  /** The epochs of all terms in which the process held the lease, including ended ones. */
  readonly terms: bigint[];
  readonly failures: unknown[];
  isPlaying: boolean;
  standbys: number;
  stop(): Promise<void>;
}

const untilOver = ({ signal }: Term): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function play(
  leases: Leases,
  holder: string,
  more: Partial<LeasedRole> = {},
  work: (term: Term) => Promise<void> = untilOver,
): Player {
  const stopping = new AbortController();
  const player = {
    terms: [] as bigint[],
    failures: [] as unknown[],
    isPlaying: false,
    standbys: 0,
  };
  const role: LeasedRole = {
    leases,
    name: PROJECTOR_LEASE,
    holder,
    ttlMs: 400,
    random: () => 0,
    onStandby: () => {
      player.standbys += 1;
    },
    onFailure: (error) => player.failures.push(error),
    ...more,
  };
  const done = leased(role, stopping.signal, async (term) => {
    player.terms.push(term.epoch);
    player.isPlaying = true;
    try {
      await work(term);
    } finally {
      player.isPlaying = false;
    }
  });
  running.push({ stopping, done });
  const stop = () => {
    stopping.abort();
    return done;
  };
  return Object.assign(player, { stop });
}

test('work that lasts longer than the lease keeps it, and whoever stops gives it back at once', async () => {
  await using under = await postgresStore();
  // The lease lasts longer than in other tests, because a busy machine may stall for so long that a shorter lease would
  // be lost.
  const ttlMs = 2_000;
  const one = play(under.leases, 'one', { ttlMs });
  await expect.poll(() => one.isPlaying).toBe(true);
  const two = play(under.leases, 'two', { ttlMs });
  await expect.poll(() => two.standbys).toBeGreaterThan(6);
  expect([one.terms, one.failures, two.terms]).toEqual([[1n], [], []]);
  await one.stop();
  await expect.poll(() => two.isPlaying, { interval: 10 }).toBe(true);
  expect(two.terms).toEqual([2n]);
});

test('a holder that is silent loses it when it runs out, hears of it, and stands by', async () => {
  await using under = await postgresStore();
  const silence = { isOver: true };
  const silent: Leases = {
    ...under.leases,
    renew: async (...of) => {
      // This imitates a paused process, which notices only after it resumes that it has lost the lease.
      while (!silence.isOver) await sleep(20);
      return under.leases.renew(...of);
    },
  };
  const one = play(silent, 'one');
  await expect.poll(() => one.isPlaying).toBe(true);
  const two = play(under.leases, 'two');
  silence.isOver = false;
  await expect.poll(() => two.isPlaying, { interval: 10 }).toBe(true);
  // The process has not noticed yet that it has lost the lease. Only the epoch prevents its writes.
  expect(one.isPlaying).toBe(true);
  silence.isOver = true;
  await expect.poll(() => one.failures).toEqual([expect.any(LeaseLostError)]);
  expect(one.isPlaying).toBe(false);
  await expect.poll(() => one.standbys).toBeGreaterThan(0);
  expect(two.isPlaying).toBe(true);
});

test('what fails is started over, after pauses that grow', async () => {
  await using under = await postgresStore();
  const atMs: number[] = [];
  const one = play(under.leases, 'one', {}, () => {
    atMs.push(performance.now());
    return Promise.reject(new Error('again'));
  });
  await expect.poll(() => atMs.length).toBeGreaterThanOrEqual(4);
  await one.stop();
  const gaps = atMs.slice(1).map((at, index) => at - (atMs[index] ?? 0));
  expect(gaps[0]).toBeGreaterThanOrEqual(124);
  expect(gaps[1]).toBeGreaterThanOrEqual(249);
  expect(gaps[2]).toBeGreaterThanOrEqual(499);
});

test('a transaction that was paused before its commit holds up whoever takes over for a bounded time', async () => {
  await using under = await postgresStore();
  const { leases, store, pool } = under;
  const epoch = (await leases.acquire(PROJECTOR_LEASE, 'one', 100, io())) ?? 0n;
  const move = { stream: UPDATES_STREAM, from: 0n, to: 5n, recordTime: null };
  await store.transact(io(), (tx) => tx.startCursor(move, epoch));
  const paused = Promise.withResolvers<void>();
  const writing = store.transact(io(), async (tx) => {
    expect(await tx.moveCursors([{ ...move, from: 5n, to: 9n }], epoch)).toBe(true);
    await paused.promise;
  });
  const ended = writing.catch((error: unknown) => error);
  const two = play(leases, 'two');
  await expect.poll(() => two.isPlaying).toBe(true);
  paused.resolve();
  expect(await ended).toBeInstanceOf(Error);
  const { rows } = await pool.query('select "offset" from query_store_offset');
  expect(rows).toEqual([{ offset: 5n }]);
});
