import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { recordingTogether } from '../../src/app/engine/attempts/record-answer.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { Store } from '../../src/app/ports/transaction.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { asUnreachable } from '../../src/store/sql/database-unreachable.ts';
import { isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import { instead } from '../kit/crash-points.ts';
import { postgresStore, type PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { change, effectId, io } from '../kit/store-rows.ts';
import { arrive, dispatchAll } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

/* Synchronous answers of the ledger that arrive at the same time, on a real database. */

const CLOCK = {
  nowMs: () => Date.now(),
  pastMs: () => Date.now(),
  provenMs: () => Date.now(),
  certainMs: () => Date.now(),
  ask: () => undefined,
  refresh: () => Promise.resolve(),
  observe: () => undefined,
};

/**
 * Returns a function that records answers in one batch, and reports the number of lanes that each transaction has
 * locked.
 */
function recording(
  under: PostgresStoreUnderTest,
  refuse: (lanes: readonly string[]) => Error | null = () => null,
) {
  const locked: number[] = [];
  const store: Store = {
    ...under.store,
    transact: (bounds, work) =>
      under.store.transact(bounds, (tx) =>
        work(
          instead(tx, {
            lock: (lanes) => {
              locked.push(lanes.length);
              const refusal = refuse(lanes);
              return refusal === null ? tx.lock(lanes) : Promise.reject(refusal);
            },
          }),
        ),
      ),
  };
  const record = recordingTogether({
    model: NEWEST_MODEL,
    store,
    gateway: {
      submit: () => Promise.reject(new Error('not asked')),
      reach: () => Promise.reject(new Error('not asked')),
      updateAt: () => Promise.reject(new Error('not asked')),
      prunedUpTo: () => Promise.reject(new Error('not asked')),
      offsetOf: () => Promise.reject(new Error('not asked')),
      ledgerEnd: () => Promise.resolve(10n),
      synchronizers: () => Promise.reject(new Error('not asked')),
      synchronizersForParties: () => Promise.reject(new Error('not asked')),
    },
    wallClock: CLOCK,
    ledgerClock: CLOCK,
    random: () => 0,
    isUnavailable: isDatabaseUnavailable,
  });
  return { locked, record };
}

async function attempted(under: PostgresStoreUnderTest, count: number) {
  const all = Array.from({ length: count }, () => change());
  await Promise.all(all.map((one) => arrive(under.store, one)));
  await dispatchAll(under.outbox);
  const claims = all.map((one) => ({
    effect: effectId(one),
    dispatchNo: 1,
    submissionId: trusted<SubmissionId>(randomUUID()),
    isReached: false,
  }));
  await under.outbox.startAttempts(claims, io());
  return all.map((one, i) => ({ one, submissionId: claims[i]!.submissionId }));
}

const CONTENTION = answer({ class: 'contention', code: 'LOCAL_VERDICT_LOCKED_CONTRACTS' });

const statesOf = async ({ store }: PostgresStoreUnderTest, all: readonly { one: Change }[]) => {
  const found = await store.reads.changesById(
    all.map(({ one }) => one.id),
    io(),
  );
  const byId = new Map(found.map((one) => [one.id, one.state]));
  return all.map(({ one }) => byId.get(one.id));
};

test('answers that come while one is recorded are recorded by the next transaction', async () => {
  await using under = await postgresStore();
  const all = await attempted(under, 12);
  const { locked, record } = recording(under);
  await Promise.all(
    all.map(({ one, submissionId }) => record(one, submissionId, CONTENTION, io())),
  );
  expect(locked.reduce((sum, count) => sum + count, 0)).toBe(12);
  expect(locked.length).toBeLessThan(12);
  expect(await statesOf(under, all)).toEqual(all.map(() => 'retrying'));
  for (const { one } of all) {
    expect(await under.store.reads.attempts(one.id, io())).toMatchObject([
      { answer: { verdict: 'refused' } },
    ]);
  }
});

test('an answer that cannot be recorded fails for itself alone, and an outage for all', async () => {
  await using under = await postgresStore();
  const all = await attempted(under, 5);
  const bad = all[3]!.one.lane;
  const { record } = recording(under, (lanes) =>
    lanes.includes(bad) ? new Error('a bad answer') : null,
  );
  const outcomes = await Promise.allSettled(
    all.map(({ one, submissionId }) => record(one, submissionId, CONTENTION, io())),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  const left = ['retrying', 'retrying', 'retrying', 'submitting', 'retrying'];
  expect(await statesOf(under, all)).toEqual(left);
  const others = await attempted(under, 5);
  const away = asUnreachable(
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    under.url,
  );
  const { locked, record: inVain } = recording(under, () => away);
  const failed = await Promise.allSettled(
    others.map(({ one, submissionId }) => inVain(one, submissionId, CONTENTION, io())),
  );
  expect(failed.every((one) => one.status === 'rejected' && one.reason === away)).toBe(true);
  expect(locked.reduce((sum, count) => sum + count, 0)).toBe(5);
});

test('two silences among the answers of one transaction are two', async () => {
  await using under = await postgresStore();
  const all = await attempted(under, 3);
  const { locked, record } = recording(under);
  const silence = answer({ class: 'unknown', code: 'NO_ERROR_INFO:DEADLINE_EXCEEDED' });
  const [first, ...others] = all;
  const of = async ({ one, submissionId }: (typeof all)[number], what = silence): Promise<void> =>
    record(one, submissionId, what, io());
  await Promise.all([of(first!, CONTENTION), ...others.map((each) => of(each))]);
  expect(locked).toEqual([1, 2]);
  expect(await under.pauses.circuits(io())).toMatchObject([{ reason: 'unreachable' }]);
});
