import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Tx } from '../../src/app/ports/transaction.ts';
import type { Writes } from '../../src/app/ports/writes.ts';
import type { Change } from '../../src/domain/change.ts';
import type { ContractId, SubmissionId } from '../../src/domain/ids.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import {
  OTHER_USER as OTHER,
  PROVIDER,
  arrival,
  birth,
  change,
  effectId,
  io,
  lifecycle,
  writes,
} from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, dispatchAll, held, isWaiting, read, save } from './store-under-test.ts';

const BY = { byParty: PROVIDER, bySubject: 'ops', reason: 'an upgrade' };

const submissionOf = (of: Change): SubmissionId => trusted<SubmissionId>(`eager-${of.id}`);

const firstOf = (of: Change) => ({ effect: effectId(of), submissionId: submissionOf(of) });

/** The writes that put changes at the heads of their lanes. */
const together = (changes: readonly Change[]): Partial<Writes> => ({
  mailboxes: changes.flatMap((one) => arrival(one).mailboxes ?? []),
  changes,
  newEffects: changes.flatMap((one) => arrival(one).newEffects ?? []),
});

/** Records changes at the head of their lanes, and starts their first attempts. */
const recorded = (under: StoreUnderTest, session: string, ...changes: Change[]) =>
  held(under.store, async (tx) => {
    await tx.lock(changes.map(({ lane }) => lane));
    return tx.startFirst(writes(together(changes)), session, changes.map(firstOf));
  });

async function record(under: StoreUnderTest, session: string, ...changes: Change[]) {
  const started = await (await recorded(under, session, ...changes).commit())();
  return changes.map((one) => started.get(effectId(one))?.attempt ?? null);
}

const attemptsOf = async ({ store }: StoreUnderTest, of: Change) =>
  (await store.reads.attempts(of.id, io())).map(({ n, submissionId, answer }) => ({
    n,
    submissionId,
    answer,
  }));

/** A time long before the effect would become due if no attempt had begun. */
const SOON_MS = LIMITS.redispatchMs / 2;

/** First attempts that start in the transaction that records the change: tests for every store. */
export function eagerCases(makeStore: MakeStore): void {
  test('the first attempt is committed with its change, and no relay takes its effect', async () => {
    await using under = await makeStore();
    await using session = await under.beginSession();
    const of = change();
    const recording = recorded(under, session.name, of);
    const answer = await recording.worked;
    expect(await attemptsOf(under, of)).toEqual([]);
    await recording.commit();
    expect((await answer()).get(effectId(of))).toMatchObject({
      attempt: 1,
      change: { id: of.id, state: 'submitting', waitingFor: { kind: 'ledger' } },
      circuit: null,
    });
    const first = { n: 1, submissionId: submissionOf(of), answer: null };
    expect(await attemptsOf(under, of)).toEqual([first]);
    const [row] = await under.store.reads.attempts(of.id, io());
    expect(row?.submitter).toEqual(of.submitter);
    expect(await dispatchAll(under.outbox)).toEqual([]);
    const dueInMs = await under.outbox.nextDueInMs(io());
    expect(dueInMs).toBeGreaterThan(STORE_LIMITS.endedSpreadMsMax);
    expect(dueInMs).toBeLessThanOrEqual(LIMITS.redispatchMs);
    expect(await under.outbox.isCurrent(effectId(of), submissionOf(of), io())).toBe(true);
  });

  test('a pause, a circuit and an ended session leave the effect to the relay', async () => {
    await using under = await makeStore();
    const session = await under.beginSession();
    await using open = await under.beginSession();
    const asked = { scope: 'operation', name: 'cancel-install', mode: 'pause' } as const;
    const pause = await under.pauses.put({ ...asked, reason: 'an upgrade' }, BY, io());
    const paused = change({ operation: 'cancel-install' });
    const free = change({ operation: 'reject-install-request' });
    expect(await record(under, open.name, paused, free)).toEqual([null, 1]);
    await under.pauses.remove(pause.id, BY, io());
    await session[Symbol.asyncDispose]();
    const late = change();
    expect(await record(under, session.name, late)).toEqual([null]);
    const participant = paused.submitter.participant;
    const circuits = [{ participant, reason: 'busy', ledgerCode: 'BUSY' }] as const;
    await save(under.store, { circuits });
    const busy = change();
    expect(await record(under, open.name, busy)).toEqual([null]);
    for (const one of [paused, late, busy]) expect(await attemptsOf(under, one)).toEqual([]);
  });

  test('the lifecycle that the transaction saves counts: for a pause of its provider, and for the attempt', async () => {
    await using under = await makeStore();
    await using session = await under.beginSession();
    const asked = { scope: 'provider', mode: 'pause', reason: 'an upgrade' } as const;
    await under.pauses.put({ ...asked, name: OTHER }, BY, io());
    const [kept, old] = [lifecycle(), lifecycle({ provider: OTHER })];
    await save(under.store, birth(kept));
    await save(under.store, birth(old));
    const newly = lifecycle({ provider: OTHER });
    const stepped = { ...kept, version: kept.version + 1, contractId: trusted<ContractId>('00cc') };
    const of = (one: Lifecycle, over: Partial<Change> = {}) =>
      change({ lane: one.lane, lifecycleId: one.id, ...over });
    const [free, paused, born] = [of(stepped), of(old), of(newly)];
    const named = change({ body: { provider: OTHER } });
    const answer = await held(under.store, async (tx) => {
      const all = [free, paused, born, named];
      await tx.lock(all.map(({ lane }) => lane));
      const recording = { ...together(all), lifecycles: [stepped, newly] };
      return tx.startFirst(writes(recording), session.name, all.map(firstOf));
    }).commit();
    const started = await answer();
    expect([...started.keys()]).toEqual([effectId(free)]);
    const first = started.get(effectId(free));
    expect(first?.lifecycle).toMatchObject({ contractId: '00cc', version: stepped.version });
    expect(first?.change).toEqual(await read(under.store, (tx) => tx.change(free.id)));
    expect(await under.store.reads.attempts(free.id, io())).toMatchObject([{ contractId: '00cc' }]);
    for (const one of [paused, born, named]) expect(await attemptsOf(under, one)).toEqual([]);
  });

  test('a foreign ledger leaves the effect to the relay, and so does a change that was saved before', async () => {
    await using under = await makeStore();
    await using session = await under.beginSession();
    const { participant, ...rest } = change().submitter;
    const other = trusted<typeof participant>('app-user');
    const [foreign, saved] = [change(), change({ submitter: { ...rest, participant: other } })];
    const epoch = (await under.leases.acquire('projector', 'one', 60_000, io())) ?? 0n;
    const mark = { stream: 'updates', participant, reason: 'it ends before the store' };
    await under.store.transact(io(), (tx) => tx.markForeign(mark, epoch));
    expect(await record(under, session.name, foreign)).toEqual([null]);
    await arrive(under.store, saved);
    const start = async (tx: Tx) => tx.startFirst(writes({}), session.name, [firstOf(saved)]);
    const answer = await held(under.store, start).commit();
    expect((await answer()).size).toBe(0);
    expect(await attemptsOf(under, saved)).toEqual([]);
  });

  test('a pause waits for the recording, and no attempt is recorded after it', async () => {
    await using under = await makeStore();
    await using session = await under.beginSession();
    const [before, after] = [change(), change()];
    const recording = recorded(under, session.name, before);
    await (
      await recording.worked
    )();
    const asked = { scope: 'operation', name: before.operation, mode: 'pause' } as const;
    const pausing = under.pauses.put({ ...asked, reason: 'an upgrade' }, BY, io());
    expect(await isWaiting(pausing, under.store)).toBe(true);
    await recording.commit();
    await pausing;
    expect(await attemptsOf(under, before)).toHaveLength(1);
    expect(await record(under, session.name, after)).toEqual([null]);
  });

  test('the attempt of an ended session may have been sent: its effect is due, and the next attempt is another', async () => {
    await using under = await makeStore();
    const session = await under.beginSession();
    await using other = await under.beginSession();
    const [lost, kept] = [change(), change()];
    await record(under, session.name, lost);
    await record(under, other.name, kept);
    expect(await dispatchAll(under.outbox)).toEqual([]);
    await session[Symbol.asyncDispose]();
    await expect
      .poll(() => dispatchAll(under.outbox), { timeout: SOON_MS })
      .toEqual([{ id: effectId(lost), dispatchNo: 2 }]);
    expect(await under.outbox.isCurrent(effectId(lost), submissionOf(lost), io())).toBe(false);
    expect(await under.outbox.isCurrent(effectId(kept), submissionOf(kept), io())).toBe(true);
    const again = trusted<SubmissionId>(randomUUID());
    const started = await under.outbox.startAttempt(effectId(lost), 2, again, io());
    expect(started?.attempt).toBe(2);
    expect(await attemptsOf(under, lost)).toEqual([
      { n: 1, submissionId: submissionOf(lost), answer: null },
      { n: 2, submissionId: again, answer: null },
    ]);
  });

  test('what its process gives up is due at once', async () => {
    await using under = await makeStore();
    await using session = await under.beginSession();
    const [of, other] = [change(), change()];
    await record(under, session.name, of, other);
    await under.outbox.giveUp([effectId(of)], io());
    await expect
      .poll(() => dispatchAll(under.outbox), { timeout: SOON_MS })
      .toEqual([{ id: effectId(of), dispatchNo: 2 }]);
    await under.outbox.giveUp([effectId(of)], io());
    expect(await dispatchAll(under.outbox)).toEqual([]);
  });
}
