import type { SubscriptionEvent } from '../../../machines/subscription.machine.ts';
import type { ContractId, LifecycleId } from '../../domain/ids.ts';
import { recordAt, textAt } from '../../domain/json.ts';
import { allocationMismatch } from '../../domain/renewal.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { numberIn, offersPrefix, stepPrefix } from '../../domain/subscription.ts';
import { isPast, isoToMs } from '../../domain/time.ts';
import type { LicenseFacts, RenewalFact } from '../ports/subscriptions.ts';

/* Decides the next step of a subscription. The decision depends only on facts, so a repeated check decides the same. */

export interface SubscriptionFacts extends LicenseFacts {
  readonly subscription: Subscription;
  readonly isSuspended: boolean;
  /** When the trial of the licence's plan ends; `null` without a trial. */
  readonly trialUntilMs: number | null;
  /** The grace of the licence's plan. */
  readonly graceMs: number;
}

/** Ledger time: the best estimate, and a time that has certainly passed. */
export interface Times {
  readonly nowMs: number;
  readonly certainMs: number;
}

/**
 * - `wait`: nothing to do until `untilMs`; `null`: until a fact of the ledger arrives or a person changes something.
 * - `under-way`: an operation of the licence is open.
 */
export type Decision =
  | { readonly kind: 'wait'; readonly untilMs: number | null; readonly why: string }
  | { readonly kind: 'under-way'; readonly why: string }
  | { readonly kind: 'offer'; readonly why: string }
  | { readonly kind: 'retract'; readonly renewalId: LifecycleId; readonly why: string }
  | {
      readonly kind: 'settle';
      readonly renewalId: LifecycleId;
      readonly allocation: ContractId;
      readonly why: string;
    }
  | { readonly kind: 'end'; readonly why: string };

const wait = (untilMs: number | null, why: string): Decision => ({ kind: 'wait', untilMs, why });

/** Returns the prefix of the command IDs and request IDs of offers that extend the licence from its current end. */
export const offerPrefix = ({ subscription, expiresAt }: SubscriptionFacts): string =>
  stepPrefix('offer', { of: subscription.licenseId, when: expiresAt });

const requestIdOf = ({ payload }: RenewalFact): string => textAt(payload, 'requestId') ?? '';

/** Returns the number of an offer in this period; `null` for any other renewal. */
export const offerNumber = (facts: SubscriptionFacts, renewal: RenewalFact): number | null =>
  numberIn({ prefix: offerPrefix(facts), id: requestIdOf(renewal) });

const isOpen = ({ endedAt }: RenewalFact): boolean => endedAt === null;

/** Returns whether a renewal is an offer of this subscription, for any period. */
const isOffer = ({ subscription }: SubscriptionFacts, renewal: RenewalFact): boolean =>
  requestIdOf(renewal).startsWith(offersPrefix(subscription.licenseId));

export const openOffer = (facts: SubscriptionFacts): RenewalFact | undefined =>
  facts.renewals.find((renewal) => isOpen(renewal) && isOffer(facts, renewal));

/**
 * Returns whether an offer was rejected, or its window closed without payment. An offer that was withdrawn earlier does
 * not count as a try.
 */
const isUnpaid = ({ state, endedAt, settleBefore }: RenewalFact): boolean =>
  state === 'rejected' ||
  (state !== 'renewed' && endedAt !== null && isoToMs(endedAt) >= isoToMs(settleBefore));

const paidBy = (renewal: RenewalFact): ContractId | null =>
  renewal.allocations.find((each) => allocationMismatch(renewal.payload, each.view).length === 0)
    ?.contractId ?? null;

export const isNeverRenewed = ({ expiresAt, createdAt }: LicenseFacts): boolean =>
  isoToMs(expiresAt) <= isoToMs(createdAt);

/** Returns when the period ends; for a licence that was never renewed, when its trial ends, if that is later. */
export const endOfPeriodMs = (facts: SubscriptionFacts): number => {
  const { expiresAt, trialUntilMs } = facts;
  const endMs = isoToMs(expiresAt);
  return isNeverRenewed(facts) ? Math.max(endMs, trialUntilMs ?? endMs) : endMs;
};

/** Returns by how much the newest completed renewal extended the licence, in microseconds. */
export function lastExtension({ renewals }: LicenseFacts): bigint | null {
  const last = renewals.find(({ state }) => state === 'renewed');
  const micros = textAt(recordAt(last?.payload ?? {}, 'licenseExtensionDuration'), 'microseconds');
  return micros === undefined ? null : BigInt(micros);
}

/** Returns why no payment may be requested or taken now; `null` if there is no such reason. */
function keptBack({ subscription, isSuspended }: SubscriptionFacts): string | null {
  if (isSuspended) return 'the licence is suspended';
  return subscription.cancelledAt === null ? null : 'the subscription is cancelled';
}

function aboutOffer(facts: SubscriptionFacts, offer: RenewalFact, times: Times): Decision {
  const { renewalId, settleBefore } = offer;
  const isClosed = isPast(settleBefore, times.certainMs);
  const back = keptBack(facts);
  const isOther = offerNumber(facts, offer) === null;
  const why = isOther ? 'the offered period is paid already' : back;
  const allocation = paidBy(offer);
  if (isClosed)
    return { kind: 'retract', renewalId, why: `the time to pay ended at ${settleBefore}` };
  if (allocation === null && why !== null) return { kind: 'retract', renewalId, why };
  if (allocation === null || why !== null) {
    return wait(isoToMs(settleBefore), why ?? 'the offer is open');
  }
  return { kind: 'settle', renewalId, allocation, why: `allocation ${allocation} pays it` };
}

/** Returns how many offers of the period were not paid, and the earliest time of the next one. */
function nextTry(facts: SubscriptionFacts): { readonly unpaid: number; readonly atMs: number } {
  const unpaid = facts.renewals.filter(
    (renewal) => offerNumber(facts, renewal) !== null && !isOpen(renewal) && isUnpaid(renewal),
  );
  // If an offer was rejected, the next one is made only after the rejected offer's window has closed.
  const windowMs = Math.max(...unpaid.map(({ settleBefore }) => isoToMs(settleBefore)));
  const atMs = Math.max(endOfPeriodMs(facts) - facts.subscription.offerBeforeMs, windowMs);
  return { unpaid: unpaid.length, atMs };
}

/**
 * Returns when the next offer is made if nothing changes; `null` if there will be none, or if an offer of the period is
 * open.
 */
export function nextOfferMs(facts: SubscriptionFacts): number | null {
  const offer = openOffer(facts);
  const isOpenNow = offer !== undefined && offerNumber(facts, offer) !== null;
  if (facts.endedAt !== null || keptBack(facts) !== null || isOpenNow) return null;
  const { unpaid, atMs } = nextTry(facts);
  return unpaid < facts.subscription.tries ? atMs : null;
}

function aboutNext(facts: SubscriptionFacts, { nowMs, certainMs }: Times): Decision {
  const { subscription } = facts;
  const endMs = endOfPeriodMs(facts);
  const { unpaid, atMs } = nextTry(facts);
  if (unpaid >= subscription.tries) {
    const last = `${unpaid} offers of the period were not paid`;
    if (!subscription.endsUnpaid) return wait(null, last);
    const endsMs = endMs + facts.graceMs;
    return endsMs <= certainMs ? { kind: 'end', why: last } : wait(endsMs, last);
  }
  if (atMs > nowMs) return wait(atMs, 'the next offer is not due yet');
  return { kind: 'offer', why: `the period ends at ${new Date(endMs).toISOString()}` };
}

export function decide(facts: SubscriptionFacts, times: Times): Decision {
  if (facts.endedAt !== null) return wait(null, 'the licence has ended');
  if (facts.isUnderWay) return { kind: 'under-way', why: 'an operation of the licence is open' };
  const offer = openOffer(facts);
  if (offer !== undefined) return aboutOffer(facts, offer, times);
  const other = facts.renewals.find(
    (renewal) => isOpen(renewal) && !isPast(renewal.settleBefore, times.certainMs),
  );
  if (other !== undefined) return wait(isoToMs(other.settleBefore), 'another renewal is open');
  const back = keptBack(facts);
  return back === null ? aboutNext(facts, times) : wait(null, back);
}

/** Converts the facts to events of the subscription's machine. */
export function eventsOf(facts: SubscriptionFacts, nowMs: number): SubscriptionEvent[] {
  const isLapsed = endOfPeriodMs(facts) <= nowMs;
  const isTrial = isNeverRenewed(facts);
  const offer = openOffer(facts);
  const isOffered = offer !== undefined && offerNumber(facts, offer) !== null;
  return [
    ...(isTrial ? [] : [{ type: 'ledger.paid' } as const]),
    ...(isOffered ? [{ type: 'ledger.offered' } as const] : []),
    ...(facts.subscription.cancelledAt === null ? [] : [{ type: 'cancelled' } as const]),
    ...(isLapsed ? [{ type: isTrial ? 'timer.trialOver' : 'timer.lapsed' } as const] : []),
    ...(facts.endedAt === null ? [] : [{ type: 'ledger.licenseEnded' } as const]),
  ];
}
