import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Reach } from '../../src/domain/answer.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import type { PauseMode, PauseScope } from '../../src/domain/pause.ts';
import type { CircuitReason } from '../../src/domain/participant-health.ts';
import * as rows from './store-rows.ts';
import { PROVIDER, USER, change, io } from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, dispatchAll, save } from './store-under-test.ts';

const BY = { byParty: PROVIDER, bySubject: 'olga' };
const P = trusted<Change['submitter']['participant']>('app-provider');
const U = trusted<Change['submitter']['participant']>('app-user');
const via = (participant: string, over: Partial<Change> = {}): Change =>
  change({
    submitter: { participant: trusted(participant), ledgerUser: 'backend', actAs: PROVIDER },
    body: { provider: PROVIDER },
    ...over,
  });
const idsOf = (changes: readonly Change[]): string[] => changes.map(rows.effectId).sort();
/** Waits until an attempt that begins afterwards has a later time, also in a store that counts milliseconds. */
async function untilLater(): Promise<void> {
  const nowMs = Date.now();
  await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(nowMs);
}

type Dispatched = Awaited<ReturnType<typeof dispatchAll>>[number];

/** Waits until the store dispatches exactly one of the effects, and returns it. */
async function untilOne(
  { outbox }: StoreUnderTest,
  changes: readonly Change[],
): Promise<{ readonly change: Change; readonly effect: Dispatched }> {
  const taken: Dispatched[] = [];
  const look = async () => taken.push(...(await dispatchAll(outbox)));
  await expect.poll(look, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(taken).toHaveLength(1);
  const effect = taken[0]!;
  return { effect, change: changes.find((one) => rows.effectId(one) === effect.id)! };
}

/** Begins the attempt for a dispatched effect. */
async function begun(
  { outbox }: StoreUnderTest,
  one: Change,
  { dispatchNo }: Dispatched,
  circuit: CircuitReason | null = null,
): Promise<SubmissionId> {
  const submissionId = trusted<SubmissionId>(randomUUID());
  const isReached = circuit === 'unreachable';
  const id = rows.effectId(one);
  const attempt = await outbox.startAttempt(id, dispatchNo, submissionId, io(), isReached);
  expect(attempt).toMatchObject({ circuit });
  return submissionId;
}

const makeDue = (store: StoreUnderTest['store'], changes: readonly Change[]): Promise<void> =>
  save(store, { effectsDue: changes.map(({ id: changeId }) => ({ changeId, inMs: -60_000 })) });

const tell = (store: StoreUnderTest['store'], submissionId: SubmissionId, reached: Reach) =>
  save(store, { attempts: [{ submissionId, answer: rows.answer('unknown'), reached }] });

const dispatched = async ({ outbox }: StoreUnderTest): Promise<string[]> =>
  (await dispatchAll(outbox)).map(({ id }) => id).sort();

/**
 * Pauses by operators, and participants whose circuit is open: both decide which effects the outbox dispatches. Tests
 * for every store.
 */
export function pauseCases(makeStore: MakeStore): void {
  test.each([
    ['participant', 'app-provider', via('app-provider'), via('app-user')],
    [
      'operation',
      'renew-license',
      via('app-provider', { operation: 'renew-license' }),
      via('app-provider'),
    ],
    ['provider', PROVIDER, via('app-provider'), via('app-provider', { body: { provider: USER } })],
  ] as const)(
    'a paused %s is not dispatched until it is let go',
    async (scope, name, mine, other) => {
      await using under = await makeStore();
      const { store, pauses } = under;
      const early = {
        ...mine,
        id: change().id,
        lane: rows.newLane(),
        commandId: change().commandId,
      };
      await arrive(store, early);
      expect(await dispatched(under)).toEqual(idsOf([early]));
      const asked = { scope, name, mode: 'pause', reason: 'an upgrade' } as const;
      const pause = await pauses.put(asked, BY, io());
      expect(pause).toMatchObject({ ...asked, ...BY });
      for (const one of [mine, other]) await arrive(store, one);
      expect(await dispatched(under)).toEqual(idsOf([other]));
      expect(await dispatched(under)).toEqual([]);
      // A job that was on the queue before the pause begins no attempt.
      const late = await under.outbox.startAttempt(rows.effectId(early), 1, trusted('late'), io());
      expect(late).toBeNull();
      expect(await pauses.list(io())).toEqual([{ ...pause, held: 2 }]);
      expect(await store.reads.pauseOf(mine.id, io())).toEqual(pause);
      expect(await store.reads.pauseOf(other.id, io())).toBeNull();
      // A paused change causes no alarm.
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      const query = { since: tomorrow, acceptedBefore: tomorrow, limit: 9 };
      const late9 = await store.reads.longestWaiting(query, io());
      expect(late9.map(({ id }) => id)).toEqual([other.id]);
      const ended = await pauses.remove(pause.id, { ...BY, reason: 'done' }, io());
      expect(ended).toEqual(pause);
      expect(await pauses.remove(pause.id, { ...BY, reason: 'done' }, io())).toBeNull();
      expect(await dispatched(under)).toEqual(idsOf([early, mine]));
      expect(await pauses.list(io())).toEqual([]);
    },
  );

  test('of two pauses that hold the same, the end of one lets nothing go', async () => {
    await using under = await makeStore();
    const { store, pauses } = under;
    const held = via('app-provider');
    const put = (scope: 'participant' | 'operation', name: string) =>
      pauses.put({ scope, name, mode: 'pause', reason: 'x' }, BY, io());
    const [one, two] = [
      await put('participant', 'app-provider'),
      await put('operation', held.operation),
    ];
    await arrive(store, held);
    expect(await dispatched(under)).toEqual([]);
    expect(await under.outbox.nextDueInMs(io())).toBeNull();
    await pauses.remove(one.id, { ...BY, reason: 'x' }, io());
    expect(await dispatched(under)).toEqual([]);
    await pauses.remove(two.id, { ...BY, reason: 'x' }, io());
    expect(await dispatched(under)).toEqual(idsOf([held]));
  });

  test('what drains lets go on what had reached the head of its lane, and nothing else start', async () => {
    await using under = await makeStore();
    const { store, pauses } = under;
    const [before, after] = [via('app-provider'), via('app-provider')];
    await arrive(store, before);
    const asked = { scope: 'participant', name: 'app-provider', reason: 'x' } as const;
    const drain = await pauses.put({ ...asked, mode: 'drain' }, BY, io());
    // A store may count in milliseconds, and the next time must be later than the previous one.
    await expect
      .poll(() => Date.now(), { interval: 1 })
      .toBeGreaterThan(Date.parse(drain?.since ?? ''));
    await arrive(store, after);
    expect(await dispatched(under)).toEqual(idsOf([before]));
    expect(await pauses.list(io())).toEqual([{ ...drain, held: 1 }]);
    // A probe is repeated until it succeeds.
    await save(store, {
      effectsDue: [{ changeId: before.id, inMs: -60_000 }],
    });
    expect(await dispatched(under)).toEqual(idsOf([before]));
    const pause = await pauses.put({ ...asked, mode: 'pause' }, BY, io());
    expect([pause.id, pause.mode]).toEqual([drain.id, 'pause']);
    expect(await pauses.list(io())).toMatchObject([{ held: 2 }]);
  });

  test('a participant that is busy is left alone, for longer when it is busy again', async () => {
    await using under = await makeStore();
    const { store, pauses } = under;
    const circuits = [
      { participant: P, reason: 'busy', ledgerCode: 'PARTICIPANT_BACKPRESSURE' },
    ] as const;
    await Promise.all([save(store, { circuits }), save(store, { circuits })]);
    const [circuit] = await pauses.circuits(io());
    expect(circuit).toMatchObject({
      participant: P,
      reason: 'busy',
      probe: false,
      level: 1,
      ledgerCode: 'PARTICIPANT_BACKPRESSURE',
    });
    const [mine, other] = [via('app-provider'), via('app-user')];
    for (const one of [mine, other]) await arrive(store, one);
    expect(await dispatched(under)).toEqual(idsOf([other]));
    const inMs = (await under.outbox.nextDueInMs(io())) ?? -1;
    expect(inMs).toBeGreaterThan(0);
    expect(inMs).toBeLessThanOrEqual(2 * STORE_LIMITS.circuitMs);
    await expect.poll(() => dispatched(under)).toEqual(idsOf([mine]));
    await save(store, { circuits });
    expect(await pauses.circuits(io())).toMatchObject([{ level: 2 }]);
  });

  test.each(['traffic', 'unreachable'] as const)(
    'one attempt at a time finds out whether a participant without %s may be used again',
    async (reason) => {
      await using under = await makeStore();
      const { store, pauses } = under;
      const circuits = [{ participant: P, reason, ledgerCode: 'IT_SAID_SO' }];
      const early = via('app-provider');
      await arrive(store, early);
      const before = await begun(under, early, (await dispatchAll(under.outbox))[0]!);
      await untilLater();
      await save(store, { circuits });
      const waiting = [via('app-provider'), via('app-provider'), via('app-provider')];
      const other = via('app-user');
      for (const one of [...waiting, other]) await arrive(store, one);
      expect(await dispatched(under)).toEqual(idsOf([other]));

      const probe = await untilOne(under, waiting);
      const others = waiting.filter((one) => one !== probe.change);
      await makeDue(store, others);
      expect(await dispatched(under)).toEqual([]);
      // The probe has failed. Answers that arrive after this do not raise the level of the circuit again.
      await Promise.all([save(store, { circuits }), save(store, { circuits })]);
      expect(await pauses.circuits(io())).toMatchObject([{ reason, probe: true, level: 2 }]);
      await makeDue(store, others);
      expect(await dispatched(under)).toEqual([]);

      const next = await untilOne(under, others);
      const last = others.filter((one) => one !== next.change);
      await makeDue(store, last);
      expect(await dispatched(under)).toEqual([]);
      const attempt = await begun(under, next.change, next.effect, reason);
      // An attempt that began before the circuit opened says nothing about the participant's present state.
      await tell(store, before, 'network');
      await tell(store, attempt, 'nobody');
      if (reason === 'traffic') await tell(store, attempt, 'participant');
      expect(await pauses.circuits(io())).toMatchObject([{ reason }]);
      await tell(store, attempt, reason === 'traffic' ? 'network' : 'participant');
      expect(await pauses.circuits(io())).toEqual([]);
      expect(await dispatched(under)).toEqual(idsOf(last));
    },
  );

  test('of many that are due when its time is over one is let through, however many relays look', async () => {
    await using under = await makeStore();
    const { store, pauses } = under;
    const waiting = [1, 2, 3, 4, 5].map(() => via('app-provider'));
    for (const one of waiting) await arrive(store, one);
    const ledgerCode = 'IT_SAID_SO';
    await save(store, { circuits: [{ participant: P, reason: 'traffic', ledgerCode }] });
    expect(await dispatched(under)).toEqual([]);
    const [circuit] = await pauses.circuits(io());
    const untilMs = Date.parse(circuit?.until ?? '');
    await expect.poll(() => Date.now()).toBeGreaterThan(untilMs + 20);
    await makeDue(store, waiting);
    const looks = await Promise.all([dispatched(under), dispatched(under), dispatched(under)]);
    expect(looks.flat()).toHaveLength(1);
  });

  test('what waits for traffic waits for it until an attempt got through', async () => {
    await using under = await makeStore();
    const since = '2026-01-01T00:00:00.001Z';
    const waitingFor = { kind: 'traffic', detail: 'there is none', since } as const;
    const mine = via('app-provider', { state: 'retrying', waitingFor });
    await arrive(under.store, mine);
    await begun(under, mine, (await dispatchAll(under.outbox))[0]!);
    const [seen] = await under.store.reads.changesById([mine.id], io());
    expect(seen).toMatchObject({ state: 'submitting', waitingFor });
  });

  test('a participant that answers is reached, whatever else is the matter with it', async () => {
    await using under = await makeStore();
    const { store, pauses, outbox } = under;
    const mine = via('app-provider');
    const open = (reason: 'traffic' | 'unreachable') =>
      save(store, { circuits: [{ participant: P, reason, ledgerCode: 'IT_SAID_SO' }] });
    await open('unreachable');
    await arrive(store, mine);
    expect(await dispatched(under)).toEqual([]);
    await outbox.participantReached(P, io());
    expect(await pauses.circuits(io())).toEqual([]);
    expect(await dispatched(under)).toEqual(idsOf([mine]));
    await open('traffic');
    await outbox.participantReached(P, io());
    expect(await pauses.circuits(io())).toMatchObject([{ reason: 'traffic' }]);
  });

  test('what is put off while its participant is found to be there again is due at once', async () => {
    await using under = await makeStore();
    const { store, outbox } = under;
    const [probe, mine, other] = [via('app-provider'), via('app-provider'), via('app-user')];
    const away = { participant: P, reason: 'unreachable', ledgerCode: 'IT_SAID_SO' } as const;
    await save(store, { circuits: [away] });
    await arrive(store, probe);
    await untilOne(under, [probe]);
    for (const one of [mine, other]) await arrive(store, one);
    // The transaction that postpones the effect is not committed yet, so the transaction that closes the circuit does
    // not see that the effect was postponed.
    const put = () => outbox.participantReached(P, io());
    expect(await outbox.dispatchDue(100, put, io())).toBe(2);
    expect(await outbox.nextDueInMs(io())).toBeGreaterThan(STORE_LIMITS.circuitMs);
    // The end of the circuit has triggered this next round.
    const taken = [...(await dispatched(under)), ...(await dispatched(under))];
    expect(taken).toEqual(idsOf([mine]));
  });

  test('what was submitted before the completions broke off, and has no outcome, is due soon', async () => {
    await using under = await makeStore();
    const { store, outbox } = under;
    const dueInMs = async () => (await outbox.nextDueInMs(io())) ?? Infinity;
    const back = () => outbox.completionsBack(P, io());
    const [lost, answered, refused, elsewhere, waiting] = [
      via('app-provider'),
      via('app-provider'),
      via('app-provider'),
      via('app-user'),
      via('app-provider'),
    ];
    // Three cases: effects of another participant, effects that no worker has taken, and refused effects.
    for (const one of [elsewhere, waiting, refused]) await arrive(store, one);
    const jobs = await dispatchAll(outbox);
    const jobOf = (one: Change) => jobs.find(({ id }) => id === rows.effectId(one))!;
    await begun(under, elsewhere, jobOf(elsewhere));
    const no = await begun(under, refused, jobOf(refused));
    await save(store, { attempts: [{ submissionId: no, answer: rows.answer('refused') }] });
    await back();
    expect(await dueInMs()).toBeGreaterThan(STORE_LIMITS.unheardMs);
    await arrive(store, lost);
    await begun(under, lost, (await dispatchAll(outbox))[0]!);
    await back();
    // For an attempt in flight, the time limit begins at this moment.
    expect(await dispatchAll(outbox)).toEqual([]);
    expect(await dueInMs()).toBeLessThanOrEqual(STORE_LIMITS.unheardMs);
    const again = await untilOne(under, [lost]);
    expect(again.effect.dispatchNo).toBe(2);
    // After a second silence in a row, the time limit is longer.
    await begun(under, lost, again.effect);
    await back();
    expect(await dueInMs()).toBeGreaterThan(STORE_LIMITS.unheardMs);
    expect(await dueInMs()).toBeLessThanOrEqual(2 * STORE_LIMITS.unheardMs);
    // An answer that says nothing about the command is not an outcome of the attempt.
    await arrive(store, answered);
    await tell(store, await begun(under, answered, (await dispatchAll(outbox))[0]!), 'nobody');
    await back();
    expect(await dueInMs()).toBeLessThanOrEqual(STORE_LIMITS.unheardMs);
  });

  test('what proves nothing by itself leaves a participant alone at the second time', async () => {
    await using under = await makeStore();
    const { store, pauses } = under;
    const ledgerCode = 'NO_ERROR_INFO:DEADLINE_EXCEEDED';
    const opening = { participant: P, reason: 'unreachable', ledgerCode } as const;
    const silence = () => save(store, { circuits: [{ ...opening, atSecond: true }] });
    const [one, two] = [via('app-provider'), via('app-provider')];
    await arrive(store, one);
    const before = await begun(under, one, (await dispatchAll(under.outbox))[0]!);
    await silence();
    expect(await pauses.circuits(io())).toEqual([]);
    // An answer interrupts the row of silences only if its attempt began after the silence, and if the participant
    // itself answered.
    await tell(store, before, 'participant');
    await arrive(store, two);
    await untilLater();
    const since = await begun(under, two, (await dispatchAll(under.outbox))[0]!);
    await tell(store, since, 'nobody');
    await tell(store, since, 'participant');
    await untilLater();
    await silence();
    expect(await pauses.circuits(io())).toEqual([]);
    await tell(store, before, 'participant');
    await tell(store, since, 'participant');
    await silence();
    expect(await pauses.circuits(io())).toMatchObject([{ reason: 'unreachable', level: 1 }]);
    // After one such answer it is certain that the participant cannot be reached, so its circuit opens at once.
    await under.outbox.participantReached(P, io());
    await save(store, { circuits: [{ ...opening, participant: U }] });
    expect(await pauses.circuits(io())).toMatchObject([{ participant: U }]);
  });

  test('nothing that was dispatched begins while its participant cannot be reached; the probe begins when it has answered', async () => {
    await using under = await makeStore();
    const { store, outbox } = under;
    const [early, late] = [via('app-provider'), via('app-provider')];
    for (const one of [early, late]) await arrive(store, one);
    const jobs = await dispatchAll(outbox);
    const circuits = [{ participant: P, reason: 'unreachable', ledgerCode: 'IT_SAID_SO' }] as const;
    await save(store, { circuits });
    const start = ({ id, dispatchNo }: (typeof jobs)[number], isReached?: boolean) =>
      outbox.startAttempt(
        trusted(id),
        dispatchNo,
        trusted<SubmissionId>(randomUUID()),
        io(),
        isReached,
      );
    for (const job of jobs) {
      expect(await start(job)).toBeNull();
      expect(await outbox.putOff(trusted(job.id), job.dispatchNo, io())).toBeNull();
    }
    expect(await dispatchAll(outbox)).toEqual([]);
    const probe = await untilOne(under, [early, late]);
    expect(await start(probe.effect)).toBeNull();
    const { id, dispatchNo } = probe.effect;
    expect(await outbox.putOff(trusted(id), dispatchNo - 1, io())).toBeNull();
    expect(await outbox.putOff(trusted(id), dispatchNo, io())).toMatchObject({
      id: probe.change.id,
    });
    expect(await start(probe.effect, true)).toMatchObject({ attempt: 1, circuit: 'unreachable' });
    // This effect's participant is available, so the effect is not postponed.
    await outbox.participantReached(P, io());
    const other = await dispatchAll(outbox);
    expect(other).toHaveLength(1);
    expect(await outbox.putOff(trusted(other[0]!.id), other[0]!.dispatchNo, io())).toBeNull();
    expect(await start(other[0]!)).toMatchObject({ attempt: 1, circuit: null });
  });

  test('what is sent beside the outbox is held back by the same', async () => {
    await using under = await makeStore();
    const { store, pauses } = under;
    const held = () => store.reads.heldBack(P, PROVIDER, io());
    const put = (scope: PauseScope, name: string, mode: PauseMode = 'pause') =>
      pauses.put({ scope, name, mode, reason: 'upgrade' }, BY, io());
    await put('participant', 'app-user');
    await put('operation', 'renew-license');
    await put('provider', USER);
    await put('provider', PROVIDER, 'drain');
    expect(await held()).toBeNull();
    const mine = await put('participant', P);
    expect(await held()).toBe('pause');
    await pauses.remove(mine.id, { ...BY, reason: 'done' }, io());
    const all = await put('provider', PROVIDER);
    expect(await held()).toBe('pause');
    await pauses.remove(all.id, { ...BY, reason: 'done' }, io());
    await save(store, { circuits: [{ participant: P, reason: 'traffic', ledgerCode: 'NONE' }] });
    expect(await held()).toBe('traffic');
    // One effect has to probe the participant, and it may be this effect.
    await expect.poll(held, { timeout: 10_000 }).toBeNull();
    expect(await pauses.circuits(io())).toMatchObject([{ reason: 'traffic' }]);
  });

  test('what only a probe can end takes the place of what ends by itself', async () => {
    await using under = await makeStore();
    const { store, pauses } = under;
    const open = (reason: 'busy' | 'traffic') =>
      save(store, { circuits: [{ participant: P, reason, ledgerCode: 'IT_SAID_SO' }] });
    await open('busy');
    await open('traffic');
    expect(await pauses.circuits(io())).toMatchObject([{ reason: 'traffic', level: 1 }]);
    await open('busy');
    expect(await pauses.circuits(io())).toMatchObject([{ reason: 'traffic', level: 1 }]);
    // If the probe is answered with "busy", this does not show that the participant has traffic credit.
    const mine = via('app-provider');
    await arrive(store, mine);
    await untilOne(under, [mine]);
    await open('busy');
    expect(await pauses.circuits(io())).toMatchObject([{ reason: 'traffic', level: 2 }]);
  });
}
