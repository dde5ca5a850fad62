import type { FastifyReply } from 'fastify';
import type { PolicyPreview } from '../../../app/desk/change-policy.ts';
import { previewPolicy } from '../../../app/desk/change-policy.ts';
import type { PolicyReach } from '../../../app/ports/policies.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { fail, failVersion } from '../../../domain/problems.ts';
import { PREVIEW_ONLY } from '../../kit/confirmation.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { entityTag } from '../../kit/request-headers.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { one, plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import type { PolicyRoute } from './policy-bodies.ts';
import { UndoBody } from './policy-bodies.ts';

/* The time before a confirmed policy acts: the licences that it would end, the remaining delay, and the undo. */

const TAG = 'policies';

/** Returns a function that names users by their tenant, if there is one, or by the readable part of their party. */
async function userNames(deps: HttpDeps, reply: FastifyReply): Promise<(party: string) => string> {
  const tenants = await deps.tenants.list(readIo(reply));
  const names = new Map<string, string>(tenants.map(({ party, tenantId }) => [party, tenantId]));
  return (party) => names.get(party) ?? party.split('::')[0] ?? party;
}

const firstBody =
  (nameOf: (party: string) => string) =>
  (timer: PolicyReach['first'][number]): JsonRecord => ({
    lifecycleId: timer.lifecycleId,
    contractId: timer.contractId,
    licenseNum: Number(timer.licenseNum ?? 0n),
    user: timer.appUser,
    userName: nameOf(timer.appUser),
    expiresAt: timer.lapsesAt,
    endsAt: timer.endsAt,
    neverRenewed: timer.isNeverRenewed,
  });

const previewBody = (
  { version, ends, first, isConfirmationNeeded, delayMs, token, expiresInMs }: PolicyPreview,
  nameOf: (party: string) => string,
  nowMs: number,
): JsonRecord => ({
  version,
  ends: { ...ends },
  count: ends.ever,
  first: first.map(firstBody(nameOf)),
  isConfirmationNeeded,
  delaySeconds: delayMs / 1_000,
  token,
  expiresAt: new Date(nowMs + expiresInMs).toISOString(),
});

function registerProposal<Policy extends object>(
  app: HttpApp,
  deps: HttpDeps,
  { kind, schema, proposal, read }: PolicyRoute<Policy>,
): void {
  route(app, 'POST', `/policies/${kind.name}/preview`, {
    operationId: `preview${schema}`,
    summary: `How many a proposed ${kind.name} policy can end, and the first of them`,
    description:
      'Nothing is done. The token is good for one PUT of exactly this policy over this version, by the same caller, within minutes.',
    tag: TAG,
    body: proposal,
    reply: { 200: plain('PolicyPreview', 'The licences or renewals that the policy can end') },
    problems: [400, 401, 403, 413, 415, 503],
    harmless: PREVIEW_ONLY,
    handle: async (request, reply) => {
      const policy = read(request.body);
      const found = await previewPolicy(deps, kind, callerOf(request), policy, readIo(reply));
      const nameOf = await userNames(deps, reply);
      const of = kind.name === 'expiry' ? 'licenses' : 'renewals';
      return reply.send({
        kind: kind.name,
        of,
        ...previewBody(found, nameOf, deps.wallClock.nowMs()),
      });
    },
  });
}

function registerPending<Policy extends object>(
  app: HttpApp,
  deps: HttpDeps,
  { kind, schema }: PolicyRoute<Policy>,
): void {
  route(app, 'GET', `/policies/${kind.name}/pending`, {
    operationId: `getPending${schema}`,
    summary: `Whether the ${kind.name} policy still waits before it acts`,
    tag: TAG,
    reply: { 200: plain('PendingPolicy', 'How long') },
    problems: [401, 403, 406, 503],
    handle: async (request, reply) => {
      const found = await deps.policies.pending(kind.name, callerOf(request).party, readIo(reply));
      if (found === null) return reply.send({ isPending: false });
      const { startsInMs, ...rest } = found;
      return reply.send({ isPending: true, ...rest, startsInSeconds: startsInMs / 1_000 });
    },
  });
}

function registerUndo<Policy extends object>(
  app: HttpApp,
  deps: HttpDeps,
  { kind, schema, shown }: PolicyRoute<Policy>,
): void {
  route(app, 'POST', `/policies/${kind.name}/undo`, {
    operationId: `undo${schema}`,
    summary: `Restore the ${kind.name} policy before a confirmed one that does not act yet`,
    description:
      'The policy before is set again, as a new version. Refused once the policy acts, or when another version was set since.',
    tag: TAG,
    body: UndoBody,
    reply: { 200: one(schema, 'The policy as it is now') },
    problems: [400, 401, 403, 409, 412, 413, 415, 503],
    handle: async (request, reply) => {
      const by = callerOf(request);
      const at = new Date(deps.wallClock.nowMs()).toISOString();
      const who = { provider: by.party, bySubject: by.subject, at };
      const asked = { name: kind.name, ...who, ...request.body };
      const { end, version } = await deps.policies.undo(asked, readIo(reply));
      if (end === 'changed') {
        failVersion('policy', version, [request.body.version]);
      }
      if (end === 'over') {
        fail('UNDO_OVER', `version ${version} waits for nothing: set another policy`);
      }
      const { policy } = await kind.get(by, readIo(reply));
      return reply.header('etag', entityTag(version)).send({ ...shown(policy), version });
    },
  });
}

/** Registers the routes that preview a policy of one kind, and that undo it before it acts. */
export function registerPolicyDelay<Policy extends object>(
  app: HttpApp,
  deps: HttpDeps,
  route: PolicyRoute<Policy>,
): void {
  registerProposal(app, deps, route);
  registerPending(app, deps, route);
  registerUndo(app, deps, route);
}
