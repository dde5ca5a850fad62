import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Outbox, StartedAttempt } from '../../src/app/ports/outbox.ts';
import { NotAllPutError } from '../../src/app/ports/outbox.ts';
import type { Store } from '../../src/app/ports/transaction.ts';
import type { AttemptAnswer, Change } from '../../src/domain/change.ts';
import type { EffectId, Party, SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { answer, birth, change, effectId, io, lifecycle, succeeded, writes } from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { arrive, dispatchAll, read, save } from './store-under-test.ts';

const begin = (outbox: Outbox, of: Change, dispatchNo: number): Promise<StartedAttempt | null> =>
  outbox.startAttempt(effectId(of), dispatchNo, trusted<SubmissionId>(randomUUID()), io());

const dueIn = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function arriveMany(store: Store, count: number): Promise<Change[]> {
  const all = Array.from({ length: count }, () => change());
  for (const one of all) await arrive(store, one);
  return all;
}

/** Records the changes, which are in different lanes, in one transaction. */
async function arriveTogether(store: Store, all: readonly Change[]): Promise<void> {
  await store.transact(io(), async (tx) => {
    await tx.lock(all.map(({ lane }) => lane));
    const newEffects = all.map((one) => ({
      id: effectId(one),
      changeId: one.id,
      dueAt: one.acceptedAt,
    }));
    await tx.save(writes({ changes: all, newEffects }));
  });
}

async function takeIds(outbox: Outbox, limit: number): Promise<EffectId[]> {
  const taken: EffectId[] = [];
  await outbox.dispatchDue(
    limit,
    async (effects) => void taken.push(...effects.map(({ id }) => id)),
    io(),
  );
  return taken;
}

export function outboxCases(makeStore: MakeStore): void {
  test('what waits for the ledger already goes on waiting since then', async () => {
    await using under = await makeStore();
    const since = '2026-01-01T00:00:00.001Z';
    const one = change({ waitingFor: { kind: 'ledger', detail: 'x', since } });
    await arrive(under.store, one);
    await dispatchAll(under.outbox);
    const submissionId = trusted<SubmissionId>(randomUUID());
    const started = await under.outbox.startAttempt(effectId(one), 1, submissionId, io());
    expect(started?.change.waitingFor).toMatchObject({ kind: 'ledger', since });
  });

  test('a due effect is dispatched once, and again when no outcome has come', async () => {
    await using under = await makeStore();
    expect(await under.outbox.nextDueInMs(io())).toBeNull();
    const [ours] = await arriveMany(under.store, 1);
    expect(await under.outbox.nextDueInMs(io())).toBe(0);
    expect(await dispatchAll(under.outbox)).toEqual([{ id: effectId(ours!), dispatchNo: 1 }]);
    expect(await dispatchAll(under.outbox)).toEqual([]);
    const again = (await under.outbox.nextDueInMs(io())) ?? 0;
    expect(again).toBeGreaterThan(LIMITS.redispatchMs / 2);
    expect(again).toBeLessThanOrEqual(LIMITS.redispatchMs);
  });

  test('a new effect is due at once, whatever the clock of its writer says', async () => {
    await using under = await makeStore();
    const ours = change();
    const newEffects = [{ id: effectId(ours), changeId: ours.id, dueAt: dueIn(60_000) }];
    await read(under.store, (tx) => tx.lock([ours.lane]));
    await save(under.store, { changes: [ours], newEffects });
    expect(await dispatchAll(under.outbox)).toEqual([{ id: effectId(ours), dispatchNo: 1 }]);
  });

  test('no more are taken than asked for, the longest due first', async () => {
    await using under = await makeStore();
    const all = await arriveMany(under.store, 3);
    await save(under.store, {
      effectsDue: [
        { changeId: all[2]!.id, inMs: -60_000 },
        { changeId: all[0]!.id, inMs: -30_000 },
        { changeId: all[1]!.id, inMs: 60_000 },
      ],
    });
    const taken: EffectId[] = [];
    const take = () =>
      under.outbox.dispatchDue(
        1,
        async (effects) => {
          taken.push(...effects.map((effect) => effect.id));
        },
        io(),
      );
    expect([await take(), await take(), await take()]).toEqual([1, 1, 0]);
    expect(taken).toEqual([effectId(all[2]!), effectId(all[0]!)]);
  });

  test('a caller that asks for very much holds up no other, nor a provider another provider', async () => {
    await using under = await makeStore();
    const [loud, quiet] = [trusted<Party>('loud::1220'), trusted<Party>('quiet::1220')];
    const other = trusted<Party>('other-provider::1220');
    const before = '2025-12-01T00:00:00.000000Z';
    const flood = Array.from({ length: 60 }, () =>
      change({ callerParty: loud, acceptedAt: before }),
    );
    const single = change({ callerParty: quiet });
    const elsewhere = Array.from({ length: 12 }, () =>
      change({ callerParty: loud, provider: other }),
    );
    for (const some of [flood, [single], elsewhere]) await arriveTogether(under.store, some);
    const taken = await takeIds(under.outbox, 10);
    const of = (some: readonly Change[]) =>
      some.filter((one) => taken.includes(effectId(one))).length;
    // Each provider gets half of the round, and each caller gets an equal part of its provider's half.
    expect([of(flood), of([single]), of(elsewhere)]).toEqual([4, 1, 5]);
    // Every effect is dispatched. Among the effects of one caller, the one that has been due longest comes first.
    expect(await takeIds(under.outbox, 100)).toHaveLength(flood.length + 13 - 10);
    expect(await takeIds(under.outbox, 100)).toEqual([]);
  });

  test('callers are given a turn whatever their names are, and however many they are', async () => {
    await using under = await makeStore();
    const callers = STORE_LIMITS.turnLeapsMax + 50;
    const each = (party: string) => change({ callerParty: trusted<Party>(party) });
    const before = '2025-12-01T00:00:00.000000Z';
    const flood = Array.from({ length: 30 }, () => ({ ...each('m::1220'), acceptedAt: before }));
    const [first, last] = [each('a::1220'), each('z::1220')];
    for (const some of [flood, [first], [last]]) await arriveTogether(under.store, some);
    // The effect of the flood that has waited longest comes first; the other callers follow in turn.
    expect(await takeIds(under.outbox, 3)).toEqual(
      expect.arrayContaining([effectId(first), effectId(last)]),
    );
    const many = Array.from({ length: callers }, (_, n) => each(`n-${n}::1220`));
    for (let at = 0; at < callers; at += 500)
      await arriveTogether(under.store, many.slice(at, at + 500));
    const longest = effectId(many.at(-1)!);
    const longAgoMs = -1_000 * 86_400_000;
    await save(under.store, { effectsDue: [{ changeId: many.at(-1)!.id, inMs: longAgoMs }] });
    expect(await takeIds(under.outbox, 1)).toEqual([longest]);
    let left = callers - 1 + flood.length - 1;
    for (let taken = 1; taken > 0; left -= taken) taken = (await takeIds(under.outbox, 200)).length;
    expect(left).toBe(0);
  });

  test('what one queue did not take is due again soon, and the rest is dispatched', async () => {
    await using under = await makeStore();
    const [refused, taken] = await arriveMany(under.store, 2);
    const lanes: string[] = [];
    const count = await under.outbox.dispatchDue(
      10,
      async (effects, shards) => {
        expect(shards).toBe(1);
        lanes.push(...effects.map(({ lane }) => lane));
        throw new NotAllPutError([effectId(refused!)], new Error('its node is away'));
      },
      io(),
    );
    expect(count).toBe(2);
    expect(lanes.toSorted()).toEqual([refused!.lane, taken!.lane].toSorted());
    expect(await begin(under.outbox, taken!, 1)).toMatchObject({ attempt: 1 });
    const againMs = (await under.outbox.nextDueInMs(io())) ?? 0;
    expect(againMs).toBeLessThanOrEqual(STORE_LIMITS.refusedAgainMs);
  });

  test('if the queue does not take them they stay due', async () => {
    await using under = await makeStore();
    await arriveMany(under.store, 2);
    const failing = under.outbox.dispatchDue(
      10,
      () => Promise.reject(new Error('the queue is down')),
      io(),
    );
    await expect(failing).rejects.toThrow('the queue is down');
    const taken = await dispatchAll(under.outbox);
    expect(taken.map((effect) => effect.dispatchNo)).toEqual([1, 1]);
  });

  test('relays that work at the same time never dispatch the same effect twice', async () => {
    await using under = await makeStore();
    const all = await arriveMany(under.store, 40);
    const taken: string[] = [];
    const relay = async (): Promise<void> => {
      for (;;) {
        const count = await under.outbox.dispatchDue(
          3,
          async (effects) => {
            taken.push(...effects.map((effect) => `${effect.id} ${effect.dispatchNo}`));
            await new Promise((resolve) => setImmediate(resolve));
          },
          io(),
        );
        if (count === 0) return;
      }
    };
    await Promise.all([relay(), relay(), relay(), relay()]);
    // A relay that found only locked rows has ended early: it dispatched nothing.
    await relay();
    expect(taken.toSorted()).toEqual(all.map((one) => `${effectId(one)} 1`).toSorted());
  });

  test('an attempt is recorded before it is made', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    await save(under.store, birth(of));
    const ours = change({ lane: of.lane, lifecycleId: of.id, state: 'retrying' });
    await arrive(under.store, ours);
    await dispatchAll(under.outbox);
    const started = await begin(under.outbox, ours, 1);
    expect(started).toMatchObject({
      attempt: 1,
      lifecycle: of,
      change: { id: ours.id, state: 'submitting', attempts: 0, waitingFor: { kind: 'ledger' } },
    });
    expect(await read(under.store, (tx) => tx.change(ours.id))).toEqual(started?.change);
    const [attempt] = await under.store.reads.attempts(ours.id, io());
    expect(attempt).toMatchObject({ n: 1, contractId: of.contractId, answer: null });
    expect(Math.abs(Date.parse(attempt?.at ?? '') - Date.now())).toBeLessThan(60_000);
  });

  test('a try that sent nothing leaves its place to the next one, which counts it', async () => {
    await using under = await makeStore();
    const [ours] = await arriveMany(under.store, 1);
    const tried = async () => {
      await save(under.store, { effectsDue: [{ changeId: ours!.id, inMs: -1 }] });
      const [dispatched] = await dispatchAll(under.outbox);
      return begin(under.outbox, ours!, dispatched?.dispatchNo ?? 0);
    };
    const attempts = () => under.store.reads.attempts(ours!.id, io());
    const answered = async (over: Partial<AttemptAnswer>) => {
      const { submissionId } = (await attempts()).at(-1)!;
      const given = answer('refused', over);
      await save(under.store, { attempts: [{ submissionId, answer: given }] });
      return submissionId;
    };
    const submissions: SubmissionId[] = [];
    for (let i = 0; i < 3; i += 1) {
      expect((await tried())?.attempt).toBe(1);
      submissions.push(await answered({ unsent: true }));
    }
    expect(new Set(submissions).size).toBe(3);
    const [first] = await attempts();
    expect(first).toMatchObject({ n: 1, unsent: { tries: 2 }, answer: { unsent: true } });
    expect(Date.parse(first?.unsent?.since ?? '')).toBeLessThanOrEqual(Date.parse(first?.at ?? ''));
    // A submission with this ID was never sent, so it can have no effect, and no proof is needed.
    const found = await read(under.store, (tx) =>
      tx.lanesOf({ contracts: [], submissions, updates: [], carried: [] }),
    );
    expect(found.submissions.map(({ submissionId }) => submissionId)).toEqual([submissions[2]]);
    // The row of an attempt that was sent stays, whether or not it was answered.
    expect((await tried())?.attempt).toBe(1);
    await answered({});
    expect((await tried())?.attempt).toBe(2);
    expect((await tried())?.attempt).toBe(3);
    expect(await attempts()).toMatchObject([
      { n: 1, unsent: { tries: 3 }, answer: { verdict: 'refused' } },
      { n: 2, answer: null },
      { n: 3, answer: null },
    ]);
    expect((await attempts())[1]).not.toHaveProperty('unsent');
  });

  test('what could not be sent as one ledger user is sent, and told, as the one that its change has then', async () => {
    await using under = await makeStore();
    const [ours] = await arriveMany(under.store, 1);
    const [dispatched] = await dispatchAll(under.outbox);
    const started = await begin(under.outbox, ours!, dispatched!.dispatchNo);
    const attempts = () => under.store.reads.attempts(ours!.id, io());
    const [first] = await attempts();
    const submitter = { ...started!.change.submitter, ledgerUser: 'rotated' };
    await save(under.store, {
      attempts: [
        { submissionId: first!.submissionId, answer: answer('refused', { unsent: true }) },
      ],
      changes: [{ ...started!.change, submitter, state: 'retrying' }],
      effectsDue: [{ changeId: ours!.id, inMs: -1 }],
    });
    const [again] = await dispatchAll(under.outbox);
    expect((await begin(under.outbox, ours!, again!.dispatchNo))?.change.submitter).toEqual(
      submitter,
    );
    expect(await attempts()).toMatchObject([{ n: 1, submitter, unsent: { tries: 1 } }]);
  });

  test('what a change waited for is kept while it is tried again', async () => {
    await using under = await makeStore();
    const since = '2026-01-01T00:00:00.001Z';
    const waitingFor = { kind: 'backoff', detail: 'x', since, until: since } as const;
    const one = change({ state: 'retrying', waitingFor });
    await arrive(under.store, one);
    await dispatchAll(under.outbox);
    const after = { kind: 'backoff', since };
    expect((await begin(under.outbox, one, 1))?.change.waitingFor).toMatchObject({ after });
    // A second attempt begins before the first one is answered.
    expect((await begin(under.outbox, one, 1))?.change.waitingFor).toMatchObject({ after });
  });

  test('a create has no lifecycle to be exercised on', async () => {
    await using under = await makeStore();
    const [ours] = await arriveMany(under.store, 1);
    await dispatchAll(under.outbox);
    expect((await begin(under.outbox, ours!, 1))?.lifecycle).toBeNull();
    const [attempt] = await under.store.reads.attempts(ours!.id, io());
    expect(attempt?.contractId).toBeNull();
  });

  test('a job that runs before its dispatch is committed waits for it', async () => {
    await using under = await makeStore();
    const [ours] = await arriveMany(under.store, 1);
    let begun: Promise<StartedAttempt | null> = Promise.resolve(null);
    await under.outbox.dispatchDue(
      1,
      async () => {
        begun = begin(under.outbox, ours!, 1);
        await new Promise((resolve) => setImmediate(resolve));
      },
      io(),
    );
    expect((await begun)?.attempt).toBe(1);
  });

  test('a job of an earlier dispatch submits nothing any more', async () => {
    await using under = await makeStore();
    const [ours] = await arriveMany(under.store, 1);
    await dispatchAll(under.outbox);
    expect((await begin(under.outbox, ours!, 1))?.attempt).toBe(1);
    await save(under.store, { effectsDue: [{ changeId: ours!.id, inMs: 60_000 }] });
    // The effect was postponed. If its stalled job ran again now, that would be too early.
    expect(await begin(under.outbox, ours!, 1)).toBeNull();
    await save(under.store, { effectsDue: [{ changeId: ours!.id, inMs: -1 }] });
    const [again] = await dispatchAll(under.outbox);
    expect(again?.dispatchNo).toBeGreaterThan(1);
    expect(await begin(under.outbox, ours!, 1)).toBeNull();
    expect((await begin(under.outbox, ours!, again?.dispatchNo ?? 0))?.attempt).toBe(2);
  });

  test('nothing is submitted for a change that has ended, is in doubt, is made sure of or has been accepted', async () => {
    await using under = await makeStore();
    const [ended, doubtful, verifying, accepted, done] = await arriveMany(under.store, 5);
    await dispatchAll(under.outbox);
    await save(under.store, {
      changes: [
        succeeded(ended!),
        { ...doubtful!, state: 'in-doubt' },
        { ...verifying!, state: 'retrying', verifyAt: 7n },
        {
          ...accepted!,
          acceptance: { updateId: trusted('update-1'), offset: 1n, readBack: false },
        },
      ],
      effectsDone: [done!.id],
    });
    for (const one of [ended, doubtful, verifying, accepted, done]) {
      expect(await begin(under.outbox, one!, 1)).toBeNull();
      expect(await under.store.reads.attempts(one!.id, io())).toEqual([]);
    }
    const unknown = begin(under.outbox, change(), 1);
    expect(await unknown).toBeNull();
  });

  test('an effect that is done is not dispatched, until it is due again', async () => {
    await using under = await makeStore();
    const [ours] = await arriveMany(under.store, 1);
    await save(under.store, { effectsDone: [ours!.id] });
    expect(await dispatchAll(under.outbox)).toEqual([]);
    expect(await under.outbox.nextDueInMs(io())).toBeNull();
    await save(under.store, { effectsDue: [{ changeId: ours!.id, inMs: -1 }] });
    expect(await dispatchAll(under.outbox)).toHaveLength(1);
  });

  test('an effect due later is told from now', async () => {
    await using under = await makeStore();
    const [ours] = await arriveMany(under.store, 1);
    await save(under.store, { effectsDue: [{ changeId: ours!.id, inMs: 40_000 }] });
    const dueInMs = (await under.outbox.nextDueInMs(io())) ?? 0;
    expect(dueInMs).toBeGreaterThan(20_000);
    expect(dueInMs).toBeLessThanOrEqual(41_000);
  });

  test('a change without an effect cannot be made due', async () => {
    await using under = await makeStore();
    const due = [{ changeId: change().id, inMs: 0 }];
    await expect(save(under.store, { effectsDue: due })).rejects.toThrow();
  });
}
