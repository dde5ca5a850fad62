import { Duration } from '@js-joda/core';
import { subscriptionState } from '../../../../machines/subscription.machine.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { RenewalFact } from '../../../app/ports/subscriptions.ts';
import type { SubscriptionFacts } from '../../../app/subscriptions/decide.ts';
import { eventsOf, nextOfferMs, openOffer } from '../../../app/subscriptions/decide.ts';
import { gather, offerOf, planOf } from '../../../app/subscriptions/gather.ts';
import type { Party } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { canonicalJson, recordAt, textAt } from '../../../domain/json.ts';
import type { PlanTerms } from '../../../domain/plan.ts';
import type { Subscription } from '../../../domain/subscription.ts';
import { isoAfter, isoToMs } from '../../../domain/time.ts';
import type { HttpDeps } from '../../kit/deps.ts';

const offerBody = ({ renewalId, payload, settleBefore, allocations }: RenewalFact): JsonRecord => ({
  renewalId,
  requestId: textAt(payload, 'requestId') ?? '',
  fee: textAt(payload, 'licenseFeeAmount') ?? '',
  instrument: textAt(recordAt(payload, 'licenseFeeInstrumentId'), 'id') ?? '',
  settleBefore,
  isAllocated: allocations.length > 0,
});

const priceOf = ({ fee, instrument, period }: PlanTerms) => ({ fee, instrument, period });

/** Returns the licence's present price if the next offer has a different one, else `null`. */
function priceBefore(before: PlanTerms | null, next: PlanTerms): JsonRecord | null {
  if (before === null) return null;
  const price = priceOf(before);
  return canonicalJson(price) === canonicalJson(priceOf(next)) ? null : price;
}

/** Returns the next offer as it will be made when it is due, under the newest version of the plan. */
async function nextBody(
  deps: HttpDeps,
  facts: SubscriptionFacts,
  nowMs: number,
  io: Io,
): Promise<JsonRecord | null> {
  const plannedMs = nextOfferMs(facts);
  const plan = plannedMs === null ? null : await planOf(deps, facts.subscription, io);
  if (plannedMs === null || plan === null) return null;
  const { licenseId } = facts.subscription;
  const record = (await deps.licenseRecords.of([licenseId], io)).get(licenseId);
  const atMs = Math.max(plannedMs, nowMs);
  const { body } = offerOf(facts, plan, '', { nowMs: atMs, timeZone: deps.timeZone ?? 'UTC' });
  const baseMs = Math.max(atMs, isoToMs(facts.expiresAt));
  return {
    at: isoAfter(atMs),
    until: isoAfter(baseMs, BigInt(textAt(body, 'licenseExtensionMicros') ?? '0')),
    fee: plan.terms.fee,
    instrument: plan.terms.instrument,
    plan: { id: plan.id, version: plan.version, name: plan.terms.name },
    priceBefore: priceBefore(record?.planTerms ?? null, plan.terms),
  };
}

/** The names of the licence and of its customer. */
type Names = JsonRecord;

/** Returns the names of an answer's licences and customers. Only the provider sees names of customers. */
export async function namesOf(
  deps: HttpDeps,
  party: Party,
  subscriptions: readonly Subscription[],
  io: Io,
): Promise<(of: Subscription) => Names> {
  const users = subscriptions.filter((one) => one.provider === party).map((one) => one.appUser);
  const [records, customers] = await Promise.all([
    deps.licenseRecords.of(
      subscriptions.map(({ licenseId }) => licenseId),
      io,
    ),
    users.length === 0 ? null : deps.customers.ofParties(party, users, io),
  ]);
  return ({ licenseId, provider, appUser }) => {
    const customer = customers?.get(appUser);
    return {
      reference: records.get(licenseId)?.reference ?? null,
      ...(provider === party ? { customer: customer === undefined ? null : { ...customer } } : {}),
    };
  };
}

/** Returns a subscription with its state and its offers, for both parties of the licence. */
export async function subscriptionBody(
  deps: HttpDeps,
  subscription: Subscription,
  names: Names,
  nowMs: number,
  io: Io,
): Promise<JsonRecord> {
  const facts = await gather(deps, subscription, io);
  const offer = facts === null ? undefined : openOffer(facts);
  return {
    ...names,
    licenseId: subscription.licenseId,
    provider: subscription.provider,
    user: subscription.appUser,
    // If the licence is not projected yet, these values are `null`; all others are known.
    state: facts === null ? null : subscriptionState(eventsOf(facts, nowMs)),
    planId: subscription.planId,
    offerBefore: Duration.ofMillis(subscription.offerBeforeMs).toString(),
    tries: subscription.tries,
    endUnpaid: subscription.endsUnpaid,
    cancelledAt: subscription.cancelledAt,
    version: subscription.version,
    expiresAt: facts?.expiresAt ?? null,
    offer: offer === undefined ? null : offerBody(offer),
    nextOffer: facts === null ? null : await nextBody(deps, facts, nowMs, io),
  };
}
