import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deduplicate } from '../../../localnet/ledger/deduplication.ts';
import type { DeduplicationView } from '../../../localnet/ledger/deduplication.ts';
import type { DeduplicationPeriod } from '../../../localnet/ledger/submission.ts';

const NOW = 1_000_000_000n;
const SECOND = 1_000_000n;

const view = (changes: Partial<DeduplicationView> = {}): DeduplicationView => ({
  accepted: undefined,
  now: NOW,
  prunedUpTo: 0n,
  prunedPublishedAt: 0n,
  ...changes,
});
const accepted = (offset: bigint, ago: bigint) => ({
  offset,
  submissionId: 'first',
  publishedAt: NOW - ago,
});
const byOffset = (offset: bigint): DeduplicationPeriod => ({ kind: 'offset', offset });
const byDuration = (micros: bigint): DeduplicationPeriod => ({ kind: 'duration', micros });
const codeOf = (period: DeduplicationPeriod, known: DeduplicationView) => {
  const outcome = deduplicate('change', period, known);
  return outcome.kind === 'fresh' ? 'fresh' : outcome.rejection.code;
};

describe('an accepted change', () => {
  test.each([
    ['before its offset', byOffset(9n), 'DUPLICATE_COMMAND'],
    ['at its offset, which is exclusive', byOffset(10n), 'fresh'],
    ['after its offset', byOffset(11n), 'fresh'],
    ['from the begin', byOffset(0n), 'DUPLICATE_COMMAND'],
    ['longer ago than it is', byDuration(6n * SECOND), 'DUPLICATE_COMMAND'],
    ['exactly as long ago as it is', byDuration(5n * SECOND), 'DUPLICATE_COMMAND'],
    ['not as long ago', byDuration(5n * SECOND - 1n), 'fresh'],
    ['now', byDuration(0n), 'fresh'],
  ])('is looked for from %s', (_from, period, expected) => {
    expect(codeOf(period, view({ accepted: accepted(10n, 5n * SECOND) }))).toBe(expected);
  });

  test('is told with where it is and that it was accepted', () => {
    const outcome = deduplicate('change-id', byOffset(0n), view({ accepted: accepted(10n, 0n) }));
    expect(outcome).toMatchObject({
      kind: 'refused',
      deduplicationOffset: 10n,
      rejection: {
        definiteAnswer: true,
        metadata: {
          accepted: 'true',
          changeId: 'change-id',
          completion_offset: '10',
          existingSubmissionId: 'Some(first)',
        },
      },
    });
  });
});

describe('pruning', () => {
  const pruned = view({ prunedUpTo: 20n, prunedPublishedAt: NOW - 60n * SECOND });

  test.each([
    ['before the pruned offset', byOffset(19n), 'INVALID_DEDUPLICATION_PERIOD'],
    ['at the pruned offset', byOffset(20n), 'fresh'],
    ['back to a pruned time', byDuration(60n * SECOND), 'INVALID_DEDUPLICATION_PERIOD'],
    ['not quite back to it', byDuration(60n * SECOND - 1n), 'fresh'],
  ])('limits a period that reaches %s', (_reach, period, expected) => {
    expect(codeOf(period, pruned)).toBe(expected);
  });

  test('tells the largest period that is left, and that one works', () => {
    const offsetOutcome = deduplicate('change', byOffset(0n), pruned);
    const durationOutcome = deduplicate('change', byDuration(3600n * SECOND), pruned);
    const metadataOf = (outcome: typeof offsetOutcome) =>
      outcome.kind === 'refused' ? outcome.rejection.metadata : {};
    expect(metadataOf(offsetOutcome)).toEqual({ earliest_offset: '20' });
    expect(metadataOf(durationOutcome)).toEqual({ longest_duration: 'PT59.999999S' });
    expect(codeOf(byOffset(20n), pruned)).toBe('fresh');
    expect(codeOf(byDuration(59_999_999n), pruned)).toBe('fresh');
  });

  test('does not hide a duplicate that is still known', () => {
    const known = { ...pruned, accepted: accepted(25n, SECOND) };
    expect(codeOf(byOffset(0n), known)).toBe('DUPLICATE_COMMAND');
    expect(codeOf(byDuration(3600n * SECOND), known)).toBe('DUPLICATE_COMMAND');
  });
});

test('a longer period never lets through what a shorter one catches', () => {
  const micros = fc.bigInt({ min: 0n, max: 100n * SECOND });
  const offset = fc.bigInt({ min: 0n, max: 50n });
  fc.assert(
    fc.property(micros, micros, offset, offset, offset, micros, (a, b, c, d, at, ago) => {
      const known = view({ accepted: accepted(at, ago) });
      const [short, long] = a < b ? [a, b] : [b, a];
      const [early, late] = c < d ? [c, d] : [d, c];
      if (codeOf(byDuration(short), known) === 'DUPLICATE_COMMAND') {
        expect(codeOf(byDuration(long), known)).toBe('DUPLICATE_COMMAND');
      }
      if (codeOf(byOffset(late), known) === 'DUPLICATE_COMMAND') {
        expect(codeOf(byOffset(early), known)).toBe('DUPLICATE_COMMAND');
      }
    }),
  );
});
