import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Io } from '../../../src/app/ports/io.ts';
import type { EffectId, LaneId, Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { shardOf } from '../../../src/queue/shards.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { EffectJob } from '../../../src/queue/job.ts';
import type { Dispatch } from '../../../src/queue/backend.ts';
import type { RelayParts } from '../../../src/queue/relay.ts';
import { startRelay } from '../../../src/queue/relay.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  const left = vi.getTimerCount();
  vi.useRealTimers();
  if (left > 0) throw new Error(`${left} timers are left`);
});

const ASKER = { provider: trusted<Party>('provider'), party: trusted<Party>('user') };

type Put = Parameters<RelayParts['outbox']['dispatchDue']>[1];

/** Creates a relay, with an outbox and a queue that the test controls, and records their calls. */
function world(more: {
  dispatchDue?: (put: Put, io: Io) => Promise<number>;
  nextDueInMs?: () => number | null;
  add?: (jobs: readonly Dispatch[], io: Io, isApart?: boolean) => Promise<void>;
  waiting?: () => number;
}) {
  const seen = {
    looks: 0,
    counts: 0,
    now: 0,
    most: 0,
    complaints: [] as string[],
    errors: [] as object[],
  };
  const relay = startRelay({
    outbox: {
      async dispatchDue(_limit, put, io) {
        seen.looks += 1;
        seen.now += 1;
        seen.most = Math.max(seen.most, seen.now);
        try {
          return (await more.dispatchDue?.(put, io)) ?? 0;
        } finally {
          seen.now -= 1;
        }
      },
      nextDueInMs: async () => more.nextDueInMs?.() ?? null,
    },
    queue: {
      add: more.add ?? (async () => {}),
      counts: async () => {
        seen.counts += 1;
        return { waiting: more.waiting?.() ?? 0, active: 0 };
      },
    },
    log: {
      info: (_, message) => seen.complaints.push(message),
      warn: (_, message) => seen.complaints.push(message),
      error: (detail) => seen.errors.push(detail),
    },
  });
  return { relay, seen };
}
const settle = () => vi.advanceTimersByTimeAsync(0);

test('looks at the start and every poll interval', async () => {
  const { relay, seen } = world({});
  await settle();
  expect(seen.looks).toBe(1);
  await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.relayPollMs * 3);
  expect(seen.looks).toBe(4);
  await relay.stop();
});

test('looks when the next effect falls due, and not in a frenzy when another relay holds it', async () => {
  let dueInMs: number | null = 300;
  const { relay, seen } = world({ nextDueInMs: () => dueInMs });
  await settle();
  await vi.advanceTimersByTimeAsync(299);
  expect(seen.looks).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen.looks).toBe(2);
  dueInMs = -5;
  await vi.advanceTimersByTimeAsync(300);
  const before = seen.looks;
  await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.relayAgainMsMin * 10);
  expect(seen.looks - before).toBeLessThanOrEqual(11);
  expect(seen.looks - before).toBeGreaterThanOrEqual(9);
  await relay.stop();
});

test('any number of wake-ups during a look cost one more look, and no two looks overlap', async () => {
  const looks: PromiseWithResolvers<number>[] = [];
  const { relay, seen } = world({
    dispatchDue: () => {
      const look = Promise.withResolvers<number>();
      looks.push(look);
      return look.promise;
    },
  });
  await settle();
  for (let wakes = 0; wakes < 50; wakes += 1) relay.wake();
  await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.relayPollMs * 5);
  expect(seen.looks).toBe(1);
  looks[0]?.resolve(0);
  await settle();
  expect(seen.looks).toBe(2);
  looks[1]?.resolve(0);
  await settle();
  expect(seen.looks).toBe(2);
  expect(seen.most).toBe(1);
  await relay.stop();
});

test('a full batch is followed by the next look at once', async () => {
  let left = 3;
  const { relay, seen } = world({
    dispatchDue: async () => {
      left -= 1;
      return left > 0 ? QUEUE_LIMITS.relayBatchMax : 0;
    },
  });
  await settle();
  expect(seen.looks).toBe(3);
  await relay.stop();
});

test('puts ids and dispatch numbers, and sets aside what has no safe id', async () => {
  const added: EffectJob[] = [];
  const bad = trusted<EffectId>('a:b');
  const good = trusted<EffectId>('good');
  let due = [
    { id: bad, dispatchNo: 1, lane: trusted<LaneId>('a lane'), ...ASKER },
    { id: good, dispatchNo: 2, lane: trusted<LaneId>('b'), ...ASKER },
  ];
  const { relay, seen } = world({
    dispatchDue: async (put) => {
      const taken = due;
      due = [];
      await put(taken, 4, true);
      return taken.length;
    },
    add: async (jobs, _io, isApart) => {
      added.push(...jobs);
      expect(isApart).toBe(true);
    },
  });
  await settle();
  expect(added).toEqual([
    { effectId: good, dispatchNo: 2, shard: shardOf('b', 4), isAhead: false },
  ]);
  expect(seen.errors).toEqual([{ effectId: bad }]);
  await relay.stop();
});

/** Gives these rounds to a relay, one after another. @returns for each round, the effects that overtake the queue */
async function aheadOf(rounds: readonly (readonly string[])[], fails: (round: number) => boolean) {
  const left = rounds.map((parties, round) =>
    parties.map((party, n) => ({
      id: trusted<EffectId>(`${round}-${n}`),
      dispatchNo: 1,
      lane: trusted<LaneId>(`${round}-${n}`),
      provider: ASKER.provider,
      party: trusted<Party>(party),
    })),
  );
  const ahead: string[][] = [];
  let calls = 0;
  const { relay } = world({
    async dispatchDue(put) {
      const [round] = left;
      if (round === undefined) return 0;
      await put(round, 1, false);
      left.shift();
      return round.length;
    },
    async add(jobs) {
      ahead.push(jobs.flatMap(({ isAhead = false, effectId }) => (isAhead ? [effectId] : [])));
      calls += 1;
      if (fails(calls)) throw new Error('no queue');
    },
  });
  while (left.length > 0) {
    relay.wake();
    await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.relayBackoffMsMax);
  }
  await relay.stop();
  return ahead;
}

const LOUD = Array.from({ length: 90 }, () => 'loud');

test('puts ahead who has little of what was dispatched before', async () => {
  expect(await aheadOf([LOUD, ['loud', 'quiet', 'loud']], () => false)).toEqual([[], ['1-1']]);
});

test('forgets a round that was not put, and shares it out alike when it comes again', async () => {
  const flood = [LOUD, ['loud', ...Array.from({ length: 30 }, () => 'quiet')], ['quiet']];
  const [first, failed, again, last] = await aheadOf(flood, (call) => call === 2);
  expect(first).toEqual([]);
  expect(failed).toHaveLength(30);
  expect(again).toEqual(failed);
  expect(last).toEqual(['2-0']);
});

test('backs off while looks fail, whatever wakes it, and says when it is over', async () => {
  let down = true;
  const { relay, seen } = world({
    dispatchDue: async () => {
      if (down) throw new Error('no database');
      return 0;
    },
  });
  const outageMs = 10_000;
  for (let ms = 0; ms < outageMs; ms += 10) {
    relay.wake();
    await vi.advanceTimersByTimeAsync(10);
  }
  // The delays are 50, 100, 200, 400 and 800 ms, and then a second each.
  expect(seen.looks).toBeGreaterThanOrEqual(5 + 7);
  expect(seen.looks).toBeLessThanOrEqual(5 + 10);
  expect(seen.complaints.length).toBeLessThanOrEqual(outageMs / QUEUE_LIMITS.complaintMs + 1);
  down = false;
  await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.relayBackoffMsMax);
  expect(seen.complaints.at(-1)).toBe('the relay dispatches effects again');
  await relay.stop();
});

test('a full queue leaves effects in the outbox until there is room, and is asked once per batch', async () => {
  let waiting = 0;
  let due = QUEUE_LIMITS.relayBatchMax * 20;
  const { relay, seen } = world({
    waiting: () => waiting,
    dispatchDue: async () => {
      const taken = Math.min(due, QUEUE_LIMITS.relayBatchMax);
      due -= taken;
      waiting += Math.ceil(taken / QUEUE_LIMITS.jobEffectsMax);
      return taken;
    },
  });
  const jobs = Math.ceil(QUEUE_LIMITS.relayBatchMax / QUEUE_LIMITS.jobEffectsMax);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(waiting).toBe(Math.ceil(QUEUE_LIMITS.waitingMax / jobs) * jobs);
  // No worker runs, so the relay polls less and less often, and rarely logs this.
  expect(seen.counts).toBeLessThan(5 + 120);
  expect(seen.complaints).not.toEqual([]);
  expect(seen.complaints.length).toBeLessThanOrEqual(60_000 / QUEUE_LIMITS.complaintMs + 1);
  waiting = QUEUE_LIMITS.waitingMax - 1;
  await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.relayBackoffMsMax);
  expect(waiting).toBe(QUEUE_LIMITS.waitingMax - 1 + jobs);
  await relay.stop();
});

test('a few effects cost no question', async () => {
  const { relay, seen } = world({ dispatchDue: async () => 1 });
  await settle();
  for (let wakes = 0; wakes < QUEUE_LIMITS.relayBatchMax - 2; wakes += 1) {
    relay.wake();
    await settle();
  }
  expect(seen.counts).toBe(1);
  await relay.stop();
});

test('stopping lets a look finish, begins no other, and ends a pause at once', async () => {
  const look = Promise.withResolvers<number>();
  const { relay, seen } = world({ dispatchDue: () => look.promise });
  await settle();
  const stopped = relay.stop();
  expect(relay.state).toBe('draining');
  look.resolve(QUEUE_LIMITS.relayBatchMax);
  await stopped;
  expect(relay.state).toBe('stopped');
  expect(seen.looks).toBe(1);
  relay.wake();
  await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.relayPollMs * 2);
  expect(seen.looks).toBe(1);
});

test('a look that does not end is abandoned after the time to drain', async () => {
  let io: Io | undefined;
  const { relay } = world({
    dispatchDue: (_put, lookIo) => {
      io = lookIo;
      return new Promise((_resolve, reject) => {
        lookIo.signal.addEventListener('abort', () => {
          reject(lookIo.signal.reason as Error);
        });
      });
    },
  });
  await settle();
  const stopped = relay.stop();
  await vi.advanceTimersByTimeAsync(LIMITS.drainMs - 1);
  expect(io?.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await stopped;
  expect(io?.signal.aborted).toBe(true);
  expect(relay.state).toBe('stopped');
});

test('a queue that fails for some seconds is refusing, until it takes effects or nothing was put for long', async () => {
  let fails = true;
  let isDue = true;
  const effect = {
    id: trusted<EffectId>('fx-1'),
    dispatchNo: 1,
    lane: trusted<LaneId>('l'),
    ...ASKER,
  };
  const { relay } = world({
    dispatchDue: async (put) => {
      if (isDue) await put([effect], 1, false);
      return 0;
    },
    nextDueInMs: () => 100,
    add: async () => {
      if (fails) throw new Error('too many notifications in the NOTIFY queue');
    },
  });
  await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.refusingMs - 100);
  expect(relay.refusal()).toBeNull();
  await vi.advanceTimersByTimeAsync(2 * QUEUE_LIMITS.relayBackoffMsMax);
  expect(relay.refusal()).toContain('NOTIFY queue');
  fails = false;
  await vi.advanceTimersByTimeAsync(2 * QUEUE_LIMITS.relayBackoffMsMax);
  expect(relay.refusal()).toBeNull();
  fails = true;
  await vi.advanceTimersByTimeAsync(2 * QUEUE_LIMITS.refusingMs);
  expect(relay.refusal()).not.toBeNull();
  isDue = false;
  await vi.advanceTimersByTimeAsync(QUEUE_LIMITS.refusedRecentMs + QUEUE_LIMITS.relayBackoffMsMax);
  expect(relay.refusal()).toBeNull();
  await relay.stop();
});
