import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { PROVIDER, arrival, change, effectId, io, writes } from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { dispatchAll, held, isWaiting, save } from './store-under-test.ts';

const BY = { byParty: PROVIDER, bySubject: 'ops', reason: 'an upgrade' };

const submissionOf = (of: Change): SubmissionId => trusted<SubmissionId>(`eager-${of.id}`);

/** Records changes at the head of their lanes, and starts their first attempts. */
const recorded = (under: StoreUnderTest, session: string, ...changes: Change[]) =>
  held(under.store, async (tx) => {
    for (const one of changes) {
      await tx.lock([one.lane]);
      await tx.save(writes(arrival(one)));
    }
    return tx.startFirst(
      session,
      changes.map((one) => ({ effect: effectId(one), submissionId: submissionOf(one) })),
    );
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
