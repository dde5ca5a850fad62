import { LIMITS } from '../../../domain/limits.ts';
import { monthsOf } from '../../../domain/period.ts';
import type { PlanRenewal, PlanTerms } from '../../../domain/plan.ts';
import { soldEntries } from '../../../domain/plan.ts';
import { DEFAULT_INSTRUMENT, feeMistake, normalFee } from '../../../domain/renewal.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { TermsToKeep } from '../../../app/ports/plans.ts';
import { durationMicros } from '../../kit/duration.ts';
import { invalid } from '../../kit/invalid.ts';
import { HTTP_LIMITS } from '../../limits.ts';

/** The terms of a plan that a request may omit, with their defaults. */
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
  renews: null,
} as const;

/** The terms of a subscription that a plan may omit, with their defaults. */
export const DEFAULT_RENEWAL = { offerBefore: 'P7D', tries: 3, endUnpaid: false } as const;

type DurationMember =
  | 'prepareUntilDuration'
  | 'settleBeforeDuration'
  | 'trial'
  | 'grace'
  | 'offlineTime'
  | 'heartbeatTime';

/** Reads a duration of the terms. @returns milliseconds, rounded up */
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

/**
 * Reads how long before the end of a period an offer is made.
 *
 * @returns milliseconds
 * @throws ProblemError `REQUEST_INVALID` that names the member
 */
export function readOfferBefore(offerBefore: string, member = 'offerBefore'): number {
  const micros = durationMicros(offerBefore);
  if (micros === null) {
    return invalid(member, 'must be an ISO 8601 duration in days and time, such as P7D');
  }
  const ms = Number(micros / 1_000n);
  const isInBounds = ms >= 0 && ms <= HTTP_LIMITS.offerBeforeDaysMax * DAY_MS;
  return isInBounds ? ms : invalid(member, `must be 0 to ${HTTP_LIMITS.offerBeforeDaysMax} days`);
}

function checkFee(fee: string): string {
  const mistake = feeMistake(fee);
  return mistake === null ? normalFee(fee) : invalid('fee', mistake);
}

/** Terms of a plan as a caller sends them. */
type GivenTerms = Omit<PlanTerms, 'renews'> & { readonly renews?: Partial<PlanRenewal> | null };

/** Checks complete terms. @throws ProblemError `REQUEST_INVALID` that names the member */
export function readTerms(given: GivenTerms): TermsToKeep {
  if (given.name.trim() === '') invalid('name', 'must not be empty');
  checkPeriod(given.period);
  const renews = given.renews == null ? null : { ...DEFAULT_RENEWAL, ...given.renews };
  const offerBeforeMs =
    renews === null ? null : readOfferBefore(renews.offerBefore, 'renews.offerBefore');
  const terms = { ...given, renews, fee: checkFee(given.fee) };
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
  const [trialMs, graceMs] = [readMs(terms, 'trial', 0), readMs(terms, 'grace', 0)];
  return { terms, trialMs, graceMs, offerBeforeMs };
}
