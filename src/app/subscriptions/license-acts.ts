import type { Caller } from '../../domain/caller.ts';
import type { Operation } from '../../domain/change.ts';
import type { ChangeId, Party } from '../../domain/ids.ts';
import { OWN_COMMAND_PREFIX, parseCommandId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { LicenseRecord } from '../../domain/license-record.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ProblemError, fail } from '../../domain/problems.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { isPast, isoToMs } from '../../domain/time.ts';
import { unreachable } from '../../domain/unreachable.ts';
import type { Door } from '../engine/requests/request-change.ts';
import type { LedgerClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { LicenseRecords } from '../ports/license-records.ts';
import type { Reads } from '../ports/reads.ts';
import type { ListKey, ListQuery } from '../ports/views.ts';
import { listKeyOf } from '../ports/views.ts';
import type { SubscriptionFacts } from './decide.ts';
import { endOfPeriodMs } from './decide.ts';
import type { GatherDeps, OfferedPlan } from './gather.ts';
import { gather, offerOf, planOf } from './gather.ts';

/*
 * Acts of a provider on all active licences that match a filter. Each licence is judged for the preview, and again when
 * the act is applied. The command IDs of the operations are derived from the act and the licence.
 */

export const LICENSE_ACTS = ['offer', 'expire', 'suspend', 'reinstate', 'change-plan'] as const;
export type LicenseAct = (typeof LICENSE_ACTS)[number];

interface LicenseFilter extends Pick<
  ListQuery,
  'appUser' | 'state' | 'expiresAfter' | 'expiresBefore' | 'among'
> {
  readonly planId?: string;
  readonly isSuspended?: boolean;
}

export interface LicenseActRequest {
  readonly action: LicenseAct;
  /** The plan for later renewals; only for `change-plan`. */
  readonly planId: string | null;
  readonly filter: LicenseFilter;
}

export interface LicenseActDeps extends GatherDeps {
  readonly reads: Pick<Reads, 'list'>;
  readonly licenseRecords: LicenseRecords;
  readonly ledgerClock: LedgerClock;
  readonly door: Door;
}

/** A licence that matches the filter, with the facts that determine whether the act applies to it. */
interface Meant {
  readonly lifecycle: Lifecycle;
  readonly record: LicenseRecord | undefined;
  readonly subscription: Subscription | null;
  /** `null` if the licence is not projected. */
  readonly facts: SubscriptionFacts | null;
  readonly plan: OfferedPlan | null;
}

/** A licence; `why` is the reason for which the act does not apply to it, or `null` if it applies. */
export interface JudgedLicense extends Meant {
  readonly why: string | null;
}

/** Number of licences to which the act was not applied for the same reason. */
interface LicensesRefused {
  readonly reason: string;
  readonly count: number;
}

type Found = Pick<Meant, 'lifecycle' | 'record'>;

async function pageOf(
  deps: LicenseActDeps,
  provider: Party,
  filter: Omit<LicenseFilter, 'planId' | 'isSuspended'>,
  after: ListKey | undefined,
  io: Io,
): Promise<readonly Found[]> {
  const limit = LIMITS.pageSizeMax;
  const of = { kind: 'license', party: provider, provider, ...filter, limit } as const;
  const views = await deps.reads.list({ ...of, ...(after === undefined ? {} : { after }) }, io);
  const ids = views.map(({ lifecycle }) => lifecycle.id);
  const records = await deps.licenseRecords.of(ids, io);
  return views.map(({ lifecycle }) => ({ lifecycle, record: records.get(lifecycle.id) }));
}

const matches = ({ record }: Found, { planId, isSuspended }: LicenseFilter): boolean =>
  (planId === undefined || record?.plan?.id === planId) &&
  (isSuspended === undefined || ((record?.suspension ?? null) !== null) === isSuspended);

/** @throws ProblemError `SEARCH_TOO_BROAD`, `BULK_TOO_LARGE` */
async function licensesOf(
  deps: LicenseActDeps,
  provider: Party,
  filter: LicenseFilter,
  io: Io,
): Promise<readonly Found[]> {
  const { planId: _plan, isSuspended: _is, ...listed } = filter;
  const found: Found[] = [];
  let after: ListKey | undefined;
  for (let read = 0; read < LIMITS.licensesScannedMax; read += LIMITS.pageSizeMax) {
    const page = await pageOf(deps, provider, listed, after, io);
    found.push(...page.filter((each) => matches(each, filter)));
    if (found.length > LIMITS.licensesActedMax) {
      const most = LIMITS.licensesActedMax;
      fail('BULK_TOO_LARGE', `the filter matches more than ${most} licences: narrow the filter`);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < LIMITS.pageSizeMax) return found;
    after = listKeyOf(last.lifecycle);
  }
  return fail('SEARCH_TOO_BROAD', 'the filter reads too many licences: narrow the filter');
}

async function factsOf(deps: LicenseActDeps, found: Found, io: Io): Promise<Meant> {
  const { id: licenseId, provider, appUser } = found.lifecycle;
  const subscription = await deps.subscriptions.of(licenseId, io);
  const terms = { planId: null, offerBeforeMs: 0, tries: 1, endsUnpaid: false };
  const alone = { licenseId, provider, appUser, ...terms };
  const of = subscription ?? { ...alone, anchor: null, cancelledAt: null, version: 1 };
  const [facts, plan] = await Promise.all([gather(deps, of, io), planOf(deps, of, io)]);
  return { ...found, subscription, facts, plan };
}

const renewsItself = ({ subscription }: Meant): boolean => subscription?.cancelledAt === null;

/** Returns why no ledger operation can be requested for this licence now, or `null`. */
function underWay({ facts }: Meant): string | null {
  if (facts === null) return 'the licence is not in the query store yet';
  if (facts.endedAt !== null) return 'the licence has ended';
  if (facts.isUnderWay) return 'an operation of the licence is open';
  return facts.renewals.some(({ endedAt }) => endedAt === null)
    ? 'a renewal of the licence is open'
    : null;
}

function whyNotOffered(meant: Meant): string | null {
  if (renewsItself(meant)) return 'the licence renews itself';
  if (meant.facts?.isSuspended === true) return 'the licence is suspended';
  return underWay(meant) ?? (meant.plan === null ? 'the licence has no plan' : null);
}

function whyNotExpired(meant: Meant, certainMs: number): string | null {
  const { facts } = meant;
  const why = underWay(meant);
  if (why !== null || facts === null) return why;
  if (!isPast(facts.expiresAt, certainMs)) return 'the licence has not expired';
  return endOfPeriodMs(facts) + facts.graceMs > certainMs
    ? 'the licence is in its trial or grace period'
    : null;
}

function whyNotChanged(meant: Meant, planId: string | null): string | null {
  if (!renewsItself(meant)) return 'the licence does not renew itself';
  const next = meant.subscription?.planId ?? meant.record?.plan?.id;
  return next === planId ? 'the next renewal of the licence already has this plan' : null;
}

function whyNot({ action, planId }: LicenseActRequest, meant: Meant, certainMs: number) {
  const isSuspended = (meant.record?.suspension ?? null) !== null;
  switch (action) {
    case 'offer':
      return whyNotOffered(meant);
    case 'expire':
      return whyNotExpired(meant, certainMs);
    case 'suspend':
      return isSuspended ? 'the licence is already suspended' : null;
    case 'reinstate':
      return isSuspended ? null : 'the licence is not suspended';
    case 'change-plan':
      return whyNotChanged(meant, planId);
    default:
      return unreachable(action);
  }
}

/** Runs a function on all entries, a limited number at a time, in the order of the entries. */
async function someAtATime<In, Out>(all: readonly In[], run: (one: In) => Promise<Out>) {
  const done: Out[] = [];
  for (let from = 0; from < all.length; from += LIMITS.recordedTogetherMax) {
    const some = all.slice(from, from + LIMITS.recordedTogetherMax);
    done.push(...(await Promise.all(some.map(run))));
  }
  return done;
}

/**
 * Judges the licences that match a filter, without changing them.
 *
 * @throws ProblemError `SEARCH_TOO_BROAD`, `BULK_TOO_LARGE`; `REQUEST_INVALID` for a plan that is not sold
 */
export async function judgeLicenses(
  deps: LicenseActDeps,
  provider: Party,
  request: LicenseActRequest,
  io: Io,
): Promise<readonly JudgedLicense[]> {
  const { planId } = request;
  const plan = planId === null ? null : await deps.plans.byId(planId, provider, io);
  if (planId !== null && (plan === null || plan.archivedAt !== null)) {
    const field = { extra: { field: 'planId' } };
    fail('REQUEST_INVALID', 'planId must name a plan of yours that is not archived', field);
  }
  const found = await licensesOf(deps, provider, request.filter, io);
  const certainMs = deps.ledgerClock.certainMs();
  return someAtATime(found, async (each) => {
    const meant = await factsOf(deps, each, io);
    return { ...meant, why: whyNot(request, meant, certainMs) };
  });
}

/** Returns the reasons with their counts, the most frequent first. */
export function countedReasons(reasons: readonly (string | null)[]): readonly LicensesRefused[] {
  const given = reasons.filter((reason) => reason !== null);
  const byReason = Map.groupBy(given, (reason) => reason);
  return [...byReason]
    .map(([reason, all]) => ({ reason, count: all.length }))
    .toSorted((a, b) => b.count - a.count);
}

/** A confirmed act: its ID, the person who requested it, and the reason. */
interface ConfirmedAct {
  readonly id: string;
  readonly by: Caller;
  readonly reason: string;
}

/** The result for one licence; `changeId` is set if the act requests an operation. */
interface Done {
  readonly changeId: ChangeId | null;
  readonly why: string | null;
}

async function operate(
  deps: LicenseActDeps,
  { id, by }: ConfirmedAct,
  operation: Operation,
  { lifecycle }: Meant,
  bodyOf: (requestId: string) => JsonRecord,
  io: Io,
): Promise<Done> {
  const commandId = parseCommandId(`${OWN_COMMAND_PREFIX}licenses:${id}:${lifecycle.id}`);
  const asked = { operation, target: lifecycle.id, commandId, body: bodyOf(commandId) };
  const { change } = await deps.door(by, asked, io);
  return { changeId: change.id, why: null };
}

async function changePlan(
  deps: LicenseActDeps,
  { by }: ConfirmedAct,
  planId: string | null,
  { subscription }: Meant,
  io: Io,
): Promise<Done> {
  if (subscription === null) return { changeId: null, why: 'the licence does not renew itself' };
  const terms = { ...subscription, planId };
  const set = await deps.subscriptions.set(subscription, terms, [subscription.version], by, io);
  return {
    changeId: null,
    why: set === null ? 'the subscription of the licence was changed' : null,
  };
}

async function apply(
  deps: LicenseActDeps,
  { action, planId }: LicenseActRequest,
  act: ConfirmedAct,
  meant: Meant,
  io: Io,
): Promise<Done> {
  const { lifecycle, facts, plan } = meant;
  switch (action) {
    case 'offer': {
      if (facts === null || plan === null)
        return { changeId: null, why: 'the licence has no plan' };
      const at = { nowMs: deps.ledgerClock.nowMs(), timeZone: deps.timeZone };
      const bodyOf = (requestId: string) => offerOf(facts, plan, requestId, at).body;
      return operate(deps, act, 'renew-license', meant, bodyOf, io);
    }
    case 'expire':
      return operate(deps, act, 'expire-license', meant, () => ({}), io);
    case 'suspend':
    case 'reinstate': {
      const isSuspended = action === 'suspend';
      await deps.licenseRecords.suspend(lifecycle, isSuspended, act.reason, act.by, io);
      return { changeId: null, why: null };
    }
    case 'change-plan':
      return changePlan(deps, act, planId, meant, io);
    default:
      return unreachable(action);
  }
}

/** Returns whether the end of the period is the same. It is read again, because an act on many licences takes time. */
const isUnchanged = (before: SubscriptionFacts | null, after: SubscriptionFacts | null): boolean =>
  before !== null && after !== null && isoToMs(before.expiresAt) === isoToMs(after.expiresAt);

async function applyAlone(
  deps: LicenseActDeps,
  request: LicenseActRequest,
  act: ConfirmedAct,
  judged: JudgedLicense,
  io: Io,
): Promise<Done> {
  try {
    const meant = await factsOf(deps, judged, io);
    const why = whyNot(request, meant, deps.ledgerClock.certainMs());
    if (why !== null) return { changeId: null, why };
    if (!isUnchanged(judged.facts, meant.facts))
      return { changeId: null, why: 'the licence has changed' };
    return await apply(deps, request, act, meant, io);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.details.status >= 500) throw error;
    return { changeId: null, why: error.message };
  }
}

/** Applies an act to licences, as if the person had done it to each licence separately. */
export async function applyToLicenses(
  deps: LicenseActDeps,
  request: LicenseActRequest,
  act: ConfirmedAct,
  judged: readonly JudgedLicense[],
  io: Io,
) {
  const mine = judged.filter(({ why }) => why === null);
  const done = await someAtATime(mine, (each) => applyAlone(deps, request, act, each, io));
  return {
    done: done.filter(({ why }) => why === null).length,
    refused: countedReasons(done.map(({ why }) => why)),
    operations: done.flatMap(({ changeId }) => changeId ?? []),
  };
}
