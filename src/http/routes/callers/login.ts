import formBody from '@fastify/formbody';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignInRefusedError } from '../../../app/callers/sign-in.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { fail } from '../../../domain/problems.ts';
import type { Identity } from '../../../domain/session.ts';
import { assert } from '../../../domain/unreachable.ts';
import { bearerOf, sessionOf } from '../../kit/caller.ts';
import {
  clearPendingLogin,
  clearSession,
  csrfTokenOf,
  pendingLoginIn,
  sessionIdIn,
  setCsrfToken,
  setPendingLogin,
  setReturnPath,
  setSession,
  takeReturnPath,
} from '../../kit/cookies.ts';
import { csrfHeaderOf, hasCsrfToken, requireCsrfToken } from '../../kit/csrf.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { checkCredential } from '../../kit/guesses.ts';
import { queryOf } from '../../kit/address.ts';
import { refuseOtherBodies } from '../../kit/json-body.ts';
import { publicOrigin } from '../../kit/public-address.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { OTHERWISE, doneWithoutContent, problems, redirect } from '../../kit/responses.ts';
import { optionalText } from '../../kit/schema.ts';
import { notInThisMode } from './callers.ts';

const TAG = 'login';
const AUTHORIZATION = '/oauth2/authorization/:registrationId';
const CODE = '/login/oauth2/code/:registrationId';

const RegistrationParams = Type.Object({
  registrationId: Type.String({ examples: ['AppProvider', 'AppUser-app-provider-backend-oidc'] }),
});

const RETURN_TO =
  'a path of this origin to go to after the login; it is kept over a login that fails, and anything else is passed over';

const ReturnTo = Type.String({
  description: RETURN_TO,
  examples: ['/ui/licenses?state=active'],
});

const registrationIdOf = (request: FastifyRequest): string =>
  (request.params as { readonly registrationId: string }).registrationId;

const FAILED = '/login?error';

/** Reports a failed login to the person, on the page where the login began, and to the operator, in the log. */
function answerFailed(
  { refusals }: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  why: string,
): FastifyReply {
  refusals?.note({ act: 'sign-in-refused', by: null, object: 'login', reason: why });
  request.log.warn({ why }, 'a login failed');
  return reply.redirect(FAILED, 302);
}

/**
 * Starts a new session under a new id, even if the browser already had a session, so that a session id that another
 * party planted there is worthless.
 */
async function answerSignedIn(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  identity: Identity,
  returnTo: string | undefined,
): Promise<FastifyReply> {
  const io = readIo(reply);
  const id = await deps.sessions.open(identity, io);
  request.server.guesses.found(id);
  const before = sessionIdIn(request);
  if (before !== undefined) await deps.sessions.close(before, io);
  setSession(request, reply, id);
  if (deps.authMode === 'oauth2') setCsrfToken(request, reply, csrfTokenOf(id));
  const { party, subject, tenantId } = identity;
  request.log.info({ party, subject, tenantId }, 'signed in');
  return reply.redirect(takeReturnPath(request, reply, returnTo), 302);
}

const isRefused = (error: unknown): boolean => error instanceof SignInRefusedError;

/** Signs in. A fault of the login ends as a failed login; a fault of this server is answered with a problem. */
async function signIn(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  proved: () => Promise<Identity>,
  returnTo?: string,
): Promise<FastifyReply> {
  try {
    // Concurrent checks are limited by registration, so that a slow authorization server delays no other logins.
    const { registrationId = '' } = request.params as { readonly registrationId?: string };
    const identity = await checkCredential(
      request,
      reply,
      'token',
      null,
      proved,
      isRefused,
      registrationId,
    );
    assert(identity !== null, 'who is refused is told by an error');
    clearPendingLogin(request, reply);
    return await answerSignedIn(deps, request, reply, identity, returnTo);
  } catch (error) {
    // A refusal such as 429 comes before the check of the login, so the browser keeps the login and its unused code.
    if (!(error instanceof SignInRefusedError)) throw error;
    clearPendingLogin(request, reply);
    if (returnTo !== undefined) setReturnPath(request, reply, returnTo);
    return answerFailed(deps, request, reply, error.message);
  }
}

function registerAuthorization(app: HttpApp, deps: HttpDeps): void {
  app.get(
    AUTHORIZATION,
    {
      schema: {
        operationId: 'beginLogin',
        summary: 'Sends a browser to the tenant’s login page',
        tags: [TAG],
        security: [],
        params: RegistrationParams,
        querystring: Type.Object({ returnTo: Type.Optional(ReturnTo) }),
        response: {
          302: redirect('To the authorization server'),
          ...problems(400, 404, 429, 503),
          default: OTHERWISE,
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      if (deps.authMode !== 'oauth2') notInThisMode(request);
      const id = registrationIdOf(request);
      const backTo = `${publicOrigin(request)}/login/oauth2/code/${encodeURIComponent(id)}`;
      const begun = await deps.signIn.begin(id, backTo);
      if (begun === null) return fail('ROUTE_NOT_FOUND', `no login is registered as ${id}`);
      setPendingLogin(request, reply, begun.pending);
      const { returnTo } = request.query as { readonly returnTo?: unknown };
      if (typeof returnTo === 'string') setReturnPath(request, reply, returnTo);
      return reply.redirect(begun.url, 302);
    },
  );
}

function registerCode(app: HttpApp, deps: HttpDeps): void {
  app.get(
    CODE,
    {
      schema: {
        operationId: 'endLogin',
        summary: 'Where the login page sends the browser back to',
        tags: [TAG],
        security: [],
        params: RegistrationParams,
        // Authorization servers add parameters, which a client must ignore (RFC 6749, 4.1.2).
        querystring: Type.Object({
          code: optionalText(),
          state: optionalText(),
        }),
        response: {
          302: redirect('To where the login was to return, or / ; to /login?error when it failed'),
          ...problems(404, 429, 503),
          default: OTHERWISE,
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      if (deps.authMode !== 'oauth2') notInThisMode(request);
      const pending = pendingLoginIn(request);
      const { state } = request.query as { readonly state?: unknown };
      const isAwaited =
        pending?.registrationId === registrationIdOf(request) && pending.state === state;
      // An unexpected login must not end the login that this browser began.
      if (!isAwaited)
        return answerFailed(deps, request, reply, 'this browser awaits no such login');
      return signIn(deps, request, reply, () => deps.signIn.finish(pending, queryOf(request)));
    },
  );
}

const fieldOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
};

/** The page of the reference application uses the second address, which its proxy rewrites to the first. */
const FORMS = [
  { url: '/login', operationId: 'signIn' },
  { url: '/login/shared-secret', operationId: 'signInByPath' },
] as const;

function registerForm(app: HttpApp, deps: HttpDeps): void {
  for (const { url, operationId } of FORMS) {
    app.post(
      url,
      {
        bodyLimit: HTTP_LIMITS.formBytesMax,
        config: { harmless: 'each login has a session of its own' },
        // In the other AUTH_MODE, this refuses the form before Fastify reads its body, but after the rate limit.
        preParsing: async (request: FastifyRequest) => {
          if (deps.authMode !== 'shared-secret') notInThisMode(request);
        },
        schema: {
          operationId,
          summary: 'Signs in by name alone, in shared-secret mode',
          description: `The body is a form with field username, and with field returnTo: ${RETURN_TO}.`,
          tags: [TAG],
          security: [],
          response: {
            302: redirect(
              'To where the login was to return, or / ; to /login?error when it failed',
            ),
            ...problems(404, 413, 415, 429, 503),
            default: OTHERWISE,
          },
        },
      },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const username = fieldOf(request, 'username') ?? '';
        const proved = () => deps.signIn.byName(username);
        return signIn(deps, request, reply, proved, fieldOf(request, 'returnTo'));
      },
    );
  }
}

/**
 * Checks the CSRF token, so that another site cannot sign a user out. Like the reference application, this checks even
 * without a session.
 */
function requireLogoutToken(request: FastifyRequest, identity: Identity | null): void {
  const given = csrfHeaderOf(request) ?? fieldOf(request, '_csrf');
  if (identity !== null) requireCsrfToken(request, given);
  else if (!hasCsrfToken(request, given)) fail('UNAUTHENTICATED', 'Unauthorized');
}

/**
 * Whether a page's script makes the call. A script can follow a redirect to another site only with that site's consent,
 * which most authorization servers do not give. Only browsers send `sec-fetch-dest`, which names the destination of an
 * answer.
 */
const isScript = (request: FastifyRequest): boolean =>
  request.headers['sec-fetch-dest'] === 'empty';

function registerLogout(app: HttpApp, deps: HttpDeps): void {
  app.post(
    '/logout',
    {
      bodyLimit: HTTP_LIMITS.formBytesMax,
      config: { harmless: 'who is signed out stays signed out' },
      schema: {
        operationId: 'logout',
        summary: 'Ends the session, here and at the authorization server',
        description:
          'A browser is sent to the authorization server’s own logout. A script of a page (Sec-Fetch-Dest: empty) ' +
          'is answered 204, and Tenure tells the authorization server.',
        tags: [TAG],
        security: [{ session: [] }],
        response: {
          204: doneWithoutContent('Signed out, for a script'),
          302: redirect('To the authorization server’s logout, or /'),
          ...problems(401, 403, 413, 415, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const identity = (await sessionOf(deps, request, reply))?.identity ?? null;
      const needsToken = deps.authMode === 'oauth2' && bearerOf(request) === undefined;
      if (needsToken) requireLogoutToken(request, identity);
      const id = sessionIdIn(request);
      if (identity !== null && id !== undefined) await deps.sessions.close(id, readIo(reply));
      clearSession(request, reply);
      if (isScript(request)) {
        if (identity !== null) await deps.signIn.endThere(identity);
        return reply.code(204).send();
      }
      const endUrl = identity === null ? null : await deps.signIn.endUrl(identity);
      return reply.redirect(endUrl ?? '/', 302);
    },
  );
}

/** Registers the routes for signing in and out. Bodies are limited to small forms, because anyone may send them. */
export async function registerLogin(app: HttpApp, deps: HttpDeps): Promise<void> {
  await app.register(formBody, { bodyLimit: HTTP_LIMITS.formBytesMax });
  refuseOtherBodies(app, 'a form');
  registerAuthorization(app, deps);
  registerCode(app, deps);
  registerForm(app, deps);
  registerLogout(app, deps);
}
