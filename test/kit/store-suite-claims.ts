import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Claim, Claimed } from '../../src/app/ports/outbox.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LICENSE } from '../../src/domain/licensing.ts';
import {
  USER,
  answer,
  birth,
  change,
  created,
  effectId,
  exercised,
  io,
  lifecycle,
  newContractId,
  succeeded,
  writes,
} from './store-rows.ts';
import { ledgerOf, renewal } from './store-suite-projection.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, dispatchAll, held, save } from './store-under-test.ts';

const claimOf = (of: Change, over: Partial<Claim> = {}): Claim => ({
  effect: effectId(of),
  dispatchNo: 1,
  submissionId: trusted(randomUUID()),
  isReached: false,
  ...over,
});

/** Returns a short form of the attempts that have begun. */
const inShort = (claimed: readonly Claimed[]) =>
  claimed.map((one) => (one === null || one === 'apart' ? one : one.attempt));

const via = (participant: string): Change => {
  const one = change();
  return { ...one, submitter: { ...one.submitter, participant: trusted(participant) } };
};

async function arrived(under: StoreUnderTest, ...changes: Change[]): Promise<void> {
  for (const one of changes) await arrive(under.store, one);
  await dispatchAll(under.outbox);
}

const attemptsOf = async ({ store }: StoreUnderTest, of: Change) =>
  (await store.reads.attempts(of.id, io())).map(({ n, submissionId }) => ({ n, submissionId }));

/**
 * Claims made in one call: tests, for every store, that each has the same result as if it had been made alone, and that
 * none waits for another transaction.
 */
export function claimCases(makeStore: MakeStore): void {
  test('of many claims each is begun as if it were alone', async () => {
    await using under = await makeStore();
    const { store, outbox } = under;
    const [of, other] = [lifecycle(), lifecycle({ kind: 'license' })];
    for (const each of [of, other]) await save(store, birth(each));
    const first = change({
      lane: of.lane,
      lifecycleId: of.id,
      fixed: { requestId: 'request-1', throughId: other.id },
    });
    const [create, retried] = [change(), change({ state: 'retrying' })];
    await arrived(under, first, create, retried);
    const before = trusted<Claim['submissionId']>(randomUUID());
    expect((await outbox.startAttempt(effectId(retried), 1, before, io()))?.attempt).toBe(1);
    await save(store, {
      attempts: [{ submissionId: before, answer: answer('refused', { unsent: true }) }],
    });
    const claims = [first, create, retried].map((one) => claimOf(one));
    const claimed = await outbox.startAttempts(claims, io());
    const begun = { state: 'submitting', waitingFor: { kind: 'ledger' } };
    expect(claimed).toMatchObject([
      { change: { ...begun, id: first.id }, attempt: 1, lifecycle: of, through: other },
      { change: { ...begun, id: create.id }, attempt: 1, lifecycle: null, through: null },
      { change: { ...begun, id: retried.id }, attempt: 1, lifecycle: null, through: null },
    ]);
    expect(await store.reads.attempts(first.id, io())).toMatchObject([
      { n: 1, submissionId: claims[0]!.submissionId, contractId: of.contractId, answer: null },
    ]);
    expect(await store.reads.attempts(retried.id, io())).toMatchObject([
      { n: 1, submissionId: claims[2]!.submissionId, unsent: { tries: 1 }, answer: null },
    ]);
  });

  test('what has nothing to submit, or not now, is not begun beside what has', async () => {
    await using under = await makeStore();
    const { store, outbox } = under;
    const [ended, verified, late, away, probed, good] = [
      change(),
      change({ state: 'retrying', verifyAt: 7n }),
      change(),
      via('app-user'),
      via('app-user'),
      change(),
    ];
    await arrived(under, ended, verified, late, away, probed, good);
    await store.transact(io(), async (tx) => {
      await tx.lock([ended.lane]);
      await tx.save(writes({ changes: [succeeded(ended)] }));
    });
    await save(store, {
      circuits: [
        { participant: trusted('app-user'), reason: 'unreachable', ledgerCode: 'UNAVAILABLE' },
      ],
    });
    const claims = [
      claimOf(ended),
      claimOf(verified),
      claimOf(late, { dispatchNo: 2 }),
      claimOf(away),
      claimOf(probed, { isReached: true }),
      claimOf(good),
    ];
    const claimed = await outbox.startAttempts(claims, io());
    expect(inShort(claimed)).toEqual([null, null, null, null, 1, 1]);
    expect(claimed[4]).toMatchObject({ circuit: 'unreachable' });
    for (const one of [ended, verified, late, away]) {
      expect(await attemptsOf(under, one)).toEqual([]);
    }
  });

  test('of two deliveries of one effect the second is claimed apart, and finds the attempt of the first', async () => {
    await using under = await makeStore();
    const one = change();
    await arrived(under, one);
    const [first, second] = [claimOf(one), claimOf(one)];
    const claimed = await under.outbox.startAttempts([first, second], io());
    expect(inShort(claimed)).toEqual([1, 'apart']);
    expect(await attemptsOf(under, one)).toEqual([{ n: 1, submissionId: first.submissionId }]);
    const { effect, dispatchNo, submissionId } = second;
    const alone = await under.outbox.startAttempt(effect, dispatchNo, submissionId, io());
    expect(alone?.attempt).toBe(2);
  });

  test('what another transaction has is claimed apart, and nothing waits for it', async () => {
    await using under = await makeStore();
    const { store, outbox } = under;
    const [busy, good] = [change(), change()];
    await arrived(under, busy, good);
    const other = held(store, (tx) => tx.lock([busy.lane]));
    await other.worked;
    const claimed = await outbox.startAttempts([claimOf(busy), claimOf(good)], io());
    expect(inShort(claimed)).toEqual(['apart', 1]);
    expect(await attemptsOf(under, busy)).toEqual([]);
    await other.commit();
    expect(inShort(await outbox.startAttempts([claimOf(busy)], io()))).toEqual([1]);
  });

  test('what is only being dispatched is claimed apart, and what is not there at all', async () => {
    await using under = await makeStore();
    const [early, good] = [change(), change()];
    await arrived(under, good);
    await arrive(under.store, early);
    let claimed: readonly Claimed[] = [];
    const put = async (): Promise<void> => {
      const claims = [early, change(), good].map((one) => claimOf(one));
      claimed = await under.outbox.startAttempts(claims, io());
    };
    expect(await under.outbox.dispatchDue(9, put, io())).toBe(1);
    expect(inShort(claimed)).toEqual(['apart', 'apart', 1]);
  });

  test('one that makes the transaction fail leaves nothing of the others, and all are claimed apart', async () => {
    await using under = await makeStore();
    const { outbox } = under;
    const [before, one, other] = [change(), change(), change()];
    await arrived(under, before, one, other);
    const [taken, bad] = [claimOf(before), claimOf(one)];
    await outbox.startAttempts([taken], io());
    // A submission ID that was used before is refused.
    const claims = [{ ...bad, submissionId: taken.submissionId }, claimOf(other)];
    expect(inShort(await outbox.startAttempts(claims, io()))).toEqual(['apart', 'apart']);
    for (const each of [one, other]) expect(await attemptsOf(under, each)).toEqual([]);
  });

  test('nothing is asked for, and nothing is claimed', async () => {
    await using under = await makeStore();
    expect(await under.outbox.startAttempts([], io())).toEqual([]);
  });

  test('claims that are given up commit nothing', async () => {
    await using under = await makeStore();
    const one = change({ callerParty: USER });
    await arrived(under, one);
    const stopping = new AbortController();
    stopping.abort(new Error('the worker is stopping'));
    const claimed = under.outbox.startAttempts([claimOf(one)], io(1_000, stopping.signal));
    await expect(claimed).rejects.toThrow('the worker is stopping');
    expect(await attemptsOf(under, one)).toEqual([]);
  });

  test('an attempt to complete a renewal knows its licence as it is now, and says what it waits for', async () => {
    await using under = await makeStore();
    const ledger = ledgerOf(under.store);
    const license = lifecycle({ kind: 'license' });
    const request = renewal(1n, { lane: license.lane });
    await ledger.apply([created(license), created(request)], [license, request]);
    const ours = change({
      lane: license.lane,
      lifecycleId: request.id,
      operation: 'complete-renewal',
      fixed: { licenseId: license.id },
    });
    await arrive(under.store, ours);
    const renewed = { ...license, contractId: newContractId(), version: 2 };
    await ledger.apply([exercised(license.contractId, LICENSE), created(renewed)], [renewed]);
    await dispatchAll(under.outbox);
    const submissionId = trusted<SubmissionId>(randomUUID());
    const started = await under.outbox.startAttempt(effectId(ours), 1, submissionId, io());
    expect(started).toMatchObject({ lifecycle: request, through: renewed, attempt: 1 });
    expect(started?.change.waitingFor).toEqual({
      kind: 'ledger',
      detail: 'attempt 1 is on its way and not answered yet',
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
    });
    const [attempt] = await under.store.reads.attempts(ours.id, io());
    expect(attempt?.contractId).toBe(request.contractId);
  });
}
