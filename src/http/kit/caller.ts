import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { may } from '../../domain/caller.ts';
import type { Caller, Rights } from '../../domain/caller.ts';
import type { Io } from '../../app/ports/io.ts';
import { sleep } from '../../app/ports/wakeup.ts';
import { licenseKeyIn } from '../../domain/license-key.ts';
import { ProblemError, fail } from '../../domain/problems.ts';
import type { OpenSession } from '../../app/callers/sign-in.ts';
import type { Identity } from '../../domain/session.ts';
import { accepts, namesPage } from './accept.ts';
import { sessionCookieOf, sessionIdIn, setReturnPath } from './cookies.ts';
import { csrfHeaderOf, offerCsrfToken, requireCsrfToken } from './csrf.ts';
import type { HttpDeps } from './deps.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { checkCredential } from './guesses.ts';
import type { CallerLimits } from './rate-limits.ts';
import { addressOf } from './rate-limits.ts';
import type { HttpApp } from './request-context.ts';
import { callerOf, readIo, turnOf, isSafeMethod } from './request-context.ts';
import { needByMethod, requirePermission } from './permissions.ts';

/** Other schemes are ignored, because some clients of the reference application send one that has no meaning. */
const BEARER = /^bearer(?: |$)/iu;

/** Returns a program's `Authorization` header if it has a bearer token. Browsers use a session instead. */
export function bearerOf(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  return authorization !== undefined && BEARER.test(authorization) ? authorization : undefined;
}

/**
 * Whether a request has a recently verified credential. Reads raw headers, because this runs before Fastify creates its
 * request.
 */
export const carriesGenuine =
  (app: HttpApp) =>
  ({ headers: { authorization, cookie } }: IncomingMessage): boolean => {
    const session = cookie === undefined ? {} : app.parseCookie(cookie);
    const credential =
      authorization !== undefined && BEARER.test(authorization)
        ? authorization
        : (licenseKeyIn(authorization) ?? session[sessionCookieOf(app)]);
    return credential !== undefined && app.guesses.isGenuine(credential);
  };

/**
 * Returns the limits of a session lookup. Lookups take turns by address, as if the address were a tenant, because the
 * tenant is not known yet and an unknown client can send any cookie.
 */
function sessionIo(reply: FastifyReply, subject: string): Io {
  const { share } = turnOf(reply.request);
  const party = `address ${addressOf(reply.request)}`;
  return { ...readIo(reply), turn: { share, of: { party, subject } } };
}

/** Returns the session that this browser's cookie names, if the session is still valid. */
export async function sessionOf(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OpenSession | null> {
  const id = sessionIdIn(request);
  if (id === undefined) return null;
  return checkCredential(request, reply, 'session', id, () =>
    deps.sessions.find(id, sessionIo(reply, id)),
  );
}

const callerFrom = ({ tenantId, party, roles, permissions, subject, name }: Identity): Caller => ({
  tenantId,
  party,
  roles,
  ...(permissions === undefined ? {} : { permissions }),
  subject,
  name,
  via: 'session',
});

/**
 * Finds the caller. A bearer token takes precedence over a session, because it is sent only deliberately. A session is
 * looked up in the database, so the request counts against a limit before.
 */
async function identify(
  deps: HttpDeps,
  limits: CallerLimits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller | null> {
  const bearer = bearerOf(request);
  if (bearer !== undefined) {
    return checkCredential(request, reply, 'token', bearer, () => deps.authenticate(bearer));
  }
  const isProtected = deps.authMode === 'oauth2';
  if (isProtected) offerCsrfToken(request, reply);
  const id = sessionIdIn(request);
  if (id !== undefined) await limits.countUnseen(request, reply, id);
  const session = await sessionOf(deps, request, reply);
  if (id === undefined || session === null) return null;
  await limits.countFound(request, reply, id, session.identity);
  // No other site can make a browser send a bearer token, so only sessions need CSRF protection.
  if (isProtected && !isSafeMethod(request.method))
    requireCsrfToken(request, csrfHeaderOf(request));
  request.session = session;
  return callerFrom(session.identity);
}

/**
 * Returns those of the open requests that may continue. A request may not continue once its token has expired, or its
 * session or its tenant has ended.
 *
 * @throws when the database cannot be queried
 */
export async function mayStay(
  deps: HttpDeps,
  requests: readonly FastifyRequest[],
  io: Io,
): Promise<ReadonlySet<FastifyRequest>> {
  const sessions = requests.flatMap((request) =>
    bearerOf(request) === undefined ? [sessionIdIn(request) ?? ''] : [],
  );
  const open: ReadonlyMap<string, Rights> =
    sessions.length === 0 ? new Map() : await deps.sessions.stillOpen(sessions, io);
  // A token whose check takes longer is still accepted: a slow issuer must not delay the end of other streams.
  const undecided = sleep(HTTP_LIMITS.eventLookMs, io.signal).then(() => true);
  const staying = await Promise.all(
    requests.map(async (request) => {
      const bearer = bearerOf(request);
      const credential = bearer ?? sessionIdIn(request) ?? '';
      const stays =
        bearer === undefined
          ? hasSameRights(request, open.get(credential))
          : await Promise.race([isGood(deps, request, bearer), undecided]);
      // After a disconnect, a follower may reconnect with this credential, even if others at its address fail.
      if (stays) request.server.guesses.found(credential);
      return stays ? [request] : [];
    }),
  );
  return new Set(staying.flat());
}

/** Whether the caller's present rights still allow the read that the request is making. */
const hasSameRights = (request: FastifyRequest, now: Rights | undefined): boolean =>
  now !== undefined &&
  may(now, 'read') &&
  may(now, 'operate') === may(callerOf(request), 'operate');

/** Whether a token has not been refused. An unreachable issuer or database proves nothing about the token. */
async function isGood(deps: HttpDeps, request: FastifyRequest, bearer: string): Promise<boolean> {
  try {
    const caller = await deps.authenticate(bearer);
    return caller.party === callerOf(request).party && hasSameRights(request, caller);
  } catch (error) {
    return !(error instanceof ProblemError && error.details.code === 'UNAUTHENTICATED');
  }
}

/** Whether a person opens the address in a browser. */
const isNavigation = (request: FastifyRequest): boolean =>
  request.method === 'GET' && namesPage(request.headers.accept);

/**
 * Finds the caller for all routes of the scope, before a body is read. A request without a caller gets `401` with the
 * message of the reference application.
 */
export function requireCaller(app: HttpApp, deps: HttpDeps, limits: CallerLimits): void {
  app.addHook('onRequest', async (request, reply) => {
    request.caller = await identify(deps, limits, request, reply);
    if (request.caller === null) {
      if (isNavigation(request)) setReturnPath(request, reply, request.originalUrl);
      fail('UNAUTHENTICATED', 'Unauthorized');
    }
  });
}

/** Refuses a read whose caller does not accept the route's media type. @throws ProblemError `NOT_ACCEPTABLE` */
export function requireAcceptable(request: FastifyRequest): void {
  const { produces, alsoProduces = [] } = request.routeOptions.config;
  const mayRefuse = produces != null && isSafeMethod(request.method);
  const isTaken = (type: string): boolean => accepts(request.headers.accept, type);
  if (mayRefuse && ![produces, ...alsoProduces].some(isTaken)) {
    fail('NOT_ACCEPTABLE', `the answer is ${produces}, which the Accept header leaves out`);
  }
}

/**
 * Refuses two kinds of requests before a body is read: reads whose caller does not accept the route's media type, and
 * requests whose caller lacks the route's permission. `Accept` never causes a write to be refused, because a server may
 * disregard it (RFC 9110, 12.5.1). The caller's limits are checked first, so that refused requests count.
 */
export function requireRights(app: HttpApp): void {
  needByMethod(app);
  app.addHook('onRequest', async (request) => {
    requireAcceptable(request);
    requirePermission(request);
  });
}
