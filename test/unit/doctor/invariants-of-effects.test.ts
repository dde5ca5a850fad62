import { describe, expect, test } from 'vitest';
import type { LifecycleId, ParticipantName } from '../../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../../src/domain/ids.ts';
import { retryCommandId } from '../../../src/domain/retries.ts';
import { violationsIn } from '../../../src/doctor/invariants/check.ts';
import type { Evidence } from '../../../src/doctor/invariants/evidence.ts';
import { emptyEvidence } from '../../../src/doctor/invariants/evidence.ts';
import {
  CONTRACTS,
  complete,
  create,
  expire,
  instant,
  ledgerOf,
  refusedRenew,
  renew,
  repeated,
  sound,
  told,
  waiting,
  withChange,
} from '../../kit/evidence.ts';
import { PROVIDER, answer } from '../../kit/store-rows.ts';

test('a sound system with work in flight breaks nothing', () => {
  expect(violationsIn(sound)).toEqual([]);
  expect(violationsIn({ ...sound, ledger: null, observed: null })).toEqual([]);
  expect(violationsIn(emptyEvidence(sound))).toEqual([]);
});

test('each finding says what to do, and is told once', () => {
  const found = violationsIn(repeated(14n, complete));
  expect(found.length).toBeGreaterThan(2);
  for (const { todo, subjects } of found) {
    expect(todo).not.toBe('');
    expect(Object.keys(subjects)).not.toEqual([]);
  }
  expect(new Set(found.map(({ what }) => what)).size).toBe(found.length);
});

describe('I1', () => {
  test('one completion that took effect twice', () => {
    expect(told(repeated(14n, complete), 'I1')).toEqual([
      'the completion complete renewed its licence 2 times, by updates update-14 and update-17',
    ]);
  });

  test('one completion that made two licences', () => {
    const spoiled = ledgerOf(({ transactions }) => ({
      transactions: transactions.map((found) =>
        found.offset === 14n
          ? { ...found, events: [...found.events, ...found.events.slice(2)] }
          : found,
      ),
    }));
    expect(told(spoiled, 'I1')).toEqual([
      'the completion complete created 2 licences in update update-14',
    ]);
  });
});

describe('I2', () => {
  test('one request and one allocation that were settled twice', () => {
    expect(told(repeated(14n, complete), 'I2')).toEqual([
      `renewal request ${CONTRACTS.renewal} was settled 2 times, by updates update-14 and update-17`,
      `allocation 00${'d'.repeat(68)} was settled 2 times, by updates update-14 and update-17`,
    ]);
  });

  test('one renewal that asked for its fee twice', () => {
    expect(told(repeated(12n, renew), 'I2')).toEqual([
      'the renewal renew requested its fee 2 times, by updates update-12 and update-17',
    ]);
  });

  test('a second request beside an open one, unless it was wanted', () => {
    const second = repeated(12n, refusedRenew);
    // Returns evidence in which the first renewal has not been completed, and the second one has been accepted.
    const open = (allowConcurrent: boolean): Evidence => ({
      ...withChange(second, refusedRenew.id, (entry) => ({
        ...entry,
        change: { ...entry.change, body: { allowConcurrent } },
      })),
      contracts: second.contracts.map((row) =>
        row.contractId === CONTRACTS.renewal ? { ...row, archived: null } : row,
      ),
    });
    expect(told(open(false), 'I2')).toEqual([
      `the renewal renew-again opened a second request while ${CONTRACTS.renewal} of renew was open, although the caller did not allow a second request`,
    ]);
    expect(told(open(true), 'I2')).toEqual([]);
  });
});

describe('I3', () => {
  test('an operation that was refused and took effect', () => {
    expect(told(repeated(12n, refusedRenew), 'I3')).toEqual([
      `renew-license renew-again (change ${refusedRenew.id}) ended as rejected, although update update-17 at offset 17 is its effect`,
    ]);
  });

  test('an effect of a change that nobody knows', () => {
    const spoiled = { ...sound, changes: sound.changes.filter(({ change }) => change !== expire) };
    expect(told(spoiled, 'I3')).toEqual([
      `update update-16 at offset 16 is the effect of change ${expire.id}, but the database has no such change`,
    ]);
  });

  test('a success whose update is not there', () => {
    const spoiled = withChange(sound, expire.id, (entry) => ({ ...entry, updates: [] }));
    expect(told(spoiled, 'I3')).toEqual([
      `expire-license expire (change ${expire.id}) has succeeded by update update-16 at offset 16, but the query store does not have this update`,
    ]);
  });

  test('a success without any update', () => {
    const spoiled = withChange(sound, expire.id, (entry) => ({
      ...entry,
      updates: [],
      change: { ...entry.change, acceptance: null },
    }));
    expect(told(spoiled, 'I3')).toEqual([
      `expire-license expire (change ${expire.id}) has succeeded, but the ledger did not accept the operation and no person decided the outcome`,
    ]);
  });

  test('a success that claims the effect of another change', () => {
    const spoiled = withChange(sound, expire.id, (entry) => ({
      ...entry,
      updates: entry.updates.map((row) => ({ ...row, workflowId: workflowIdOf(renew.id) })),
    }));
    expect(told(spoiled, 'I3')).toEqual([
      `expire-license expire (change ${expire.id}) names update update-16 as its effect, but this update is the effect of change ${renew.id}`,
    ]);
  });

  test('a refusal without a reason, and one of an accepted attempt', () => {
    const spoiled = withChange(sound, refusedRenew.id, (entry) => ({
      ...entry,
      change: { ...entry.change, error: null },
      attempts: entry.attempts.map((attempt) => ({ ...attempt, answer: answer('accepted') })),
    }));
    expect(told(spoiled, 'I3')).toEqual([
      `renew-license renew-again (change ${refusedRenew.id}) ended as rejected without a recorded reason`,
      `renew-license renew-again (change ${refusedRenew.id}) ended as rejected, although the ledger accepted attempt 1`,
    ]);
  });

  test('a cancel while an attempt could still take effect', () => {
    const cancelled = (verdict: 'unknown' | 'refused' | null) =>
      withChange(sound, refusedRenew.id, (entry) => ({
        ...entry,
        change: { ...entry.change, state: 'cancelled' as const },
        attempts: entry.attempts.map((attempt) => ({
          ...attempt,
          answer: verdict === null ? null : answer(verdict),
        })),
      }));
    for (const verdict of ['unknown', null] as const) {
      expect(told(cancelled(verdict), 'I3')).toEqual([
        `renew-license renew-again (change ${refusedRenew.id}) was cancelled, but its attempt 1 was never rejected and may still take effect`,
      ]);
    }
    expect(told(cancelled('refused'), 'I3')).toEqual([]);
    expect(told(cancelled('refused'), 'I11')).toEqual([
      'renew-license renew-again was cancelled, but the person and the reason are not recorded',
    ]);
  });

  test('a completion that says otherwise than the operation', () => {
    const spoiled = withChange(sound, create.id, (entry) => ({
      ...entry,
      change: {
        ...refusedRenew,
        id: create.id,
        commandId: create.commandId,
        operation: create.operation,
      },
    }));
    expect(told(spoiled, 'I3')).toContain(
      `app-provider accepted create-license create (change ${create.id}) as update update-10 at offset 10, but the operation ended as rejected`,
    );
  });
});

test('I3: a success that a person decided needs no update', () => {
  const decided = withChange(sound, expire.id, (entry) => ({
    ...entry,
    updates: [],
    change: { ...entry.change, acceptance: null },
    audit: [
      {
        at: instant(17),
        byParty: PROVIDER,
        bySubject: 'operator',
        act: 'decided',
        changeId: expire.id,
        from: 'in-doubt',
        to: 'succeeded',
        reason: 'seen on the ledger',
        detail: {},
      },
    ],
  }));
  expect(told(decided, 'I3')).toEqual([]);
});

describe('I4', () => {
  test('a command ID of two changes', () => {
    const spoiled = withChange(sound, waiting.id, (entry) => ({
      ...entry,
      change: { ...entry.change, commandId: create.commandId },
    }));
    expect(told(spoiled, 'I4')).toEqual([
      `command ID create belongs to 2 operations of app-provider::1220aa: ${create.id}, ${waiting.id}`,
    ]);
    const elsewhere = withChange(spoiled, waiting.id, (entry) => {
      const { change } = entry;
      const submitter = { ...change.submitter, participant: trusted<ParticipantName>('app-user') };
      return { ...entry, change: { ...change, submitter } };
    });
    expect(told(elsewhere, 'I4')).toHaveLength(1);
    // A duplicate that an earlier version has caused has a mark, and is therefore not reported.
    const known = withChange(spoiled, waiting.id, (entry) => ({ ...entry, duplicateNo: 1 }));
    expect(told(known, 'I4')).toEqual([]);
  });

  test('a change with two effects', () => {
    expect(told(repeated(10n, create), 'I4')).toEqual([
      'create-license create took effect 2 times, by updates update-10 and update-17',
    ]);
  });

  test('two attempts that were both accepted, and a submission ID that came twice', () => {
    const spoiled = withChange(sound, create.id, (entry) => ({
      ...entry,
      attempts: entry.attempts.flatMap((attempt) => [attempt, { ...attempt, n: 2 }]),
    }));
    expect(told(spoiled, 'I4')).toEqual([
      'the ledger accepted 2 attempts of create-license create: 1 and 2',
      `submission ID submission-create belongs to attempt 1 of change ${create.id} and attempt 2 of change ${create.id}`,
    ]);
  });

  test('a change that was retried and had an effect all the same', () => {
    const again = (root: typeof create.id) =>
      withChange(sound, expire.id, (entry) => ({
        ...entry,
        change: { ...entry.change, commandId: retryCommandId(root, 1) },
      }));
    expect(told(again(create.id), 'I4')).toContain(
      `change ${create.id} and its retries took effect 2 times, as create and tenure:retry:${create.id}:1`,
    );
    expect(told(again(refusedRenew.id), 'I4').filter((what) => what.includes('retried'))).toEqual(
      [],
    );
  });

  test('an effect under another command ID', () => {
    const spoiled = ledgerOf(({ transactions }) => ({
      transactions: transactions.map((found) =>
        found.offset === 16n ? { ...found, commandId: 'other' } : found,
      ),
    }));
    expect(told(spoiled, 'I4')).toEqual([
      'update update-16 of expire-license expire carries command ID other',
    ]);
  });
});

test('I5: a licence that was expired before its time', () => {
  const spoiled = ledgerOf(({ transactions }) => ({
    transactions: transactions.map((found) =>
      found.offset === 16n ? { ...found, effectiveAt: '2026-01-01T00:15:00.000000Z' } : found,
    ),
  }));
  expect(told(spoiled, 'I5')).toEqual([
    `licence ${CONTRACTS.license2} was ended at 2026-01-01T00:15:00.000000Z, before its expiry time ${instant(15)}`,
  ]);
});

describe('I16', () => {
  test('a payment that extended another licence than it was asked for', () => {
    const another = trusted<LifecycleId>('license-of-another-install');
    const extended = sound.lineage.get(CONTRACTS.license1);
    const spoiled = (originId: LifecycleId | null): Evidence => ({
      ...sound,
      lifecycles: sound.lifecycles.map((entry) =>
        entry.lifecycle.kind === 'renewal'
          ? { ...entry, lifecycle: { ...entry.lifecycle, originId } }
          : entry,
      ),
    });
    expect(told(spoiled(another), 'I16')).toEqual([
      `renewal request ${CONTRACTS.renewal} belongs to ${another}, but its payment extended ${extended} in update update-14`,
    ]);
    // The licence of the renewal is unknown, so nothing contradicts the payment.
    expect(told(spoiled(null), 'I16')).toEqual([]);
  });
});
