import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSession } from '../../../app/callers/sign-in.ts';
import { scopeOf } from '../../../app/ports/ops-scope.ts';
import { PERMISSIONS, may } from '../../../domain/caller.ts';
import type { Caller } from '../../../domain/caller.ts';
import { fail } from '../../../domain/problems.ts';
import { offerCsrfToken } from '../../kit/csrf.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, placeOf, readIo } from '../../kit/request-context.ts';
import { problems, listOf, plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';

const TAG = 'callers';

/** Answers 404 for a path that exists only in the other AUTH_MODE. */
export const notInThisMode = (request: FastifyRequest): never =>
  fail('ROUTE_NOT_FOUND', `there is no ${placeOf(request).instance} in this AUTH_MODE`);

/** Registers routes for people who have not signed in yet. */
export function registerWaysIn(app: HttpApp, deps: HttpDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    if (deps.authMode === 'oauth2') offerCsrfToken(request, reply);
  });
  app.get(
    '/feature-flags',
    {
      schema: {
        operationId: 'getFeatureFlags',
        summary: 'How people sign in here',
        tags: [TAG],
        security: [],
        response: { 200: plain('FeatureFlags', 'The mode'), ...problems(400, 429) },
      },
    },
    async (_request: FastifyRequest, reply: FastifyReply) =>
      reply.send({ authMode: deps.authMode }),
  );
  app.get(
    '/login-links',
    {
      schema: {
        operationId: 'listLinks',
        summary: 'Where each tenant’s people sign in',
        description: 'Addresses for a browser to go to. Not in shared-secret mode.',
        tags: [TAG],
        security: [],
        response: {
          200: listOf('LoginLink', 'One for each tenant'),
          ...problems(400, 404, 429, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      if (deps.authMode !== 'oauth2') notInThisMode(request);
      const links = await deps.signIn.links();
      return reply.send(
        links.map(({ tenantId, registrationId }) => ({
          name: tenantId,
          url: `/oauth2/authorization/${encodeURIComponent(registrationId)}`,
        })),
      );
    },
  );
}

const ADMIN = 'ROLE_ADMIN';

/** The names that the reference application has for the caller's roles. Its mode `shared-secret` has different ones. */
function roleNames(caller: Caller, isAdmin: boolean, deps: HttpDeps): readonly string[] {
  if (deps.authMode === 'shared-secret') return [isAdmin ? ADMIN : 'ROLE_USER'];
  return [...(isAdmin ? [ADMIN] : []), caller.tenantId, caller.party];
}

/** Which desk the caller may use: see `OpsScope`. */
function operatorOf(caller: Caller, { hosting }: HttpDeps): 'deployment' | 'tenant' | null {
  if (!may(caller, 'operate')) return null;
  return scopeOf(caller, hosting).of === 'provider' ? 'deployment' : 'tenant';
}

const sessionBody = (session: OpenSession | null) =>
  session && {
    endsAt: new Date(session.endsAtMs).toISOString(),
    idleEndsAt: new Date(session.idleEndsAtMs).toISOString(),
  };

export function registerUser(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', '/user', {
    operationId: 'getAuthenticatedUser',
    summary: 'Read the caller',
    tag: TAG,
    reply: { 200: plain('AuthenticatedUser', 'The caller') },
    problems: [401, 406, 503],
    handle: async (request, reply) => {
      const caller = callerOf(request);
      const tenant = await deps.tenants.byId(caller.tenantId, readIo(reply));
      const isAdmin = caller.roles.has('provider');
      return reply.send({
        name: caller.name,
        subject: caller.subject,
        party: caller.party,
        roles: roleNames(caller, isAdmin, deps),
        isAdmin,
        permissions: PERMISSIONS.filter((permission) => may(caller, permission)),
        tenantId: caller.tenantId,
        operatorOf: operatorOf(caller, deps),
        walletUrl: tenant?.walletUrl ?? null,
        session: sessionBody(request.session),
      });
    },
  });
}
