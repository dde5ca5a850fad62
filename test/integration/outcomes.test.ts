import { describe, expect, test } from 'vitest';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import { NOT_YET_KNOWN } from '../../src/domain/change.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import {
  P,
  SYNCHRONIZER,
  U,
  completed,
  openHistory,
  passed,
  position,
  stale,
  told,
  updated,
} from '../kit/change-history.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

/* Histories of one change in which something goes wrong, or could go wrong. */

/** Creates a renewal whose completion is at the head of its lane. */
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

describe('a refusal is believed only when nothing can take effect any more', () => {
  test('a lost attempt that is long over does not keep a refusal by completion from ending the change', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    await history.attempt(change);
    await history.hear();
    const second = await history.attempt(change);
    await history.apply([completed(U, 20n, second, { answer: refusal })], { end: 25n });
    expect(await history.state(change)).toMatchObject({ state: 'retrying', verifyAt: 0n });
    // Offsets alone prove nothing, because a participant that is behind has offsets, too.
    await history.apply([passed(U, 1_000n), position(1_000n)]);
    expect(await history.state(change)).toMatchObject({ state: 'retrying' });
    await history.apply(told(1_001n));
    expect(await history.state(change)).toMatchObject({
      state: 'rejected',
      error: { code: 'LEDGER_REFUSED' },
    });
    const [lost] = await history.attempts(change);
    expect(lost?.answer).toMatchObject({ verdict: 'refused', provenAt: lost?.overAt });
  });

  test('what a call says late of an attempt that its completion has refused leaves nothing to be proved of it', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    await history.attempt(change);
    await history.hear();
    const second = await history.attempt(change);
    await history.apply([completed(U, 20n, second, { answer: refusal })], { end: 25n });
    const proofAt = await history.proofAt(change);
    expect(proofAt).not.toBe(NOT_YET_KNOWN);
    // The answer to a call that was itself never answered.
    const silence = answer({ class: 'unknown', code: 'DEADLINE_EXCEEDED', definite: false });
    await history.answered(change, second, silence, null);
    expect(await history.proofAt(change)).toBe(proofAt);
    await history.apply(told(26n));
    expect(await history.state(change)).toMatchObject({ state: 'rejected' });
  });

  test('two definite refusals in one batch are seen together, and the next attempt is deduplicated from now on', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
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
    expect(await history.state(change)).toMatchObject({
      state: 'retrying',
      deduplicationOffset: 21n,
      verifyAt: null,
    });
    expect(await history.attempt(change)).not.toBeNull();
  });

  test('an attempt that may still be sequenced keeps a later refusal open, however late it is looked at', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const first = await history.attempt(change);
    const second = await history.attempt(change);
    const began = Date.parse((await history.attempts(change))[0]?.at ?? '');
    await history.answered(change, second, refusal, 20n, began + 15_000);
    expect(await history.proofAt(change)).toBe(NOT_YET_KNOWN);
    // The projector may have read the stream up to ten minutes earlier: an element from before the participant's answer
    // proves nothing.
    await history.apply(told(20n, new Date(began + 600_000).toISOString()), {
      at: began + 600_000,
    });
    await history.heardAt(U, began + 600_000);
    await history.apply(told(21n, new Date(began + 660_000).toISOString()), {
      at: began + 660_000,
    });
    expect(await history.state(change)).toMatchObject({ state: 'retrying' });
    await history.apply([completed(U, 23n, first, { updateId: trusted('u-23') })], {
      at: began + 720_010,
    });
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-23' } });
  });

  test('a proof is not believed while the ledger’s clock is apart from ours', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    await history.attempt(change);
    const began = Date.parse((await history.attempts(change))[0]?.at ?? '');
    const second = await history.attempt(change);
    await history.answered(change, second, refusal, 20n, began + 15_000);
    await history.heardAt(U, began + 600_000);
    const proven = new Date(began + 800_000).toISOString();
    await history.apply(told(20n, proven), { at: began + 730_000 });
    expect(await history.state(change)).toMatchObject({ state: 'retrying' });
  });

  test('a refusal that comes late does not end what the ledger has accepted', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const first = await history.attempt(change);
    const second = await history.attempt(change);
    await history.apply([completed(U, 20n, first, { updateId: trusted('u-20') })]);
    const accepted = { acceptance: { updateId: 'u-20', offset: 20n } };
    expect(await history.state(change)).toMatchObject(accepted);
    await history.answered(change, second, refusal, 25n);
    const state = await history.state(change);
    expect(state).toMatchObject({ ...accepted, error: null });
    expect(['submitting', 'retrying']).toContain(state?.state);
  });

  test('a refusal that is told twice is counted once', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const attempt = await history.attempt(change);
    const contended = answer({ class: 'contention', code: 'LOCAL_VERDICT_TIMEOUT' });
    for (let times = 0; times < 2; times += 1) {
      await history.apply([completed(U, 20n, attempt, { answer: contended })]);
    }
    expect(await history.state(change)).toMatchObject({ state: 'retrying', attempts: 1 });
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
    // The streams reach the required time on a ledger that has no other update.
    await history.apply([
      passed(P, 20n),
      {
        stream: 'updates',
        element: { kind: 'position', offset: 20n, recordTime: null, times: new Map() },
      },
    ]);
    expect(await history.attempt(change)).not.toBeNull();
  });

  test('a late answer to another attempt does not move the moment from which nothing was possible any more', async () => {
    await using history = await openHistory();
    const { change } = await completing(history, LIMITS.attemptsMax - 1);
    const first = await history.attempt(change);
    const second = await history.attempt(change);
    const began = Date.parse((await history.attempts(change))[0]?.at ?? '');
    await history.answered(change, second, stale, 20n, began + 20_000);
    expect(await history.state(change)).toMatchObject({ verifyAt: 20n });
    const before = (await history.state(change))?.waitingFor;
    // The participant answered after the time until which anything could be sequenced, but the ledger's end was read
    // before that time.
    for (const late of [answer({ class: 'unknown' }), answer({ class: 'contention' })]) {
      await history.answered(change, first, late, 90n, began + 200_000);
      expect((await history.state(change))?.waitingFor).toEqual(before);
    }
    expect(await history.attempt(change)).toBeNull();
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
      {
        stream: 'updates',
        element: { kind: 'position', offset: 50n, recordTime: null, times: new Map() },
      },
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
    // The attempt was submitted, and its answer got lost.
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
    // The contract that the ledger did not find is another one: the licence, the allocation, or a contract of the
    // token.
    await history.answered(change, await history.attempt(change), stale, 20n);
    await history.apply([passed(P, 20n), position(20n)]);
    expect(await history.state(change)).toMatchObject({
      state: 'retrying',
      verifyAt: 0n,
      proofAt: NOT_YET_KNOWN,
      waitingFor: { detail: expect.stringContaining('an earlier attempt may still take effect') },
    });
    const now = Date.now() + 60_000;
    await history.heardAt(P, now);
    await history.apply(told(30n, new Date(now + 3 * 60_000).toISOString()));
    expect(await history.state(change)).toMatchObject({
      state: 'failed',
      error: { code: 'BUDGET_SPENT' },
    });
  });

  test('a contract that its participant has not been told of yet is waited for, at no cost and less and less often', async () => {
    await using history = await openHistory();
    const license = rows.lifecycle({ kind: 'license', state: 'expiring' });
    const change = rows.change({
      operation: 'expire-license',
      lifecycleId: license.id,
      lane: license.lane,
      submitter: { participant: U, ledgerUser: 'backend', actAs: rows.USER },
    });
    await arrive(history.store, change);
    await save(history.store, rows.birth(license));
    const createdAt = '2026-01-01T01:00:00Z';
    const creation = { recordTime: createdAt, synchronizerId: SYNCHRONIZER };
    await history.apply([updated(rows.transaction(12n, [rows.created(license)], creation))]);
    const tell = (offset: bigint, times: Record<string, string>) =>
      history.apply([
        {
          stream: 'completions',
          element: {
            kind: 'position',
            participant: U,
            offset,
            times: new Map(Object.entries(times)),
          },
        },
      ]);
    const refuse = async (end: bigint) => {
      await history.answered(change, await history.attempt(change), stale, end);
      await history.apply([passed(U, end), position(end)]);
      const { state, attempts, waitingFor } = (await history.state(change))!;
      const waitsMs = Date.parse(waitingFor?.until ?? '') - Date.now();
      return { state, attempts, kind: waitingFor?.kind, waitsMs };
    };
    await tell(13n, { [SYNCHRONIZER]: '2026-01-01T00:59:59Z', quiet: '2026-01-01T00:00:00Z' });
    const [first, second, third] = [await refuse(20n), await refuse(21n), await refuse(22n)];
    for (const seen of [first, second, third]) {
      expect(seen).toMatchObject({ state: 'retrying', attempts: 0, kind: 'behind' });
    }
    expect(third.waitsMs).toBeGreaterThan(first.waitsMs);
    // The time that another synchronizer has reached makes no difference.
    await tell(23n, { [SYNCHRONIZER]: createdAt });
    expect(await refuse(30n)).toMatchObject({ state: 'retrying', attempts: 1, kind: 'projection' });
  });

  test('an answer is recorded also when the ledger cannot be asked where it ends', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    await history.answered(change, await history.attempt(change), refusal, null);
    expect(await history.state(change)).toMatchObject({
      state: 'rejected',
      error: { ledgerCode: 'DAML_FAILURE' },
    });
  });
});

describe('what is in doubt, and what is counted', () => {
  test('what the ledger no longer deduplicates goes on once nothing can be to come', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    await history.attempt(change);
    const second = await history.attempt(change);
    const exceeded = answer({ class: 'unknown', code: 'INVALID_DEDUPLICATION_PERIOD' });
    await history.apply([completed(U, 20n, second, { answer: exceeded })]);
    // If the first attempt has a completion, it has not arrived yet, so the change is not in doubt yet.
    expect(await history.state(change)).toMatchObject({ state: 'retrying', pendingRefusal: null });
    expect(await history.attempt(change)).toBeNull();
    await history.heardAt(U, Date.now() + 60_000);
    await history.apply(told(30n, new Date(Date.now() + 3_600_000).toISOString()));
    expect(await history.state(change)).toMatchObject({
      state: 'retrying',
      deduplicationOffset: 30n,
      verifyAt: null,
    });
    expect(await history.attempt(change)).not.toBeNull();
  });

  test('while the token registry is away the tries grow apart, and begin anew when the ledger has answered', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const away = answer({
      class: 'unknown',
      code: 'REGISTRY_UNAVAILABLE',
      takesNoTry: true,
      waitsFor: 'registry',
    });
    const at = Date.parse('2026-01-01T00:00:00Z');
    const delays: number[] = [];
    const waits = async (given: LedgerAnswer) => {
      await history.answered(change, await history.attempt(change), given, 20n, at);
      const until = (await history.state(change))?.waitingFor?.until;
      delays.push(Date.parse(until ?? '') - at);
    };
    for (let n = 0; n < 7; n += 1) await waits(away);
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    await waits(answer({ class: 'busy', code: 'PARTICIPANT_BACKPRESSURE' }));
    await waits(away);
    expect(delays.at(-1)).toBe(500);
    expect(await history.state(change)).toMatchObject({ attempts: 1, state: 'retrying' });
  });

  test('the budget is not spent by what was never refused', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
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
    const change = await history.arrived();
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
        body: {
          contractId: born.contractId,
          lifecycleId: expect.any(String),
          version: 1,
          machineVersion: 3,
        },
      },
    });
  });
});
