import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { SCHEDULER_LEASE, PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { completionsStream } from '../../../src/app/ports/streams.ts';
import type { Timers } from '../../../src/app/ports/policies.ts';
import { NO_TRACER } from '../../../src/app/ports/tracing.ts';
import type { Change } from '../../../src/domain/change.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../../src/domain/expiry-policy.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { OPS_LIMITS } from '../../../src/ops/limits.ts';
import { createPolicyDuty } from '../../../src/ops/policy-duty.ts';
import { PROVIDER, io, lifecycle, mailbox, newLane, writes } from '../../kit/store-rows.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import { realAfter, realHooks } from '../../sim/memory/real-hooks.ts';

/*
 * Only Tenure checks grace periods and windows. So a policy acts only when the ledger has confirmed that they have
 * passed.
 */

const DAY_MS = 86_400_000;
const LAPSED = '2026-02-01T00:00:00.000001Z';
const CLOSES = '2026-02-20T00:00:00.000001Z';
const PARTICIPANT = trusted<Change['submitter']['participant']>('app-provider');

/** Opens a world in which both policies are on. This process's clock is one month after the last lapse. */
async function openWorld() {
  const database = createMemoryDatabase({ now: Date.now, after: realAfter });
  const { store, leases, policies, timers } = database.connect('clock', realHooks());
  const epoch = (await leases.acquire(PROJECTOR_LEASE, 'test', 60_000, io())) ?? 0n;
  const cursor = { stream: completionsStream(PARTICIPANT), from: 0n, to: 9n, recordTime: null };
  await store.transact(io(), (tx) => tx.startCursor(cursor, epoch));
  const lease = (await leases.acquire(SCHEDULER_LEASE, 'test', 60_000, io())) ?? 0n;
  const nowMs = isoToMs(CLOSES) + 30 * DAY_MS;
  const by = { provider: PROVIDER, bySubject: 'somebody', at: new Date(nowMs).toISOString() };
  const expiry = { ...DEFAULT_EXPIRY_POLICY, mode: 'on', grace: 'P1D', graceMs: DAY_MS } as const;
  const said = { certainMs: 0, passedMs: 0 };
  const asked: number[] = [];
  const quiet = () => undefined;
  const clockOn = (over: Partial<Timers>) =>
    createPolicyDuty({
      store,
      hosting: {
        provider: PROVIDER,
        projected: PARTICIPANT,
        submitterFor: async () => ({ participant: PARTICIPANT, ledgerUser: 'u', actAs: PROVIDER }),
      },
      model: NEWEST_MODEL,
      wallClock: { nowMs: () => nowMs + said.passedMs },
      ledgerClock: {
        nowMs: () => nowMs,
        pastMs: () => nowMs,
        provenMs: () => said.certainMs,
        certainMs: () => said.certainMs,
        ask: (untilMs) => void asked.push(untilMs),
        refresh: async () => undefined,
        observe: quiet,
      },
      policies,
      timers: { ...timers, ...over },
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      random: () => 0,
      tracer: NO_TRACER,
      isUnavailable: () => false,
      isTimeStatic: false,
    });
  const setBoth = async (isOn: boolean): Promise<void> => {
    await policies.setExpiry({ ...by, policy: { ...expiry, mode: isOn ? 'on' : 'off' } }, io());
    const renewal = { complete: false, withdrawLapsed: isOn };
    await policies.setRenewal({ ...by, policy: renewal }, io());
  };
  await setBoth(true);
  return {
    said,
    asked,
    policies,
    timers,
    setBoth,
    /** Runs the clock, and returns how often it reads timers after a call. */
    counting: async () => {
      let reads = 0;
      const clock = clockOn({
        failed: (...query) => {
          reads += 1;
          return timers.failed(...query);
        },
      });
      const stopping = new AbortController();
      const running = clock.run({ epoch: lease, signal: stopping.signal });
      await expect.poll(() => reads, { interval: 5 }).toBe(1);
      return {
        clock,
        readsAfter: async (call: () => void): Promise<number> => {
          const before = reads;
          call();
          await sleep(4 * OPS_LIMITS.timerGatherMs);
          return reads - before;
        },
        [Symbol.asyncDispose]: async () => {
          stopping.abort();
          await running.catch(quiet);
        },
      };
    },
    /** Runs the clock and advances wall time, until `isDone`. */
    pass: async (over: Partial<Timers>, isDone: () => boolean) => {
      const stopping = new AbortController();
      const running = clockOn(over).run({ epoch: lease, signal: stopping.signal });
      const tick = () => {
        said.passedMs += 20;
        return isDone();
      };
      await expect.poll(tick, { interval: 5 }).toBe(true);
      stopping.abort();
      await running.catch(quiet);
    },
    /**
     * Stops the clock after it has read due timers and before it requests their changes, until another process has
     * taken over.
     */
    isStopped: async () => {
      const clock = clockOn({
        due: async (...query) => {
          const due = await timers.due(...query);
          await leases.release(SCHEDULER_LEASE, 'test', lease, io());
          expect(await leases.acquire(SCHEDULER_LEASE, 'other', 60_000, io())).not.toBeNull();
          return due;
        },
      });
      return clock.run({ epoch: lease, signal: new AbortController().signal });
    },
    changes: () => database.contents.changes().map(({ change }) => change),
    /** Checks every timer once, and then stops the clock. */
    look: async () => {
      const stopping = new AbortController();
      let looks = 0;
      const clock = clockOn({
        nextDue: async (...query) => {
          const next = await timers.nextDue(...query);
          looks += 1;
          return next;
        },
      });
      const running = clock.run({ epoch: lease, signal: stopping.signal });
      await expect.poll(() => looks > 1, { interval: 5 }).toBe(true);
      stopping.abort();
      await running.catch(quiet);
    },
    put: (...all: readonly Lifecycle[]) => {
      const lanes = [...new Set(all.map(({ lane }) => lane))];
      const mailboxes = lanes.map((lane) => mailbox(lane));
      return store.transact(io(), (tx) =>
        tx.save(writes({ lifecycles: all, mailboxes, timerLanes: lanes })),
      );
    },
  };
}

test('a policy keeps grace and windows until the ledger has said that they are past, and has it say so', async () => {
  const world = await openWorld();
  const license = (): Lifecycle =>
    lifecycle({
      kind: 'license',
      lane: newLane(),
      expiresAt: LAPSED,
      context: { expiresAt: LAPSED },
    });
  const [graced, held] = [license(), license()];
  const open = lifecycle({
    kind: 'renewal',
    state: 'requested',
    lane: held.lane,
    originId: held.id,
    context: { settleBefore: CLOSES },
  });
  await world.put(graced, held, open);
  const operations = () => world.changes().map(({ operation }) => operation);
  const graceEndsMs = isoToMs(LAPSED) + DAY_MS;

  world.said.certainMs = graceEndsMs - 1;
  await world.look();
  expect(operations()).toEqual([]);
  expect(world.asked).toEqual([graceEndsMs]);

  world.said.certainMs = graceEndsMs;
  await world.look();
  expect(world.changes()).toMatchObject([{ operation: 'expire-license', lifecycleId: graced.id }]);

  // A licence does not end while a renewal of it may still be paid, and this renewal is not withdrawn.
  world.said.certainMs = isoToMs(CLOSES) - 1;
  await world.look();
  expect(operations()).toEqual(['expire-license']);
  expect(world.asked.at(-1)).toBe(isoToMs(CLOSES));

  world.said.certainMs = isoToMs(CLOSES);
  await world.look();
  expect(operations().slice(1).sort()).toEqual(['expire-license', 'withdraw-renewal']);
});

test('a clock that was stopped with something due in hand asks for nothing once another has taken over', async () => {
  const world = await openWorld();
  const expiresAt = LAPSED;
  await world.put(
    lifecycle({ kind: 'license', lane: newLane(), expiresAt, context: { expiresAt } }),
  );
  world.said.certainMs = isoToMs(CLOSES);
  await expect(world.isStopped()).rejects.toThrow('another process has taken over');
  expect(world.changes()).toEqual([]);
});

test('a confirmed policy lets nothing end before its start, which is recorded then', async () => {
  const { said, policies, timers, changes, put, pass } = await openWorld();
  said.certainMs = isoToMs(CLOSES) + 30 * DAY_MS;
  await put(
    lifecycle({
      kind: 'license',
      lane: newLane(),
      expiresAt: LAPSED,
      context: { expiresAt: LAPSED },
    }),
  );
  const kept = policies.expiry.bind(policies);
  let isStarted = false;
  Object.assign(policies, {
    expiry: async (...query: Parameters<typeof kept>) => ({
      ...(await kept(...query)),
      startsInMs: isStarted ? null : 200 - said.passedMs,
    }),
    start: async () => {
      isStarted = true;
    },
  });
  let firstDueMs = 0;
  const due: Timers['due'] = (query, ...rest) => {
    if (query.kind === 'expire' && firstDueMs === 0) firstDueMs = said.passedMs;
    return timers.due(query, ...rest);
  };
  await pass({ due }, () => changes().length === 1);
  expect([isStarted, firstDueMs >= 200]).toEqual([true, true]);
});

test('while both policies are off, timers are not read again when lapse times change', async () => {
  const { setBoth, counting } = await openWorld();
  await setBoth(false);
  await using counted = await counting();
  const { clock, readsAfter } = counted;
  const facts = () => clock.onFacts();
  expect(await readsAfter(() => {})).toBe(0);
  expect(await readsAfter(facts)).toBe(0);
  await setBoth(true);
  expect(await readsAfter(facts)).toBe(0);
  expect(await readsAfter(() => clock.wake())).toBe(1);
  expect(await readsAfter(facts)).toBe(1);
});
