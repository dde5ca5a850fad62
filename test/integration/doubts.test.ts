import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import { cancelChange } from '../../src/app/desk/cancel-change.ts';
import { decideDoubt } from '../../src/app/desk/decide-doubt.ts';
import type { DoubtDecision } from '../../src/app/desk/decide-doubt.ts';
import { viewDoubt } from '../../src/app/desk/doubt-view.ts';
import { viewOperation } from '../../src/app/desk/operation-view.ts';
import type { Change } from '../../src/domain/change.ts';
import type { UpdateId } from '../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import {
  BOUNDS,
  P,
  U,
  completed,
  openHistory,
  passed,
  position,
  request,
  told,
} from '../kit/change-history.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

/*
 * The views and decisions of operators about attempts that may have taken effect, compared with what the ledger reports
 * later.
 */

type History = Awaited<ReturnType<typeof openHistory>>;

const duplicate = answer({
  class: 'done',
  code: 'DUPLICATE_COMMAND',
  duplicateOf: { accepted: true, offset: 20n },
});
const inFlight = answer({ class: 'in-flight', code: 'SUBMISSION_ALREADY_IN_FLIGHT' });

const clock = {
  nowMs: () => Date.now(),
  pastMs: () => Date.now(),
  provenMs: () => Date.now(),
  certainMs: () => Date.now(),
  ask: () => undefined,
  refresh: () => Promise.resolve(),
  observe: () => undefined,
};

const operator = {
  party: rows.PROVIDER,
  subject: 'olga',
  name: 'Olga',
  roles: new Set(['provider', 'operator'] as const),
  via: 'bearer' as const,
  tenantId: 'AppProvider',
};

const decide = (history: History, change: Change, decision: DoubtDecision) =>
  decideDoubt(
    {
      model: NEWEST_MODEL,
      store: history.store,
      hosting: { projected: P, provider: rows.PROVIDER },
      wallClock: clock,
      ledgerClock: clock,
      hear: () => Promise.resolve(null),
    },
    operator,
    { changeId: change.id, decision, reason: 'because' },
    rows.io(),
  );

/** Returns the change as operators see it now. */
async function viewNow({ store }: History, { id }: Change) {
  const [change] = await store.reads.changesById([id], rows.io());
  const attempts = await store.reads.attempts(id, rows.io());
  return viewDoubt({ reads: store.reads, model: NEWEST_MODEL }, change!, attempts, rows.io());
}

/**
 * Creates a renewal in doubt, with two attempts. The first was never answered. The ledger accepted the second, but no
 * update with its effect has been read.
 */
async function inDoubt(history: History) {
  const license = rows.lifecycle({
    kind: 'license',
    state: 'renewing',
    context: { expiresAt: '2026-02-01T00:00:00Z' },
  });
  await save(history.store, rows.birth(license));
  const change = rows.change({
    operation: 'renew-license',
    lifecycleId: license.id,
    lane: license.lane,
  });
  await arrive(history.store, change);
  const first = await history.attempt(change);
  for (let n = 0; n < LIMITS.duplicatesUnreadMax; n += 1) {
    await history.answered(change, await history.attempt(change), duplicate, 20n);
  }
  expect(await history.state(change)).toMatchObject({ state: 'in-doubt' });
  return { change, first, license };
}

const contradicted = { details: { code: 'DECISION_CONTRADICTED' } };

describe('a decision does not override what the ledger has said or may still say', () => {
  test('an acceptance whose update is not projected yet', async () => {
    await using history = await openHistory();
    const { change, first } = await inDoubt(history);
    await history.hear();
    await history.apply(told(29n));
    await history.apply([completed(P, 30n, first, { updateId: trusted('u-30') })]);
    for (const decision of ['no-effect', 'submit-again'] as const) {
      await expect(decide(history, change, decision)).rejects.toMatchObject(contradicted);
    }
    await history.apply([position(31n), passed(P, 31n)]);
    expect(await history.state(change)).toMatchObject({ state: 'succeeded' });
  });

  test('an attempt that can still be sequenced keeps "no effect" from being said, and no longer', async () => {
    await using history = await openHistory();
    const { change } = await inDoubt(history);
    const view = async () => viewNow(history, change);
    const refused = (details: object) =>
      expect(decide(history, change, 'no-effect')).rejects.toMatchObject({ details });
    await refused({ message: expect.stringContaining('has reported nothing') });
    const now = Date.now() + 60_000;
    await history.heardAt(P, now);
    const until = (await view()).openUntil;
    expect(Date.parse(until ?? '')).toBe(now + 2 * BOUNDS.toleranceMs + BOUNDS.clockDifferenceMs);
    await refused({ code: 'DECISION_CONTRADICTED', extra: { until } });
    await history.apply(told(40n, new Date(now + BOUNDS.toleranceMs).toISOString()));
    await refused({ code: 'DECISION_CONTRADICTED', extra: { until } });
    await history.apply(told(41n, until));
    expect(await view()).not.toHaveProperty('openUntil');
    expect(await decide(history, change, 'no-effect')).toMatchObject({ state: 'failed' });
  });

  test('nor is it submitted again before: its refusal would end what an earlier attempt still does', async () => {
    await using history = await openHistory();
    const { change, first } = await inDoubt(history);
    await expect(decide(history, change, 'submit-again')).rejects.toMatchObject(contradicted);
    expect((await history.attempts(change))[0]).toMatchObject({ answer: null });
    expect(await history.attempt(change)).toBeNull();
    // The streams have passed the time up to which the first attempt could take effect, and no completion has said that
    // it had no effect.
    await history.hear();
    await history.apply([completed(P, 30n, first, { updateId: trusted('u-30') })]);
    await history.apply([position(31n), passed(P, 31n)]);
    expect(await history.state(change)).toMatchObject({ state: 'succeeded' });
  });

  test('what is submitted again is deduplicated from where everything is known, not from beyond', async () => {
    await using history = await openHistory();
    const { change } = await inDoubt(history);
    await history.hear();
    await history.apply([...told(69n), passed(P, 90n), position(70n)]);
    expect(await decide(history, change, 'submit-again')).toMatchObject({
      state: 'submitting',
      deduplicationOffset: 70n,
    });
    const verdicts = (await history.attempts(change)).map(({ answer: given }) => given?.verdict);
    expect(new Set(verdicts)).toEqual(new Set(['refused']));
    expect(await history.attempt(change)).not.toBeNull();
  });

  test('that it took effect is told with the update that was accepted, or with none', async () => {
    await using history = await openHistory();
    const [named, unnamed] = [await inDoubt(history), await inDoubt(history)];
    await history.apply([completed(P, 30n, named.first, { updateId: trusted('u-30') })]);
    expect(await decide(history, named.change, 'took-effect')).toMatchObject({
      result: { status: 201, exercised: { updateId: 'u-30', offset: 30 } },
    });
    const without = await decide(history, unnamed.change, 'took-effect');
    expect(without.result).toEqual({ status: 201, body: null });
  });

  test('whoever waits behind it hears that a person is awaited', async () => {
    await using history = await openHistory();
    const { change } = await inDoubt(history);
    const next = rows.queued(change, 2, {
      operation: 'renew-license',
      waitingFor: { kind: 'mailbox', detail: 'x', since: '2026-01-01T00:00:00.001Z' },
    });
    await save(history.store, { changes: [next] });
    const { waitingFor } = await viewOperation(history.store.reads, next, rows.io());
    expect(waitingFor).toMatchObject({
      detail: expect.stringMatching(/^place 1 .* which waits for an operator to decide it$/u),
    });
  });
});

describe('a duplicate answer belongs to whom its update says', () => {
  const ours = (change: Change) => ({
    updateId: trusted<UpdateId>('u-20'),
    commandId: change.commandId,
    workflowId: workflowIdOf(change.id),
  });
  const theirs = (change: Change) => ({ ...ours(change), workflowId: 'somebody else’s' });

  test('one submission that was delivered twice is not another client', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const only = await history.attempt(change);
    await history.answered(change, only, duplicate, 20n);
    expect(await history.state(change)).toMatchObject({ state: 'submitting' });
    await history.answered(change, only, duplicate, 20n, Date.now(), ours(change));
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-20' } });
  });

  test('nor is one that is found in flight while nothing else of it can be', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const first = await history.attempt(change);
    await history.answered(change, first, inFlight, 15n);
    await history.answered(change, await history.attempt(change), answer(), 15n);
    expect(await history.state(change)).toMatchObject({ state: 'retrying', finishedAt: null });
    await history.apply([completed(U, 25n, first, { updateId: trusted('u-25') })]);
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-25' } });
  });

  test('nor is one that is found in flight beside an undecided attempt: a refusal waits for both bounds', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    await history.attempt(change);
    await history.hear();
    const second = await history.attempt(change);
    await history.answered(change, second, inFlight, 15n);
    await history.answered(change, await history.attempt(change), answer(), 15n);
    await history.apply(told(20n));
    const verdicts = (await history.attempts(change)).map(({ answer: given }) => given?.verdict);
    expect(verdicts).toEqual([undefined, 'unknown', 'refused']);
    expect(await history.state(change)).toMatchObject({ state: 'retrying', finishedAt: null });
    await history.apply([completed(U, 25n, second, { updateId: trusted('u-25') })]);
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-25' } });
  });

  test('what was read back and is never projected is left to a person', async () => {
    await using history = await openHistory();
    const submitter = { participant: P, ledgerUser: 'backend', actAs: rows.PROVIDER };
    const change = await history.arrived({ ...request(), submitter });
    const only = await history.attempt(change);
    await history.answered(change, only, duplicate, 20n, Date.now(), ours(change));
    await history.apply([position(25n), passed(P, 25n)]);
    expect(await history.state(change)).toMatchObject({ state: 'in-doubt' });
  });

  test('a doubt about a duplicate stays when every attempt has a definite refusal', async () => {
    await using history = await openHistory();
    const { change, first } = await inDoubt(history);
    await history.answered(change, first, answer(), 20n);
    expect(await history.state(change)).toMatchObject({ state: 'in-doubt' });
  });

  test('another client’s refuses it at once, also where its update will never be seen here', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const busy = answer({ class: 'contention', code: 'LOCAL_VERDICT_TIMEOUT' });
    await history.answered(change, await history.attempt(change), busy, 15n);
    const second = await history.attempt(change);
    await history.answered(change, second, duplicate, 20n, Date.now(), theirs(change));
    expect(await history.state(change)).toMatchObject({
      state: 'rejected',
      error: { code: 'COMMAND_ID_USED_ELSEWHERE' },
    });
  });

  test('but not while an attempt of ours may have come before it', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const first = await history.attempt(change);
    const second = await history.attempt(change);
    await history.answered(change, second, duplicate, 20n, Date.now(), theirs(change));
    expect(await history.state(change)).toMatchObject({ state: 'retrying', finishedAt: null });
    await history.apply([completed(U, 15n, first, { updateId: trusted('u-15') })]);
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-15' } });
  });

  test('a person is not told that nothing happened where the participant says that something did', async () => {
    await using history = await openHistory();
    const install = rows.lifecycle({ kind: 'install', state: 'creatingLicense' });
    await save(history.store, rows.birth(install));
    await history.store.transact(rows.io(), (tx) =>
      tx.insertUpdates([rows.transaction(9n, [rows.created(install)])], [rows.PROVIDER]),
    );
    const change = rows.change({ lifecycleId: install.id, lane: install.lane });
    await arrive(history.store, change);
    await history.attempt(change);
    for (let n = 0; n < LIMITS.duplicatesUnreadMax; n += 1) {
      await history.answered(change, await history.attempt(change), duplicate, 20n);
    }
    await history.hear();
    const { advice } = await viewNow(history, change);
    expect(advice).toMatch(/^The participant reports that the command ID was accepted/u);
    expect(advice).not.toContain('it took no effect');
  });
});

test('what was never read proves nothing: no cancellation is believed', async () => {
  await using history = await openHistory();
  const change = await history.arrived();
  await history.attempt(change);
  await history.hear();
  await history.apply(told(20n));
  const { wallClock, ledgerClock } = { wallClock: clock, ledgerClock: clock };
  const deps = { model: NEWEST_MODEL, store: history.store, wallClock, ledgerClock };
  const cancel = () =>
    cancelChange(
      { ...deps, hear: () => Promise.resolve(null) },
      change.id,
      { by: operator, reason: 'because' },
      rows.io(),
    );
  const oldest = (offset: bigint) =>
    history.pool.query('update query_store_offset set oldest_offset = $1', [offset]);
  await oldest(change.deduplicationOffset + 1n);
  await expect(cancel()).rejects.toMatchObject({
    details: { message: expect.stringContaining('has not read all completions') as string },
  });
  await oldest(change.deduplicationOffset);
  expect(await cancel()).toMatchObject({ state: 'cancelled' });
});

describe('a participant that stops', () => {
  test('may have passed the command on: its answer ends nothing, and is tried again soon', async () => {
    await using history = await openHistory();
    const change = { ...request(), attempts: LIMITS.attemptsMax - 1 };
    await arrive(history.store, change);
    const stopping = answer({ class: 'busy', code: 'SERVICE_NOT_RUNNING' });
    const only = await history.attempt(change);
    await history.answered(change, only, stopping, 15n);
    expect(await history.state(change)).toMatchObject({ state: 'retrying', finishedAt: null });
    expect(await history.attempts(change)).toMatchObject([{ answer: { verdict: 'unknown' } }]);
    await history.apply([completed(U, 25n, only, { updateId: trusted('u-25') })]);
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-25' } });
  });
});

describe('what is kept small, and what is told of waiting', () => {
  test('a create that meets a race is tried again: it names no contract that could be gone', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const first = await history.attempt(change);
    const stale = answer({ class: 'stale-contract', code: 'INCONSISTENT' });
    await history.apply([completed(U, 20n, await history.attempt(change), { answer: stale })]);
    await history.apply([passed(U, 20n)]);
    expect(await history.state(change)).toMatchObject({ state: 'retrying', attempts: 1 });
    await history.apply([completed(U, 25n, first, { updateId: trusted('u-25') })]);
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-25' } });
  });

  test('of very many attempts the newest are looked at, and all that are undecided', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const first = await history.attempt(change);
    const dry = answer({ class: 'no-traffic', code: 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT' });
    for (let n = 0; n < STORE_LIMITS.attemptsShownMax + 5; n += 1) {
      await history.answered(change, await history.attempt(change), dry, 20n);
    }
    const seen = await history.attempts(change);
    expect(seen).toHaveLength(STORE_LIMITS.attemptsShownMax + 1);
    expect(seen[0]?.submissionId).toBe(first);
  });

  test('as long as it waits for the same, it waits since then', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const waits = async () => (await history.state(change))?.waitingFor;
    await history.attempt(change);
    const since = (await waits())?.since;
    await history.answered(
      change,
      await history.attempt(change),
      inFlight,
      20n,
      Date.now() + 60_000,
    );
    await history.attempt(change);
    expect(await waits()).toMatchObject({ kind: 'ledger', since });
  });
});
