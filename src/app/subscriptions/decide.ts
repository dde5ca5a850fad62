import type { SubscriptionEvent } from '../../../machines/subscription.machine.ts';
import type { ContractId, LifecycleId } from '../../domain/ids.ts';
import { recordAt, textAt } from '../../domain/json.ts';
import { allocationMismatch } from '../../domain/renewal.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { numberIn, offersPrefix, stepPrefix } from '../../domain/subscription.ts';
import { isPast, isoToMs } from '../../domain/time.ts';
import type { LicenseFacts, RenewalFact } from '../ports/subscriptions.ts';

/* The next step of a subscription follows from facts alone: a repeated look decides the same. */

export interface SubscriptionFacts extends LicenseFacts {
  readonly subscription: Subscription;
  readonly isSuspended: boolean;
  /** The end of the trial of its plan; `null` without one. */
  readonly trialUntilMs: number | null;
  /** The grace of its plan. */
  readonly graceMs: number;
}

/** Ledger time: the best estimate, and the part that is certainly past. */
export interface Times {
  readonly nowMs: number;
  readonly certainMs: number;
}

/**
 * - `wait`: nothing to do until then; `null`: until a fact of the ledger or a person changes something.
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

/** The command IDs and request IDs of the offers that extend the licence from its current end. */
export const offerPrefix = ({ subscription, expiresAt }: SubscriptionFacts): string =>
  stepPrefix('offer', { of: subscription.licenseId, when: expiresAt });

const requestIdOf = ({ payload }: RenewalFact): string => textAt(payload, 'requestId') ?? '';

/** The number of an offer of this period; `null` for other renewals. */
export const offerNumber = (facts: SubscriptionFacts, renewal: RenewalFact): number | null =>
  numberIn({ prefix: offerPrefix(facts), id: requestIdOf(renewal) });

const isOpen = ({ endedAt }: RenewalFact): boolean => endedAt === null;

/** An offer of this subscription for any period. */
const isOffer = ({ subscription }: SubscriptionFacts, renewal: RenewalFact): boolean =>
  requestIdOf(renewal).startsWith(offersPrefix(subscription.licenseId));

export const openOffer = (facts: SubscriptionFacts): RenewalFact | undefined =>
  facts.renewals.find((renewal) => isOpen(renewal) && isOffer(facts, renewal));

/** An offer that was turned down, or whose window closed. One that was withdrawn earlier takes no try. */
const isUnpaid = ({ state, endedAt, settleBefore }: RenewalFact): boolean =>
  state === 'rejected' ||
  (state !== 'renewed' && endedAt !== null && isoToMs(endedAt) >= isoToMs(settleBefore));

const paidBy = (renewal: RenewalFact): ContractId | null =>
  renewal.allocations.find((each) => allocationMismatch(renewal.payload, each.view).length === 0)
    ?.contractId ?? null;

export const isNeverRenewed = ({ expiresAt, createdAt }: LicenseFacts): boolean =>
  isoToMs(expiresAt) <= isoToMs(createdAt);

/** When the period or the trial ends. */
export const endOfPeriodMs = (facts: SubscriptionFacts): number => {
  const { expiresAt, trialUntilMs } = facts;
  const endMs = isoToMs(expiresAt);
  return isNeverRenewed(facts) ? Math.max(endMs, trialUntilMs ?? endMs) : endMs;
};

/** How much the newest completed renewal extended the licence by, in microseconds. */
export function lastExtension({ renewals }: LicenseFacts): bigint | null {
  const last = renewals.find(({ state }) => state === 'renewed');
  const micros = textAt(recordAt(last?.payload ?? {}, 'licenseExtensionDuration'), 'microseconds');
  return micros === undefined ? null : BigInt(micros);
}

/** Why no money is asked for or taken; `null` if nothing keeps it back. */
function keptBack({ subscription, isSuspended }: SubscriptionFacts): string | null {
  if (isSuspended) return 'the licence is suspended';
  return subscription.cancelledAt === null ? null : 'the subscription is cancelled';
}

function aboutOffer(facts: SubscriptionFacts, offer: RenewalFact, times: Times): Decision {
  const { renewalId, settleBefore } = offer;
  const isClosed = isPast(settleBefore, times.certainMs);
  const back = keptBack(facts);
  const isOther = offerNumber(facts, offer) === null;
  const why = isOther ? 'the period that it offers is paid already' : back;
  const allocation = paidBy(offer);
  if (isClosed) return { kind: 'retract', renewalId, why: `its window closed at ${settleBefore}` };
  if (allocation === null && why !== null) return { kind: 'retract', renewalId, why };
  if (allocation === null || why !== null) {
    return wait(isoToMs(settleBefore), why ?? 'the offer is open');
  }
  return { kind: 'settle', renewalId, allocation, why: `allocation ${allocation} pays it` };
}

/** How many offers of the period were not paid, and from when on the next one may be made. */
function nextTry(facts: SubscriptionFacts): { readonly unpaid: number; readonly atMs: number } {
  const unpaid = facts.renewals.filter(
    (renewal) => offerNumber(facts, renewal) !== null && !isOpen(renewal) && isUnpaid(renewal),
  );
  // The window of an offer that was turned down is the time until the next try.
  const windowMs = Math.max(...unpaid.map(({ settleBefore }) => isoToMs(settleBefore)));
  const atMs = Math.max(endOfPeriodMs(facts) - facts.subscription.offerBeforeMs, windowMs);
  return { unpaid: unpaid.length, atMs };
}

/** When the next offer is made if nothing changes; `null` if none is, or one of the period is open. */
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
  if (atMs > nowMs) return wait(atMs, 'the next offer has its time');
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

/** The facts as the machine of subscriptions takes them. */
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
