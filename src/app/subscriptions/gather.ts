import type { LifecycleId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { microsOf } from '../../domain/duration.ts';
import type { PlanRef, PlanTerms } from '../../domain/plan.ts';
import { planWords } from '../../domain/plan.ts';
import { DEFAULT_INSTRUMENT } from '../../domain/renewal.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { isoOf, nextPeriod } from '../../domain/subscription.ts';
import type { Io } from '../ports/io.ts';
import type { LicenseRecords } from '../ports/license-records.ts';
import type { Plans } from '../ports/plans.ts';
import type { Policies } from '../ports/policies.ts';
import type { Subscriptions } from '../ports/subscriptions.ts';
import type { SubscriptionFacts } from './decide.ts';
import { isNeverRenewed, lastExtension } from './decide.ts';

export interface GatherDeps {
  readonly subscriptions: Omit<Subscriptions, 'page' | 'count'>;
  readonly policies: Pick<Policies, 'holds'>;
  readonly plans: Pick<Plans, 'byId'>;
  readonly licenseRecords: Pick<LicenseRecords, 'of'>;
  /** The time zone in which calendar months are counted. */
  readonly timeZone: string;
}

/** Reads all facts that determine the next step of a subscription; `null` if its licence is not projected. */
export async function gather(
  { subscriptions, policies }: Pick<GatherDeps, 'subscriptions' | 'policies'>,
  subscription: Subscription,
  io: Io,
): Promise<SubscriptionFacts | null> {
  const { licenseId } = subscription;
  const [facts, holds] = await Promise.all([
    subscriptions.facts(licenseId, io),
    policies.holds([licenseId], io),
  ]);
  if (facts === null) return null;
  const hold = holds.get(licenseId);
  return {
    ...facts,
    subscription,
    isSuspended: hold?.isSuspended ?? false,
    trialUntilMs: hold?.trialUntilMs ?? null,
    graceMs: hold?.graceMs ?? 0,
  };
}

export interface OfferedPlan extends PlanRef {
  readonly terms: PlanTerms;
}

/** Returns the plan under which the next offer is made; `null` if the licence has none. */
export async function planOf(
  { plans, licenseRecords }: Pick<GatherDeps, 'plans' | 'licenseRecords'>,
  { licenseId, provider, planId }: Pick<Subscription, 'licenseId' | 'provider' | 'planId'>,
  io: Io,
): Promise<OfferedPlan | null> {
  const record = (await licenseRecords.of([licenseId], io)).get(licenseId);
  const id = planId ?? record?.plan?.id;
  if (id === undefined) return null;
  const plan = await plans.byId(id, provider, io);
  const own = record?.plan;
  // If the licence's plan is archived, the licence is renewed under the version under which it was sold.
  if (plan?.archivedAt !== null && own?.id === id && record?.planTerms != null) {
    return { id, version: own.version, terms: record.planTerms };
  }
  return plan === null ? null : { id, version: plan.version, terms: plan.terms };
}

/** Returns the body of an offer as a caller would send it, and the anchor of the offered period. */
export function offerOf(
  facts: SubscriptionFacts,
  plan: OfferedPlan,
  requestId: string,
  at: { readonly nowMs: number; readonly timeZone: string },
): { readonly body: JsonRecord; readonly anchor: string } {
  const { terms } = plan;
  const { extension, anchor } = nextPeriod({
    ...at,
    period: terms.period,
    expiresAt: facts.expiresAt,
    anchor: facts.subscription.anchor,
    lastExtension: lastExtension(facts),
    trialUntilMs: isNeverRenewed(facts) ? facts.trialUntilMs : null,
  });
  const isDefault = terms.instrument === DEFAULT_INSTRUMENT;
  return {
    anchor: isoOf(anchor),
    body: {
      requestId,
      licenseFeeCc: terms.fee,
      licenseExtensionMicros: String(extension),
      prepareUntilMicros: String(microsOf(terms.prepareUntilDuration) ?? 0n),
      settleBeforeMicros: String(microsOf(terms.settleBeforeDuration) ?? 0n),
      description: `${terms.name} ${planWords(plan)}`,
      ...(isDefault ? {} : { licenseFeeInstrument: terms.instrument }),
      plan: { id: plan.id, version: plan.version },
    },
  };
}

/** Returns the licence that a change of a subscription concerns. */
export const licenseOf = (of: {
  readonly kind: string;
  readonly id: LifecycleId;
  readonly originId: LifecycleId | null;
}): LifecycleId | null => (of.kind === 'license' ? of.id : of.originId);
