import type { RenewalFact } from '../../app/ports/subscriptions.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import { decide, openOffer } from '../../app/subscriptions/decide.ts';
import { textAt } from '../../domain/json.ts';
import { offersPrefix } from '../../domain/subscription.ts';
import { isoAfter, isoToMs } from '../../domain/time.ts';
import { DOCTOR_LIMITS } from '../limits.ts';
import type { Evidence, SubscriptionEvidence } from './evidence.ts';
import { cursorOf } from './evidence.ts';
import type { Violation } from './violation.ts';

const requestIdOf = ({ payload }: Pick<RenewalFact, 'payload'>): string =>
  textAt(payload, 'requestId') ?? '';

/** Returns the part of an offer's request ID that names the licence and the period, without the number of the try. */
const periodOf = (renewal: Pick<RenewalFact, 'payload'>): string => {
  const id = requestIdOf(renewal);
  return id.slice(0, id.lastIndexOf(':'));
};

const offersOf = ({ facts }: SubscriptionEvidence) =>
  facts.renewals.filter((each) =>
    requestIdOf(each).startsWith(offersPrefix(facts.subscription.licenseId)),
  );

const subjectsOf = ({ facts }: SubscriptionEvidence) => ({
  lifecycleId: facts.subscription.licenseId,
});

/** Returns why the stored time of the next check is too late at the given ledger time; `null` if it is in time. */
function lateAt({ facts, dueAt }: SubscriptionEvidence, nowMs: number): string | null {
  const decision = decide(facts, { nowMs, certainMs: nowMs });
  if (decision.kind === 'wait' && decision.untilMs === null) return null;
  const stored = dueAt === null ? 'no time for its next check' : `its next check at ${dueAt}`;
  const isWaiting = decision.kind === 'wait';
  const wantedMs = isWaiting ? (decision.untilMs ?? nowMs) : nowMs + DOCTOR_LIMITS.lookToleranceMs;
  if (dueAt !== null && isoToMs(dueAt) <= wantedMs) return null;
  const wanted = isWaiting
    ? `its next action is due at ${isoAfter(wantedMs)}`
    : `its action ${decision.kind} is due now`;
  return `${stored}, but ${wanted}: ${decision.why}`;
}

/** Returns why a payment of the open offer would go unnoticed; `null` if it would not, or if a check is due anyway. */
function unheard({ facts, dueAt, offerId }: SubscriptionEvidence, nowMs: number): string | null {
  const offer = openOffer(facts);
  const isDue = dueAt !== null && isoToMs(dueAt) <= nowMs;
  const isWaiting = decide(facts, { nowMs, certainMs: nowMs }).kind === 'wait';
  if (offer === undefined || offer.allocations.length > 0 || isDue || !isWaiting) return null;
  const requestId = requestIdOf(offer);
  return offerId === requestId ? null : `no check for payments of its open offer ${requestId}`;
}

/**
 * Returns the two limits of the ledger's present time: the newest record time that was followed and, if later, the time
 * of the database's clock.
 */
function timesOf(evidence: Evidence): readonly number[] {
  const times = [...(cursorOf(evidence, UPDATES_STREAM)?.times.values() ?? [])].map(isoToMs);
  if (times.length === 0) return [];
  const recordMs = Math.max(...times);
  return [recordMs, Math.max(recordMs, isoToMs(evidence.at))];
}

/** Finds violations of I18: subscriptions whose row would miss a step that the facts of the ledger require. */
export function missesStep(evidence: Evidence): Violation[] {
  const times = timesOf(evidence);
  if (times.length === 0) return [];
  return evidence.subscriptions.flatMap((each) => {
    // If the ledger is quiet, its time lies between these two, so only a fault at both is a violation.
    const late = times.map((nowMs) => lateAt(each, nowMs) ?? unheard(each, nowMs));
    const [what] = late;
    if (what === null || what === undefined || late.includes(null)) return [];
    return {
      invariant: 'I18' as const,
      what: `the subscription of ${each.facts.subscription.licenseId} has ${what}`,
      subjects: subjectsOf(each),
      todo: 'Set its terms again with `tenure subscriptions set`, which makes it due, and report this as a defect.',
    };
  });
}

const WITHDRAW = 'Withdraw the offer before the user pays, and report a defect of Tenure.';

function* wrongOffers(each: SubscriptionEvidence): Generator<string> {
  const { facts, suspendedAt } = each;
  const { licenseId } = facts.subscription;
  const offers = offersOf(each);
  const open = offers.filter(({ endedAt }) => endedAt === null);
  for (const [period, same] of Map.groupBy(open, periodOf)) {
    if (same.length < 2) continue;
    const ids = same.map(requestIdOf).join(' and ');
    yield `licence ${licenseId} has ${same.length} open offers for the same period, ${period}: ${ids}`;
  }
  for (const offer of offers) {
    const { createdAt, recordedAt } = offer;
    const id = requestIdOf(offer);
    if (facts.endedAt !== null && isoToMs(createdAt) > isoToMs(facts.endedAt)) {
      yield `the renewal offer ${id} of licence ${licenseId} was made at ${createdAt}, after the end of the licence at ${facts.endedAt}`;
    }
    const isLate =
      suspendedAt !== null &&
      recordedAt !== null &&
      isoToMs(recordedAt) > isoToMs(suspendedAt) + DOCTOR_LIMITS.suspensionToleranceMs;
    if (isLate) {
      yield `the renewal offer ${id} of licence ${licenseId} was recorded at ${recordedAt}, although the licence has been suspended since ${suspendedAt}`;
    }
  }
}

/** Finds violations of I19: two open offers of one period, or an offer after the licence's end or in a suspension. */
export const offeredWrongly = (evidence: Evidence): Violation[] =>
  evidence.subscriptions.flatMap((each) =>
    [...wrongOffers(each)].map((what) => ({
      invariant: 'I19' as const,
      what,
      subjects: subjectsOf(each),
      todo: WITHDRAW,
    })),
  );

/** Finds violations of I20: two paid offers for one period. */
export const chargedTwice = (evidence: Evidence): Violation[] =>
  evidence.subscriptions.flatMap((each) => {
    const paid = offersOf(each).filter(({ state }) => state === 'renewed');
    return [...Map.groupBy(paid, periodOf)].flatMap(([, same]) => {
      if (same.length < 2) return [];
      const ids = same.map(requestIdOf).join(' and ');
      return {
        invariant: 'I20' as const,
        what: `licence ${each.facts.subscription.licenseId} was paid ${same.length} times for the same period: ${ids}`,
        subjects: subjectsOf(each),
        todo: 'A ledger effect cannot be undone: agree with the user on the fee, and report a defect of Tenure.',
      };
    });
  });
