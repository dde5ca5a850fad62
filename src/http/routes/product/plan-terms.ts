import { LIMITS } from '../../../domain/limits.ts';
import { monthsOf } from '../../../domain/period.ts';
import type { PlanTerms } from '../../../domain/plan.ts';
import { soldEntries } from '../../../domain/plan.ts';
import { DEFAULT_INSTRUMENT, feeMistake, normalFee } from '../../../domain/renewal.ts';
import type { TermsToKeep } from '../../../app/ports/plans.ts';
import { durationMicros } from '../../kit/duration.ts';
import { invalid } from '../../kit/invalid.ts';
import { HTTP_LIMITS } from '../../limits.ts';

/** The defaults of a plan. */
export const DEFAULT_TERMS = {
  instrument: DEFAULT_INSTRUMENT,
  prepareUntilDuration: 'P3D',
  settleBeforeDuration: 'P4D',
  trial: 'PT0S',
  grace: 'PT0S',
  offlineTime: 'P7D',
  heartbeatTime: 'PT1H',
  seats: null,
  entitlements: {},
} as const;

type DurationMember =
  | 'prepareUntilDuration'
  | 'settleBeforeDuration'
  | 'trial'
  | 'grace'
  | 'offlineTime'
  | 'heartbeatTime';

/** @returns milliseconds, rounded up */
function readMs(terms: PlanTerms, member: DurationMember, leastMs: number): number {
  const micros = durationMicros(terms[member]);
  if (micros === null) {
    return invalid(member, 'must be an ISO 8601 duration in days and time, such as P30D or PT10M');
  }
  const ms = Number((micros + 999n) / 1_000n);
  if (micros < 0n || ms < leastMs) return invalid(member, 'is too short');
  return ms <= HTTP_LIMITS.graceMsMax ? ms : invalid(member, 'is too long');
}

function checkPeriod(period: string): void {
  const months = monthsOf(period);
  const micros = durationMicros(period);
  if (months === null && (micros === null || micros <= 0n)) {
    invalid(
      'period',
      'must be a number of calendar months, such as P1M or P1Y, or a duration such as P30D',
    );
  }
  const longest = LIMITS.durationMsMax;
  const isLong =
    months === null
      ? (micros ?? 0n) > BigInt(longest) * 1_000n
      : months > HTTP_LIMITS.periodMonthsMax;
  if (isLong) invalid('period', 'is too long');
}

function checkFee(fee: string): string {
  const mistake = feeMistake(fee);
  return mistake === null ? normalFee(fee) : invalid('fee', mistake);
}

/** Checks complete terms. @throws ProblemError `REQUEST_INVALID` that names the member */
export function readTerms(given: PlanTerms): TermsToKeep {
  if (given.name.trim() === '') invalid('name', 'must not be empty');
  checkPeriod(given.period);
  const terms = { ...given, fee: checkFee(given.fee) };
  const prepareMs = readMs(terms, 'prepareUntilDuration', 1);
  if (readMs(terms, 'settleBeforeDuration', 1) <= prepareMs) {
    invalid('settleBeforeDuration', 'must be longer than prepareUntilDuration');
  }
  readMs(terms, 'offlineTime', 1);
  readMs(terms, 'heartbeatTime', 1);
  const entries = Object.values(soldEntries({ id: '', version: 1 }, terms));
  if (entries.some((entry) => entry.length > LIMITS.metadataTextCharsMax)) {
    invalid('entitlements', `must have at most ${LIMITS.metadataTextCharsMax} characters as JSON`);
  }
  return { terms, trialMs: readMs(terms, 'trial', 0), graceMs: readMs(terms, 'grace', 0) };
}
