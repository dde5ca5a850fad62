import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../../src/doctor/invariants/evidence.ts';
import type { SubmissionId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { BEGIN_OF_TIME } from '../../../src/domain/ledger.ts';
import { instant, refusedRenew, renew, sound, told, withChange } from '../../kit/evidence.ts';
import { answer } from '../../kit/store-rows.ts';

const BEGAN = instant(10);

/**
 * Returns evidence in which the attempt of the refused renewal was judged to be unable to take effect, at a given time
 * of the ledger.
 */
const over = (provenAt: string): Evidence =>
  withChange(sound, refusedRenew.id, (entry) => ({
    ...entry,
    attempts: entry.attempts.map((attempt) => ({
      ...attempt,
      at: BEGAN,
      answer: { ...answer('refused'), provenAt },
    })),
  }));

const withTimes = (
  evidence: Evidence,
  of: string,
  times: readonly [string, string][],
): Evidence => ({
  ...evidence,
  cursors: evidence.cursors.map((row) =>
    row.stream === of ? { ...row, times: new Map([...row.times, ...times]) } : row,
  ),
});

const COMPLETIONS = 'completions:app-provider';
const held = (provenAt: string, why: string): string =>
  `attempt 1 of renew-license renew-again was declared unable to take effect at ledger time ${provenAt}, but ${why}`;

describe('I14', () => {
  test('a proof that the streams have given', () => {
    expect(told(over(instant(16)), 'I14')).toEqual([]);
  });

  test('one that is still to come', () => {
    expect(told(over(instant(18)), 'I14')).toEqual([
      held(instant(18), `the streams have reported the ledger only up to ${instant(17)}`),
    ]);
  });

  test('one that was still to come when it was believed, whatever was told since', () => {
    const [{ submissionId } = { submissionId: trusted<SubmissionId>('') }] =
      over(instant(16)).changes.find(({ change }) => change.id === refusedRenew.id)?.attempts ?? [];
    const watched = (told: string | null): Evidence => ({
      ...over(instant(16)),
      observed: { moves: [], firings: [], proofs: new Map([[submissionId, told]]) },
    });
    expect(told(watched(instant(16)), 'I14')).toEqual([]);
    expect(told(watched(instant(15)), 'I14')).toEqual([
      held(instant(16), `the streams have reported the ledger only up to ${instant(15)}`),
    ]);
    expect(told(watched(null), 'I14')).toEqual([
      held(instant(16), 'the streams have reported no ledger time'),
    ]);
  });

  test('one that the completions have given, and the updates have not', () => {
    const behind = withTimes(over(instant(16)), 'updates', [['global::1220dd', instant(13)]]);
    expect(told(behind, 'I14')).toEqual([
      held(instant(16), `the streams have reported the ledger only up to ${instant(13)}`),
    ]);
  });

  test('one that another synchronizer has not given', () => {
    const other = withTimes(over(instant(16)), COMPLETIONS, [['other::1220', instant(12)]]);
    expect(told(other, 'I14')).toEqual([
      held(instant(16), `the streams have reported the ledger only up to ${instant(12)}`),
    ]);
    const since = withTimes(over(instant(16)), COMPLETIONS, [['other::1220', BEGIN_OF_TIME]]);
    expect(told(since, 'I14')).toEqual([]);
  });

  test('one before the attempt, and one where nobody follows', () => {
    expect(told(over(instant(9)), 'I14')).toEqual([
      held(instant(9), `the attempt began at ${BEGAN}`),
    ]);
    expect(told({ ...over(instant(16)), cursors: [] }, 'I14')).toEqual([
      held(instant(16), 'the streams have reported no ledger time'),
    ]);
  });
});

describe('I17', () => {
  const asFormer = withChange(sound, renew.id, (entry) => ({
    ...entry,
    attempts: entry.attempts.map((attempt) => ({
      ...attempt,
      submitter: { ...attempt.submitter, ledgerUser: 'former' },
    })),
  }));

  test('an attempt that its ledger user submitted', () => {
    expect(told(sound, 'I17')).toEqual([]);
  });

  test('one that the ledger completed for another ledger user', () => {
    expect(told(asFormer, 'I17')).toEqual([
      'attempt 1 of renew-license renew names ledger user former, but the completion at offset 12 names ledger user backend',
    ]);
    expect(told({ ...asFormer, ledger: null }, 'I17')).toEqual([]);
  });
});
