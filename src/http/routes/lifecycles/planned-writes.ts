import type { FastifyRequest } from 'fastify';
import type { Io } from '../../../app/ports/io.ts';
import type { Change, Operation } from '../../../domain/change.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { recordAt, textAt } from '../../../domain/json.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { afterMonths, monthsOf } from '../../../domain/period.ts';
import type { PlanRef, PlanTerms } from '../../../domain/plan.ts';
import { PLAN_KEYS, PLAN_KEY_PREFIX, planWords, soldEntries } from '../../../domain/plan.ts';
import { fail } from '../../../domain/problems.ts';
import { isoToMs } from '../../../domain/time.ts';
import { readId } from '../../kit/address.ts';
import { commandIdOf } from '../../kit/answer-change.ts';
import type { AppInstallCreateLicenseRequest } from '../../kit/bodies.ts';
import { readCreateLicenseBody } from '../../kit/bodies.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { durationMicros } from '../../kit/duration.ts';
import { invalid } from '../../kit/invalid.ts';
import { callerOf } from '../../kit/request-context.ts';
import type { LicenseRenewRequest, RenewalTerms } from './renewal-bodies.ts';
import { readGivenTerms, readRenewBody, renewalBody } from './renewal-bodies.ts';

/*
 * Sales under a plan. The plan's terms are copied into the recorded body, so that the engine need not know plans. A
 * repeated request uses what the first request recorded, even if the plan has a new version since then.
 */

/** Returns the change that the same caller has already recorded under the request's command ID. */
async function recordedOf(
  deps: HttpDeps,
  request: FastifyRequest,
  operation: Operation,
  io: Io,
): Promise<Change | undefined> {
  const { party } = callerOf(request);
  const known = await deps.store.reads.changesByCommand(commandIdOf(request), party, io);
  return known.find((change) => change.operation === operation);
}

interface Offered extends PlanRef {
  readonly terms: PlanTerms;
}

const unknownVersion = (planId: string): never =>
  invalid('planVersion', `is not a version of plan ${planId}`);

async function planOf(
  deps: HttpDeps,
  request: FastifyRequest,
  planId: string,
  version: number | undefined,
  io: Io,
): Promise<Offered & { readonly isArchived: boolean }> {
  const { party } = callerOf(request);
  const plan = await deps.plans.byId(planId, party, io);
  if (plan === null) return invalid('planId', 'is not the ID of a plan of yours');
  if (version === undefined || version === plan.version) {
    return {
      id: planId,
      version: plan.version,
      terms: plan.terms,
      isArchived: plan.archivedAt !== null,
    };
  }
  if (version > plan.version) return unknownVersion(planId);
  for await (const found of deps.plans.versions(planId, party, io, version)) {
    if (found.version !== version) break;
    return { id: planId, version, terms: found.terms, isArchived: true };
  }
  return unknownVersion(planId);
}

const refuseArchived = ({ id, version }: PlanRef): never =>
  fail('PLAN_ARCHIVED', `version ${version} of the plan ${id} is archived`);

const metaOf = (body: JsonRecord): JsonRecord =>
  recordAt(recordAt(recordAt(body, 'params'), 'meta'), 'data');

/** Returns the metadata entries that an earlier request recorded for the plan. */
function entriesIn(known: Change | undefined, planId: string): JsonRecord | null {
  const data = metaOf(known?.body ?? {});
  if (textAt(data, PLAN_KEYS.plan) !== planId) return null;
  const ours = Object.entries(data).filter(([key]) => key.startsWith(PLAN_KEY_PREFIX));
  return Object.fromEntries(ours);
}

/** Makes the recorded body of a new licence. Plan, version, seats and entitlements become its metadata. */
export const plannedLicense =
  (deps: HttpDeps) =>
  async (request: FastifyRequest, io: Io, body: AppInstallCreateLicenseRequest) => {
    const plain = readCreateLicenseBody(body);
    const { planId } = body;
    if (planId === undefined) return plain;
    const data = metaOf(plain);
    const taken = Object.keys(data).find((key) => key.startsWith(PLAN_KEY_PREFIX));
    if (taken !== undefined)
      invalid(`params.meta.data.${taken}`, 'is set by the plan, so it must be left out');
    const known = await recordedOf(deps, request, 'create-license', io);
    const entries = entriesIn(known, planId) ?? (await newEntries(deps, request, planId, io));
    const all = { ...data, ...entries };
    if (Object.keys(all).length > LIMITS.metadataEntriesMax) {
      invalid('params.meta.data', 'has too many entries: the plan adds entries too');
    }
    return { params: { meta: { data: all } } };
  };

async function newEntries(deps: HttpDeps, request: FastifyRequest, planId: string, io: Io) {
  const plan = await planOf(deps, request, planId, undefined, io);
  return plan.isArchived ? refuseArchived(plan) : soldEntries(plan, plan.terms);
}

/**
 * Returns the time, in microseconds, by which a renewal extends the licence: counted from now, or from the end of the
 * licence if the end is later.
 */
function extensionOf({ period }: PlanTerms, nowMs: number, expiresAt: string | null): string {
  const months = monthsOf(period);
  if (months === null) return String(durationMicros(period) ?? 0n);
  const fromMs = Math.floor(Math.max(nowMs, expiresAt === null ? nowMs : isoToMs(expiresAt)));
  return String(BigInt(afterMonths(fromMs, months) - fromMs) * 1_000n);
}

/** Refuses an archived plan or version, unless the licence already has that version. */
async function checkSold(deps: HttpDeps, plan: Offered, id: string, io: Io): Promise<void> {
  const view = await deps.store.reads.lifecycle(id, io);
  const lifecycleId = view?.lifecycle.id;
  const records =
    lifecycleId === undefined ? null : await deps.licenseRecords.of([lifecycleId], io);
  const sold = lifecycleId === undefined ? null : records?.get(lifecycleId)?.plan;
  if (sold?.id !== plan.id || sold.version !== plan.version) refuseArchived(plan);
}

async function termsFromPlan(
  deps: HttpDeps,
  request: FastifyRequest,
  { planId = '', planVersion }: LicenseRenewRequest,
  io: Io,
): Promise<KnownTerms> {
  const plan = await planOf(deps, request, planId, planVersion, io);
  const id = readId(request);
  if (plan.isArchived) await checkSold(deps, plan, id, io);
  const { terms } = plan;
  const view = monthsOf(terms.period) === null ? null : await deps.store.reads.lifecycle(id, io);
  return {
    licenseFeeCc: terms.fee,
    licenseExtensionMicros: extensionOf(
      terms,
      deps.ledgerClock.nowMs(),
      view?.lifecycle.expiresAt ?? null,
    ),
    prepareUntilMicros: String(durationMicros(terms.prepareUntilDuration) ?? 0n),
    settleBeforeMicros: String(durationMicros(terms.settleBeforeDuration) ?? 0n),
    description: `${terms.name} ${planWords(plan)}`,
    licenseFeeInstrument: terms.instrument,
    plan: { id: plan.id, version: plan.version },
  };
}

type KnownTerms = RenewalTerms & { readonly plan: PlanRef; readonly allowConcurrent?: boolean };

/** Returns the terms that an earlier request recorded under the same plan. */
function termsIn(
  known: Change | undefined,
  { planId, planVersion }: LicenseRenewRequest,
): KnownTerms | null {
  const body = known?.body as unknown as Partial<KnownTerms> | undefined;
  const plan = body?.plan;
  const isSame =
    plan?.id === planId && (planVersion === undefined || plan?.version === planVersion);
  return isSame && plan !== undefined ? (body as KnownTerms) : null;
}

/** Makes the recorded body of a renewal. Both parties sign its description, which ends with the plan and version. */
export const plannedRenewal =
  (deps: HttpDeps) => async (request: FastifyRequest, io: Io, body: LicenseRenewRequest) => {
    if (body.planId === undefined) return readRenewBody(body);
    const given = readGivenTerms(body);
    const known = await recordedOf(deps, request, 'renew-license', io);
    const found = termsIn(known, body) ?? (await termsFromPlan(deps, request, body, io));
    const { plan, allowConcurrent: _asked, ...terms } = found;
    const description =
      given.description === undefined
        ? terms.description
        : `${given.description} ${planWords(plan)}`;
    if (description.length > LIMITS.metadataTextCharsMax) {
      invalid('description', 'is too long: the name of the plan is added');
    }
    return {
      ...renewalBody({ ...terms, ...given, description }, body),
      plan: { ...plan },
    };
  };
