import { describe, expect, test } from 'vitest';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { finish } from '../../../src/app/engine/lanes/lane.ts';
import { SCHEDULER_LEASE, PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { completionsStream } from '../../../src/app/ports/streams.ts';
import type { Log } from '../../../src/app/ports/io.ts';
import type { Policies, Timers } from '../../../src/app/ports/policies.ts';
import type { ChangeRequest } from '../../../src/app/engine/requests/change-request.ts';
import { requestChange } from '../../../src/app/engine/requests/request-change.ts';
import { NO_TRACER, readTraceparent } from '../../../src/app/ports/tracing.ts';
import { WorkingSet } from '../../../src/app/engine/lanes/working-set.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ExpiryPolicy } from '../../../src/domain/expiry-policy.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../../src/domain/expiry-policy.ts';
import type { LaneId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { OPS_LIMITS } from '../../../src/ops/limits.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { problem } from '../../../src/domain/problems.ts';
import { createPolicyDuty } from '../../../src/ops/policy-duty.ts';
import { PROVIDER, io, lifecycle, mailbox, newLane, writes } from '../../kit/store-rows.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import { realAfter, realHooks } from '../../sim/memory/real-hooks.ts';

/*
 * A timer that is due fires once, whatever happens in the meantime. If its change failed, it fires again later, or
 * never.
 */

const LAPSED = '2026-02-01T00:00:00.000001Z';
const ORIGIN = {
  name: 'expiry',
  version: 1,
  reason: `the licence expired at ${LAPSED}`,
  lapsesAt: LAPSED,
};
const PARTICIPANT = trusted<Change['submitter']['participant']>('app-provider');

const license = (lane: LaneId = newLane(), expiresAt = LAPSED): Lifecycle =>
  lifecycle({ kind: 'license', lane, expiresAt, context: { expiresAt } });

const SOMEBODY: Caller = {
  party: PROVIDER,
  roles: new Set(['provider']),
  via: 'bearer',
  tenantId: '',
  subject: 's',
  name: 's',
};

const renewalOf = ({ id }: Lifecycle): ChangeRequest => ({
  operation: 'renew-license',
  target: id,
  commandId: trusted('renew-1'),
  body: { prepareUntilMicros: '1', settleBeforeMicros: '2' },
});

/** Ignores the error of a check that the test has stopped. */
const unlessStopped = (error: unknown): void => {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
};

const ignore = (): void => undefined;
const quiet: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

async function openClock(over: Partial<ExpiryPolicy> = {}) {
  const database = createMemoryDatabase({ now: Date.now, after: realAfter });
  const connection = database.connect('clock', realHooks());
  const { store, leases } = connection;
  const epoch = (await leases.acquire(PROJECTOR_LEASE, 'test', 60_000, io())) ?? 0n;
  await store.transact(io(), (tx) =>
    tx.startCursor(
      { stream: completionsStream(PARTICIPANT), from: 0n, to: 9n, recordTime: null },
      epoch,
    ),
  );
  const lease = (await leases.acquire(SCHEDULER_LEASE, 'test', 60_000, io())) ?? 0n;
  const time = {
    nowMs: Date.parse('2026-03-01T00:00:00Z'),
    /** The time that the ledger has confirmed, if it is earlier than that of this process's clock. */
    provenMs: null as number | null,
  };
  const { policies } = connection;
  const setExpiry = (policy: Partial<ExpiryPolicy>) =>
    policies.setExpiry(
      {
        provider: PROVIDER,
        policy: { ...DEFAULT_EXPIRY_POLICY, mode: 'on', ...policy },
        bySubject: 'somebody',
        at: new Date(time.nowMs).toISOString(),
      },
      io(),
    );
  await setExpiry(over);
  const deps = {
    store,
    hosting: {
      provider: PROVIDER,
      projected: PARTICIPANT,
      submitterFor: async () => ({
        participant: PARTICIPANT,
        ledgerUser: 'backend',
        actAs: PROVIDER,
      }),
    },
    model: NEWEST_MODEL,
    wallClock: { nowMs: () => time.nowMs },
    ledgerClock: {
      nowMs: () => time.nowMs,
      pastMs: () => time.nowMs,
      provenMs: () => time.provenMs ?? time.nowMs,
      certainMs: () => time.provenMs ?? time.nowMs,
      ask: () => undefined,
      refresh: async () => undefined,
      observe: () => undefined,
    },
    hear: async () => null,
    policies,
    log: quiet,
    random: () => 0,
    tracer: NO_TRACER,
    isUnavailable: () => false,
    isTimeStatic: false,
  };
  const changes = () => database.contents.changes().map(({ change }) => change);
  /** Runs the checks until `isDone`. */
  const run = async (isDone: () => boolean, timers: Timers = connection.timers): Promise<void> => {
    const stopping = new AbortController();
    const clock = createPolicyDuty({ ...deps, timers });
    const running = clock.run({ epoch: lease, signal: stopping.signal });
    running.catch(() => stopping.abort());
    await expect.poll(() => isDone() || stopping.signal.aborted, { interval: 5 }).toBe(true);
    stopping.abort();
    await running.catch(unlessStopped);
  };
  /** Runs one check. */
  const look = async (): Promise<void> => {
    let looks = 0;
    const counted: Timers = {
      ...connection.timers,
      nextDue: (...asked) => {
        looks += 1;
        return connection.timers.nextDue(...asked);
      },
    };
    await run(() => looks > 0, counted);
  };
  /** Ends a change with this refusal, as if the ledger had refused it. */
  const end = (change: Change, code: 'LEDGER_REFUSED' | 'STEP_NOT_ALLOWED'): Promise<void> =>
    store.transact(io(), async (tx) => {
      const ws = new WorkingSet(NEWEST_MODEL);
      ws.add(await tx.lock([change.lane]));
      const now = new Date(time.nowMs).toISOString();
      const ending = { state: 'rejected' as const, result: null, error: problem(code, 'no') };
      await finish(ws, tx, ws.change(change.id)!, ending, {
        now,
        ledgerNowMs: time.nowMs,
        ledgerCertainMs: time.nowMs,
      });
      await tx.save(ws.writes());
    });
  return {
    deps,
    time,
    changes,
    run,
    look,
    end,
    setExpiry,
    timers: connection.timers,
    timerRows: () => database.contents.timers(),
    put: (...all: readonly Lifecycle[]) =>
      store.transact(io(), (tx) =>
        tx.save(
          writes({
            lifecycles: all,
            mailboxes: [...new Set(all.map(({ lane }) => lane))].map((lane) => mailbox(lane)),
            timerLanes: [...new Set(all.map(({ lane }) => lane))],
          }),
        ),
      ),
  };
}

const isFired = (rows: readonly { readonly changeId: unknown }[]) => (): boolean =>
  rows.every(({ changeId }) => changeId !== null);

describe('a policy', () => {
  test('that is interrupted between recording and writing down goes on with the same change', async () => {
    const world = await openClock();
    await world.put(license());
    const torn: Timers = {
      ...world.timers,
      move: () => Promise.reject(new Error('the process ends here')),
    };
    await expect(world.run(() => false, torn)).rejects.toThrow('ends here');
    expect(world.changes()).toHaveLength(1);
    expect(world.timerRows()).toMatchObject([{ changeId: null }]);
    await world.run(() => isFired(world.timerRows())());
    const [change] = world.changes();
    expect(world.changes()).toHaveLength(1);
    expect(readTraceparent(change!.traceparent)).not.toBeNull();
    expect(world.timerRows()).toMatchObject([{ changeId: change!.id, generation: 0 }]);
    expect(change).toMatchObject({
      commandId: expect.stringMatching(
        /^tenure:expire:license-[0-9a-f]+:2026-02-01T00:00:00_000001Z:0$/u,
      ),
      callerSubject: 'tenure',
      fixed: { policy: { ...ORIGIN, graceMs: 0 } },
    });
  });

  test('has no more on its way than it may, and is held back as a whole by a refusal', async () => {
    const world = await openClock({ maxInFlight: 2 });
    await world.put(...Array.from({ length: 5 }, () => license()));
    const fired = () => world.timerRows().filter(({ changeId }) => changeId !== null);
    await world.run(() => fired().length === 2);
    expect(world.changes()).toHaveLength(2);
    const [refused] = world.changes();
    await world.end(refused!, 'LEDGER_REFUSED');
    const of = () =>
      world.timerRows().find(({ lifecycleId }) => lifecycleId === refused!.lifecycleId);
    await world.run(() => of()?.generation === 1);
    expect(of()).toMatchObject({ changeId: null, isGivenUp: false });
    expect(Date.parse(of()?.notBefore ?? '')).toBeGreaterThan(world.time.nowMs);
    // The limit would permit another change. Nothing fires nevertheless, because the next attempt would be refused as
    // well.
    expect(world.changes()).toHaveLength(2);
    world.time.nowMs += 10_000;
    await world.run(() => world.changes().length === 3);
    expect(new Set(world.changes().map(({ lifecycleId }) => lifecycleId)).size).toBe(3);
  });

  test('records in one transaction what fires together', async () => {
    const world = await openClock({ maxInFlight: 50 });
    await world.put(...Array.from({ length: 40 }, () => license()));
    const { store } = world.deps;
    let transactions = 0;
    const transact: typeof store.transact = (...asked) => {
      transactions += 1;
      return store.transact(...asked);
    };
    world.deps.store = { ...store, transact };
    await world.run(() => isFired(world.timerRows())());
    expect(world.changes()).toHaveLength(40);
    expect(transactions).toBe(1);
  });

  test('tries one at a time what only our own clock says, and all of them when the ledger has said so', async () => {
    const world = await openClock({ maxInFlight: 4 });
    await world.put(...Array.from({ length: 6 }, () => license()));
    const { look } = world;
    world.time.provenMs = Date.parse(LAPSED);
    await look();
    await look();
    expect(world.changes()).toHaveLength(1);
    // The change was requested too early, so its refusal proves nothing about the licence.
    const [first] = world.changes();
    await world.end(first!, 'LEDGER_REFUSED');
    const of = () =>
      world.timerRows().find(({ lifecycleId }) => lifecycleId === first!.lifecycleId);
    await world.run(() => of()?.generation === 1);
    expect(of()).toMatchObject({ failures: 0, isGivenUp: false });
    expect(world.changes()).toHaveLength(1);
    world.time.nowMs += 10_000;
    await look();
    expect(world.changes()).toHaveLength(2);
    world.time.provenMs = Date.parse(LAPSED) + 1;
    await world.run(() => world.changes().length === 5);
    expect(world.changes()).toHaveLength(1 + 4);
  });

  test('leaves licences alone until grace and the windows of renewals are over', async () => {
    const [graceMs, lapsedMs] = [86_400_000, Date.parse(LAPSED)];
    const world = await openClock({ grace: 'P1D', graceMs });
    const [one, { lane, ...other }] = [license(), license()];
    const context = { settleBefore: '2026-02-08T00:00:00.000001Z' };
    const own = { kind: 'renewal', lane, originId: other.id, context };
    await world.put(one, { lane, ...other }, lifecycle(own));
    for (const [nowMs, fired] of [
      [lapsedMs + graceMs, []],
      [lapsedMs + graceMs + 1, [one.id]],
      [Date.parse(context.settleBefore) + 1, [one.id, other.id]],
    ] as const) {
      world.time.nowMs = nowMs;
      await world.look();
      expect(world.changes().map(({ lifecycleId }) => lifecycleId)).toEqual(fired);
    }
  });

  test('that is off or only tried lets nothing end', async () => {
    for (const mode of ['off', 'dry-run'] as const) {
      const world = await openClock({ mode });
      await world.put(license());
      let looks = 0;
      const policies = {
        ...world.deps.policies,
        renewal: (...asked: Parameters<Policies['renewal']>) => {
          looks += 1;
          return world.deps.policies.renewal(...asked);
        },
      };
      const stopping = new AbortController();
      const clock = createPolicyDuty({ ...world.deps, policies, timers: world.timers });
      const epoch = 1n;
      const running = clock.run({ epoch, signal: stopping.signal });
      await expect.poll(() => looks, { interval: 5 }).toBeGreaterThan(0);
      clock.wake();
      await expect.poll(() => looks, { interval: 5 }).toBeGreaterThan(1);
      stopping.abort();
      await running.catch(unlessStopped);
      expect(world.changes()).toEqual([]);
    }
  });

  test.each<Partial<ExpiryPolicy>>([
    { mode: 'off' },
    { paused: true },
    { graceMs: 365 * 86_400_000, grace: 'P365D' },
  ])('that is changed while what is due is on its way lets nothing more end: %o', async (to) => {
    const world = await openClock();
    await world.put(license(), license(), license());
    let looks = 0;
    const timers: Timers = {
      ...world.timers,
      due: async (query, ...rest) => {
        const found = await world.timers.due(query, ...rest);
        if (looks === 0) await world.setExpiry(to);
        looks += 1;
        return found;
      },
      failed: async (...asked) => {
        if (looks > 0) looks += 1;
        return world.timers.failed(...asked);
      },
    };
    // There were two checks: the one that was in progress, and one right after it, which used the new policy.
    await world.run(() => looks > 1, timers);
    expect(world.changes()).toEqual([]);
    expect(world.timerRows()).toMatchObject(
      Array.from({ length: 3 }, () => ({ changeId: null, notBefore: null })),
    );
    await world.setExpiry({});
    await world.run(() => world.changes().length === 3);
    expect(world.changes()[0]).toMatchObject({ fixed: { policy: { version: 3 } } });
  });

  test('whose quiet hours begin while what is due is on its way lets nothing more end', async () => {
    const quietHours = [{ from: '00:01', to: '24:00', timeZone: 'UTC' }];
    const world = await openClock({ quietHours, maxInFlight: 1_000 });
    await world.put(...Array.from({ length: OPS_LIMITS.timerBatchMax + 1 }, () => license()));
    let isLookOver = false;
    const timers: Timers = {
      ...world.timers,
      move: async (...asked) => {
        world.time.nowMs = Date.parse('2026-03-01T00:01:00Z');
        return world.timers.move(...asked);
      },
      nextDue: async (...asked) => {
        isLookOver = true;
        return world.timers.nextDue(...asked);
      },
    };
    await world.run(() => isLookOver, timers);
    expect(world.changes()).toHaveLength(OPS_LIMITS.timerBatchMax);
  });

  test('lets go of all whose change has failed before it rests, however many', async () => {
    const count = OPS_LIMITS.timerBatchMax + 1;
    const world = await openClock({ maxInFlight: 1_000 });
    await world.put(...Array.from({ length: count }, () => license()));
    await world.run(() => isFired(world.timerRows())());
    for (const change of world.changes()) await world.end(change, 'LEDGER_REFUSED');
    await world.run(() => world.timerRows().every(({ generation }) => generation === 1));
    expect(world.changes()).toHaveLength(count);
  });

  test('leaves a licence alone for which a renewal was asked before its turn came', async () => {
    const world = await openClock();
    const lane = newLane();
    const one = license(lane);
    await world.put(one);
    const asked = await requestChange(world.deps, SOMEBODY, renewalOf(one), io());
    await world.run(() => isFired(world.timerRows())());
    const expiry = () => world.changes().find(({ operation }) => operation === 'expire-license');
    expect(expiry()).toMatchObject({ state: 'queued' });
    const settleBefore = '2026-04-01T00:00:00.000001Z';
    const own = { kind: 'renewal', lane, originId: one.id, context: { settleBefore } };
    const open = lifecycle({ ...own, state: 'requested' });
    const { store } = world.deps;
    await store.transact(io(), (tx) => tx.save(writes({ lifecycles: [open], timerLanes: [lane] })));
    await world.end(asked.change, 'STEP_NOT_ALLOWED');
    expect(expiry()).toMatchObject({ state: 'rejected', error: { code: 'POLICY_OUTDATED' } });
    const timer = () => world.timerRows().find(({ kind }) => kind === 'expire');
    await world.run(() => timer()?.generation === 1);
    // When the window of the renewal closes, the timer is due again, and requests another change.
    expect(timer()).toMatchObject({ changeId: null, openUntil: settleBefore, failures: 0 });
    expect(world.changes()).toHaveLength(2);
    world.time.nowMs = Date.parse('2026-04-02T00:00:00Z');
    await world.run(() => world.changes().length === 3);
  });

  test('does not let a licence end for a lapse that is over when its turn comes', async () => {
    const world = await openClock();
    const lane = newLane();
    const one = license(lane);
    await world.put(one);
    const { store } = world.deps;
    const asked = await requestChange(world.deps, SOMEBODY, renewalOf(one), io());
    await world.run(() => isFired(world.timerRows())());
    const expiry = () => world.changes().find(({ operation }) => operation === 'expire-license');
    // Another client has renewed the licence, and since then it has lapsed again.
    const expiresAt = '2026-02-20T00:00:00Z';
    await store.transact(io(), async (tx) => {
      const now = (await tx.findLifecycle(one.id))!;
      const again = { ...now, version: now.version + 1, expiresAt };
      await tx.save(writes({ lifecycles: [again], timerLanes: [lane] }));
    });
    await world.end(asked.change, 'STEP_NOT_ALLOWED');
    expect(expiry()).toMatchObject({
      state: 'rejected',
      error: {
        code: 'POLICY_OUTDATED',
        message: expect.stringContaining('the licence now expires at'),
      },
    });
    await world.run(() => world.changes().length === 3);
    expect(world.changes().at(-1)).toMatchObject({
      state: 'submitting',
      fixed: { policy: { lapsesAt: expiresAt } },
    });
  });
});
