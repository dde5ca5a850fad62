import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { applyLedger } from '../../src/app/apply-ledger.ts';
import { UPDATES_STREAM, completionsStream } from '../../src/app/ports.ts';
import { recordAnswer } from '../../src/app/record-answer.ts';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import type { LedgerCompletion, LedgerTransaction } from '../../src/domain/ledger.ts';
import { LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import { batchOf } from '../../src/projector/batch.ts';
import type { StreamElement } from '../../src/projector/inbox.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, dispatchAll, save } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

/*
 * Histories of one change that have gone wrong, or could: attempts, answers and completions in awkward orders, applied
 * to a real database the way the projector and the worker apply them.
 */

const P = trusted<Change['submitter']['participant']>('app-provider');
const U = trusted<Change['submitter']['participant']>('app-user');
const HOUR_MS = 3_600_000;

async function openHistory() {
  const under = await postgresStore();
  const epoch = (await under.leases.acquire(PROJECTOR_LEASE, 'test', HOUR_MS, rows.io())) ?? 0n;
  const cursors = new Map<string, bigint>(
    [UPDATES_STREAM, completionsStream(P), completionsStream(U)].map((name) => [name, 10n]),
  );
  await under.store.transact(rows.io(), async (tx) => {
    for (const [stream, to] of cursors)
      await tx.startCursor({ stream, from: 0n, to, recordTime: null }, epoch);
  });
  const deps = {
    store: under.store,
    readAs: [rows.PROVIDER],
    projected: P,
    leaseEpoch: epoch,
    random: () => 0,
  };
  return {
    ...under,
    /** What the streams deliver in one batch; the participants end at `end`. */
    async apply(elements: readonly StreamElement[], { at = Date.now(), end = 1_000n } = {}) {
      const batch = batchOf(elements, cursors);
      const times = { now: new Date(at).toISOString(), ledgerNowMs: at };
      const ledgerEnds = new Map([
        [P, end],
        [U, end],
      ]);
      await applyLedger(deps, { ...batch, duplicates: new Map(), ledgerEnds }, times, rows.io());
      for (const [stream, to] of batch.cursors) cursors.set(stream, to);
    },
    /** Dispatches the change's effect, due or not, and begins an attempt; `null` when there must be none now. */
    async attempt(change: Change): Promise<SubmissionId | null> {
      await queryOnce(
        under.url,
        `update effect set due_at = now() - interval '1 s' where change_id = '${change.id}' and done_at is null`,
      );
      const dispatched = (await dispatchAll(under.outbox)).find(
        ({ id }) => id === rows.effectId(change),
      );
      if (dispatched === undefined) return null;
      const submissionId = trusted<SubmissionId>(randomUUID());
      const started = await under.outbox.startAttempt(
        trusted(dispatched.id),
        dispatched.dispatchNo,
        submissionId,
        rows.io(),
      );
      return started === null ? null : submissionId;
    },
    /** The worker was answered at once; the participant ends at `end`, or cannot be asked. */
    async answered(
      change: Change,
      submissionId: SubmissionId | null,
      given: LedgerAnswer,
      end: bigint | null,
      at = Date.now(),
    ) {
      const gateway = {
        submit: () => Promise.reject(new Error('not asked')),
        updateAt: () => Promise.resolve(null),
        ledgerEnd: () => (end === null ? Promise.reject(new Error('away')) : Promise.resolve(end)),
      };
      const clock = {
        nowMs: () => at,
        pastMs: () => at,
        refresh: () => Promise.resolve(),
        observe: () => undefined,
      };
      const signals = { effectsDue: () => undefined };
      const how = {
        store: under.store,
        gateway,
        wallClock: clock,
        ledgerClock: clock,
        signals,
        random: () => 0,
      };
      await recordAnswer(how, change, submissionId ?? trusted(''), given, rows.io());
    },
    async state(change: Change): Promise<Change | undefined> {
      return (await under.store.reads.changesById([change.id], rows.io()))[0];
    },
    attempts: (change: Change) => under.store.reads.attempts(change.id, rows.io()),
    /** All attempts so far were so long ago that none can be sequenced any more. */
    age: () => queryOnce(under.url, `update attempt set at = at - interval '1 hour'`),
  };
}

const completed = (
  participant: Change['submitter']['participant'],
  offset: bigint,
  submissionId: SubmissionId | null,
  over: Partial<LedgerCompletion>,
): StreamElement => ({
  stream: 'completions',
  element: {
    kind: 'completion',
    participant,
    offset,
    commandId: 'x',
    submissionId: submissionId ?? trusted(''),
    ledgerUser: 'backend',
    actAs: [],
    updateId: null,
    answer: null,
    ...over,
  },
});
const passed = (
  participant: Change['submitter']['participant'],
  offset: bigint,
): StreamElement => ({
  stream: 'completions',
  element: { kind: 'position', participant, offset },
});
const position = (offset: bigint): StreamElement => ({
  stream: 'updates',
  element: { kind: 'position', offset, recordTime: null },
});
const updated = (element: LedgerTransaction): StreamElement => ({ stream: 'updates', element });

/** A request of a user: a create through the users' participant. */
const request = (): Change => {
  const id = trusted<Change['id']>(randomUUID());
  return rows.change({
    id,
    operation: 'request-install',
    lane: trusted(`change-${id}`),
    body: { provider: rows.PROVIDER, meta: { data: {} } },
    submitter: { participant: U, ledgerUser: 'backend', actAs: rows.USER },
    callerParty: rows.USER,
  });
};

/** A renewal whose completion is at the head of its lane. */
async function completing(history: Awaited<ReturnType<typeof openHistory>>, attempts: number) {
  const renewal = rows.lifecycle({
    kind: 'renewal',
    state: 'completing',
    context: { settleBefore: '2030-01-01T00:00:00Z' },
  });
  const change = rows.change({
    operation: 'complete-renewal',
    lifecycleId: renewal.id,
    lane: renewal.lane,
    attempts,
  });
  await arrive(history.store, change);
  await save(history.store, rows.birth(renewal));
  return { renewal, change };
}

const refusal = answer();
const stale = answer({ class: 'stale-contract', code: 'CONTRACT_NOT_FOUND' });

describe('a refusal is believed only when nothing can take effect any more', () => {
  test('a lost attempt that is long over does not keep a refusal by completion from ending the change', async () => {
    await using history = await openHistory();
    const change = request();
    await arrive(history.store, change);
    await history.attempt(change);
    await history.age();
    const second = await history.attempt(change);
    await history.apply([completed(U, 20n, second, { answer: refusal })], { end: 25n });
    expect(await history.state(change)).toMatchObject({ state: 'retrying', verifyAt: 25n });
    await history.apply([passed(U, 25n)]);
    expect(await history.state(change)).toMatchObject({
      state: 'rejected',
      error: { code: 'LEDGER_REFUSED' },
    });
  });

  test('two definite refusals in one batch are seen together', async () => {
    await using history = await openHistory();
    const change = request();
    await arrive(history.store, change);
    const first = await history.attempt(change);
    const second = await history.attempt(change);
    await history.apply([
      completed(U, 20n, first, {
        answer: answer({ class: 'contention', code: 'LOCAL_VERDICT_TIMEOUT' }),
      }),
      completed(U, 21n, second, {
        answer: answer({ class: 'unknown', code: 'INVALID_DEDUPLICATION_PERIOD' }),
      }),
    ]);
    expect(await history.state(change)).toMatchObject({ state: 'rejected' });
  });

  test('an attempt that may still be sequenced keeps a later refusal open, however late it is looked at', async () => {
    await using history = await openHistory();
    const change = request();
    await arrive(history.store, change);
    const first = await history.attempt(change);
    const second = await history.attempt(change);
    const began = Date.parse((await history.attempts(change))[0]?.at ?? '');
    await history.answered(change, second, refusal, 20n, began + 15_000);
    // Everything stands still for two minutes; meanwhile the first attempt is accepted, just behind that point.
    await history.apply([passed(U, 20n)], { at: began + 140_000 });
    expect(await history.state(change)).toMatchObject({ state: 'retrying' });
    await history.apply([completed(U, 23n, first, { updateId: trusted('u-23') })], {
      at: began + 140_010,
    });
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-23' } });
  });

  test('nothing is submitted while it is made sure that nothing took effect', async () => {
    await using history = await openHistory();
    const lifecycle = rows.lifecycle({ kind: 'install', state: 'cancelling' });
    await save(history.store, rows.birth(lifecycle));
    const change = rows.change({
      operation: 'cancel-install',
      lifecycleId: lifecycle.id,
      lane: lifecycle.lane,
    });
    await arrive(history.store, change);
    await history.answered(change, await history.attempt(change), stale, 20n);
    expect(await history.attempt(change)).toBeNull();
    // The streams reach the point on a ledger where nothing else happens.
    await history.apply([
      passed(P, 20n),
      { stream: 'updates', element: { kind: 'position', offset: 20n, recordTime: null } },
    ]);
    expect(await history.attempt(change)).not.toBeNull();
  });

  test('what the streams have passed already is settled by the next look, without any news', async () => {
    await using history = await openHistory();
    const ended = rows.lifecycle({
      kind: 'license',
      state: 'expired',
      endedAt: '2026-01-01T00:00:00Z',
      context: { expiresAt: '2026-01-01T00:00:00Z' },
    });
    await save(history.store, rows.birth(ended));
    const change = rows.change({
      operation: 'expire-license',
      lifecycleId: ended.id,
      lane: ended.lane,
    });
    await arrive(history.store, change);
    await history.apply([
      passed(P, 50n),
      { stream: 'updates', element: { kind: 'position', offset: 50n, recordTime: null } },
    ]);
    await history.answered(change, await history.attempt(change), stale, 50n);
    await history.apply([]);
    expect(await history.state(change)).toMatchObject({
      state: 'rejected',
      error: { code: 'CONTRACT_GONE' },
    });
  });

  test('a completion that took effect succeeds, although the registry no longer knows its allocation', async () => {
    await using history = await openHistory();
    const { renewal, change } = await completing(history, LIMITS.attemptsMax - 1);
    // Submitted, and its answer was lost.
    const first = await history.attempt(change);
    const unknown = answer({ class: 'contention', code: 'ALLOCATION_NOT_FOUND' });
    await history.answered(change, await history.attempt(change), unknown, 20n);
    await history.apply([passed(P, 25n), position(25n)]);
    expect(await history.state(change)).toMatchObject({ state: 'retrying', finishedAt: null });
    const choice = 'LicenseRenewalRequest_CompleteRenewal';
    const licenseId = rows.newContractId();
    const over = { choice, result: licenseId };
    const settled = rows.exercised(renewal.contractId, LICENSE_RENEWAL_REQUEST, over);
    await history.apply([
      updated(rows.transaction(30n, [settled])),
      completed(P, 30n, first, { updateId: trusted('update-30') }),
    ]);
    expect(await history.state(change)).toMatchObject({
      state: 'succeeded',
      result: { status: 200, body: { licenseId } },
    });
  });

  test('a completion whose request stands does not fail while a lost attempt may still settle it', async () => {
    await using history = await openHistory();
    const { change } = await completing(history, LIMITS.attemptsMax - 1);
    await history.attempt(change);
    // The contract that was gone is another one: the licence, the allocation, or one of the token's.
    await history.answered(change, await history.attempt(change), stale, 20n);
    await history.apply([passed(P, 20n), position(20n)]);
    expect(await history.state(change)).toMatchObject({
      state: 'retrying',
      verifyAt: null,
      waitingFor: { detail: expect.stringContaining('an earlier attempt may still take effect') },
    });
    await history.age();
    await history.answered(change, await history.attempt(change), stale, 30n);
    await history.apply([passed(P, 30n), position(30n)]);
    expect(await history.state(change)).toMatchObject({
      state: 'failed',
      error: { code: 'BUDGET_SPENT' },
    });
  });

  test('an answer is recorded also when the ledger cannot be asked where it ends', async () => {
    await using history = await openHistory();
    const change = request();
    await arrive(history.store, change);
    await history.answered(change, await history.attempt(change), refusal, null);
    expect(await history.state(change)).toMatchObject({
      state: 'rejected',
      error: { ledgerCode: 'DAML_FAILURE' },
    });
  });
});

describe('what is in doubt, and what is counted', () => {
  test('a change in doubt stays so whatever else is refused, and is not dispatched', async () => {
    await using history = await openHistory();
    const change = request();
    await arrive(history.store, change);
    await history.attempt(change);
    const second = await history.attempt(change);
    const exceeded = answer({ class: 'unknown', code: 'INVALID_DEDUPLICATION_PERIOD' });
    await history.apply([completed(U, 20n, second, { answer: exceeded })]);
    expect(await history.state(change)).toMatchObject({
      state: 'in-doubt',
      waitingFor: { kind: 'person' },
    });
    await history.apply([passed(U, 2_000n)]);
    expect(await history.attempt(change)).toBeNull();
    expect(await history.state(change)).toMatchObject({ state: 'in-doubt' });
  });

  test('the budget is not spent by what was never refused', async () => {
    await using history = await openHistory();
    const change = request();
    await arrive(history.store, change);
    const inFlight = answer({ class: 'in-flight', code: 'SUBMISSION_ALREADY_IN_FLIGHT' });
    for (let n = 0; n < 15; n += 1)
      await history.answered(change, await history.attempt(change), inFlight, 20n);
    await history.answered(
      change,
      await history.attempt(change),
      answer({ class: 'busy', code: 'SERVICE_NOT_RUNNING' }),
      20n,
    );
    expect(await history.state(change)).toMatchObject({ state: 'retrying', attempts: 1 });
  });

  test.each(['together', 'update first'])('an answer names the lifecycle: %s', async (order) => {
    await using history = await openHistory();
    const change = request();
    await arrive(history.store, change);
    const submissionId = await history.attempt(change);
    const born = rows.lifecycle({ kind: 'install-request' });
    const payload = { provider: rows.PROVIDER, user: rows.USER, meta: { values: {} } };
    const update = updated(rows.transaction(30n, [rows.created(born, { payload })]));
    const completion = completed(U, 31n, submissionId, { updateId: trusted('update-30') });
    if (order === 'together') await history.apply([update, completion]);
    else {
      await history.apply([update]);
      await history.apply([completion]);
    }
    expect(await history.state(change)).toMatchObject({
      state: 'succeeded',
      result: {
        status: 201,
        body: { contractId: born.contractId, lifecycleId: expect.any(String), version: 1 },
      },
    });
  });
});
