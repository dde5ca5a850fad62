import type { FastifyRequest } from 'fastify';
import type { IrreversibleAct } from '../../../app/desk/confirm-act.ts';
import { confirmAct, previewAct } from '../../../app/desk/confirm-act.ts';
import { hashOf } from '../../../app/desk/preview-token.ts';
import type { Io } from '../../../app/ports/io.ts';
import type {
  JudgedLicense,
  LicenseActDeps,
  LicenseActRequest,
} from '../../../app/subscriptions/license-acts.ts';
import {
  applyToLicenses,
  countedReasons,
  judgeLicenses,
} from '../../../app/subscriptions/license-acts.ts';
import type { Caller } from '../../../domain/caller.ts';
import type { LifecycleId } from '../../../domain/ids.ts';
import { trusted } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { invalid } from '../../kit/invalid.ts';
import { readListFilters } from '../../kit/list-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { ledgerTimes } from '../lifecycles/lifecycle-reads.ts';
import { LicenseActBody, LicenseActPreviewBody } from './license-act-schemas.ts';

const PREVIEW = `/${LICENSES.path}/preview-bulk`;

const depsOf = (deps: HttpDeps): LicenseActDeps => ({
  ...deps,
  reads: deps.store.reads,
  timeZone: deps.timeZone ?? 'UTC',
});

async function requestIn(
  deps: HttpDeps,
  { party }: Caller,
  { action, planId, filter }: LicenseActPreviewBody,
  io: Io,
): Promise<LicenseActRequest> {
  if ((planId !== undefined) !== (action === 'change-plan')) {
    invalid('planId', 'is to be given with change-plan, and with nothing else');
  }
  const { plan, suspended, search, licenseIds, ...listed } = filter;
  if (search !== undefined && licenseIds !== undefined) {
    invalid('filter.licenseIds', 'is not to be given together with search');
  }
  const { limit: _all, ...read } = readListFilters(listed, 'license', deps.wallClock.nowMs());
  const found = search === undefined ? null : await deps.licenseRecords.search(party, search, io);
  const ids = found?.licenses ?? licenseIds?.map((id) => trusted<LifecycleId>(id));
  return {
    action,
    planId: planId ?? null,
    filter: {
      ...read,
      ...(plan === undefined ? {} : { planId: plan }),
      ...(suspended === undefined ? {} : { isSuspended: suspended }),
      ...(ids === undefined ? {} : { among: { appUsers: found?.parties ?? [], ids } }),
    },
  };
}

const actOf = ({ action, planId, filter }: LicenseActPreviewBody): IrreversibleAct => ({
  act: 'act-on-licenses',
  on: { action, planId: planId ?? null, filter: { ...filter } },
});

/** Returns the licences that match the filter at the ledger's time, as far as that time is known. */
async function judged(deps: HttpDeps, request: FastifyRequest, body: LicenseActPreviewBody) {
  const by = callerOf(request);
  if (!by.roles.has('provider')) fail('FORBIDDEN', 'only the provider acts on many licences');
  const io = lastingIo(request);
  await ledgerTimes(deps, request, io);
  const asked = await requestIn(deps, by, body, io);
  return { by, io, asked, all: await judgeLicenses(depsOf(deps), by.party, asked, io) };
}

const appliesTo = (all: readonly JudgedLicense[]): readonly JudgedLicense[] =>
  all.filter(({ why }) => why === null);

const DOES: Readonly<Record<LicenseActPreviewBody['action'], string>> = {
  offer: 'are offered the next period of their plan',
  expire: 'end, and nothing brings them back',
  suspend: 'are suspended',
  reinstate: 'are no longer suspended',
  'change-plan': 'are offered another plan from their next renewal on',
};

function registerPreview(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', PREVIEW, {
    operationId: 'previewLicenseAct',
    summary: 'Preview a bulk action on all licences that match a filter, as their provider',
    description:
      'Nothing is done. The token is good for one `POST /licenses/bulk` of exactly this.',
    tag: LICENSES.path,
    body: LicenseActPreviewBody,
    reply: { 200: plain('LicenseActPreview', 'How many, and why the others not') },
    problems: [400, 401, 403, 413, 415, 422, 503],
    handle: async (request, reply) => {
      const body = request.body;
      const { by, io, all } = await judged(deps, request, body);
      const mine = appliesTo(all);
      const count = mine.length;
      const { token, expiresInMs } = await previewAct(deps.previews, by, actOf(body), count, io);
      const refused = countedReasons(all.map(({ why }) => why));
      const lines = refused.map((each) => `${each.count} licences are left out: ${each.reason}.`);
      return reply.send({
        count,
        shows: [`${count} licences ${DOES[body.action]}.`, ...lines],
        token,
        expiresAt: new Date(deps.wallClock.nowMs() + expiresInMs).toISOString(),
        refused,
        sample: mine.slice(0, HTTP_LIMITS.licenseSampleSize).map(({ lifecycle, record }) => ({
          licenseId: lifecycle.id,
          reference: record?.reference ?? null,
          expiresAt: lifecycle.expiresAt,
        })),
      });
    },
  });
}

function registerApply(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', `/${LICENSES.path}/bulk`, {
    operationId: 'actOnLicenses',
    summary: 'Do what has been previewed to all licences of a filter, as their provider',
    description:
      'Offers and ends are ordinary operations, which are recorded before the answer. Each licence is judged again when the act reaches it. After an interrupted act, another preview has the licences that are left.',
    tag: LICENSES.path,
    body: LicenseActBody,
    reply: { 200: plain('LicenseActResult', 'The results, and the reasons of refusals') },
    problems: [400, 401, 403, 409, 413, 415, 422, 428, 503],
    handle: async (request, reply) => {
      const body = request.body;
      const { reason, confirmation } = body;
      const { by, io, asked, all } = await judged(deps, request, body);
      const count = appliesTo(all).length;
      if (confirmation !== undefined && confirmation.count !== count) {
        const message = `the act applies to ${count} licences now, not to ${confirmation.count}`;
        fail('COUNT_MISMATCH', message, { extra: { count } });
      }
      await confirmAct(deps.previews, by, actOf(body), confirmation, PREVIEW, io);
      const id = hashOf(confirmation?.token ?? '').slice(0, LIMITS.licenseActIdChars);
      const act = { id, by, reason };
      await deps.licenseRecords.recordAct(id, { ...actOf(body).on, count }, reason, by, io);
      const result = await applyToLicenses(depsOf(deps), asked, act, all, io);
      return reply.send({ id, ...result });
    },
  });
}

/** Registers the routes for acts on many licences. They ask for money or end licences, so they need `policy`. */
export function registerLicenseActs(app: HttpApp, deps: HttpDeps): void {
  registerPreview(app, deps);
  registerApply(app, deps);
}
