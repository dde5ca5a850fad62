import { createHmac } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isJsonRecord, textAt } from '../../domain/json.ts';
import type { Json } from '../../domain/json.ts';
import { HTTP_LIMITS } from '../limits.ts';
import type { PendingLogin } from '../../domain/session.ts';
import { isSecure } from './public-address.ts';

/** The first two names are those of the reference application. */
const SESSION = 'JSESSIONID';
export const CSRF_COOKIE = 'XSRF-TOKEN';
const PENDING_LOGIN = 'TENURE_LOGIN';
const RETURN_PATH = 'TENURE_RETURN';

/** `Lax`: browsers send the cookies on the return from the login page, but not with requests that other sites cause. */
const attributes = (request: FastifyRequest, more: CookieSerializeOptions = {}) => {
  const secure = request.server.hostCookies || isSecure(request);
  return { path: '/', httpOnly: true, sameSite: 'lax', secure, ...more } as const;
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether cookie names begin with `__Host-` and cookies are `Secure` even if no proxy reports https. */
    readonly hostCookies: boolean;
  }
}

/**
 * The name of a cookie that only Tenure reads. Browsers accept a `__Host-` cookie only from this host over TLS, so no
 * other host can plant its own session or login.
 */
const named = (server: Pick<FastifyInstance, 'hostCookies'>, name: string): string =>
  server.hostCookies ? `__Host-${name}` : name;

export const sessionCookieOf = (server: Pick<FastifyInstance, 'hostCookies'>): string =>
  named(server, SESSION);

const readable = { httpOnly: false } as const;
const shortLived = { maxAge: HTTP_LIMITS.loginMs / 1_000 } as const;

export const sessionIdIn = (request: FastifyRequest): string | undefined =>
  request.cookies[sessionCookieOf(request.server)];

/** Returns the CSRF token of a session. It is derived from the session's id: see `csrf.ts`. */
export const csrfTokenOf = (sessionId: string): string =>
  createHmac('sha256', sessionId).update('csrf').digest('base64url');

export function setCsrfToken(request: FastifyRequest, reply: FastifyReply, token: string): void {
  void reply.setCookie(CSRF_COOKIE, token, attributes(request, readable));
}

export function setSession(request: FastifyRequest, reply: FastifyReply, id: string): void {
  void reply.setCookie(sessionCookieOf(request.server), id, attributes(request));
}

export function clearSession(request: FastifyRequest, reply: FastifyReply): void {
  void reply.clearCookie(sessionCookieOf(request.server), attributes(request));
  void reply.clearCookie(CSRF_COOKIE, attributes(request, readable));
}

/**
 * Stores the state of a login in the browser that began it. So unknown clients cannot fill Tenure's memory with logins,
 * and any process can complete a login. The state has no secret that the browser must not see.
 */
export function setPendingLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  pending: PendingLogin,
): void {
  const value = Buffer.from(JSON.stringify(pending)).toString('base64url');
  void reply.setCookie(
    named(request.server, PENDING_LOGIN),
    value,
    attributes(request, shortLived),
  );
}

export function clearPendingLogin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.cookies[named(request.server, PENDING_LOGIN)] !== undefined)
    void reply.clearCookie(named(request.server, PENDING_LOGIN), attributes(request));
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** Returns `null` without a pending login, or if Tenure did not set the cookie. */
export function pendingLoginIn(request: FastifyRequest): PendingLogin | null {
  const value = request.cookies[named(request.server, PENDING_LOGIN)];
  if (value === undefined) return null;
  const found = parsed(Buffer.from(value, 'base64url').toString());
  if (!isJsonRecord(found)) return null;
  const [registrationId, redirectUri, state, nonce, codeVerifier] = [
    'registrationId',
    'redirectUri',
    'state',
    'nonce',
    'codeVerifier',
  ].map((name) => textAt(found, name));
  if (registrationId === undefined || redirectUri === undefined || state === undefined) return null;
  if (nonce === undefined || codeVerifier === undefined) return null;
  return { registrationId, redirectUri, state, nonce, codeVerifier };
}

/** A path of this server, in a form that no browser reads as another host. */
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/u;
export const isOwnPath = (path: string): boolean =>
  path.length <= HTTP_LIMITS.returnPathCharsMax && PATH.test(path);

/** Stores where a browser goes after a login, even a failed one. Ignores anything but a path of this server. */
export function setReturnPath(request: FastifyRequest, reply: FastifyReply, path: string): void {
  if (isOwnPath(path))
    void reply.setCookie(named(request.server, RETURN_PATH), path, attributes(request, shortLived));
}

/**
 * Removes the stored destination and returns where to go after a login: `asked`, else the stored destination, else `/`.
 *
 * @param asked the destination that the login names; ignored unless it is a path of this server
 */
export function takeReturnPath(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: string | undefined,
): string {
  const kept = request.cookies[named(request.server, RETURN_PATH)];
  if (kept !== undefined)
    void reply.clearCookie(named(request.server, RETURN_PATH), attributes(request));
  return [asked, kept].find((path) => path !== undefined && isOwnPath(path)) ?? '/';
}
