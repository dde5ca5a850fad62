import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';
import { isSafeMethod } from './request-context.ts';
import { CSRF_COOKIE, csrfTokenOf, sessionIdIn, setCsrfToken } from './cookies.ts';

/*
 * Cross-site request forgery: a browser sends its session cookie also with requests that another site triggers. Only
 * our own pages can read cookie XSRF-TOKEN and repeat its value, in header X-XSRF-TOKEN or form field _csrf. These are
 * the names of the reference application. The value is derived from the session's id, so it is different for each
 * session, stays the same during the session, is not stored, and does not reveal the id.
 */

/** Compares hashes, so that texts of any length are compared in constant time. */
const isSame = (left: string, right: string): boolean =>
  timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));

/** The value that a request must repeat: its session's token or, without a session, the value of its cookie. */
function expectedOf(request: FastifyRequest): string | undefined {
  const id = sessionIdIn(request);
  return id === undefined ? request.cookies[CSRF_COOKIE] : csrfTokenOf(id);
}

/** Sets the token cookie at a browser's first safe request, with or without a caller, before the token is needed. */
export function offerCsrfToken(request: FastifyRequest, reply: FastifyReply): void {
  if (!isSafeMethod(request.method)) return;
  const expected = expectedOf(request) ?? randomBytes(32).toString('base64url');
  if (request.cookies[CSRF_COOKIE] !== expected) setCsrfToken(request, reply, expected);
}

/** Returns the header that scripts send. Forms send the token in the body. */
export function csrfHeaderOf(request: FastifyRequest): string | undefined {
  const given = request.headers['x-xsrf-token'];
  return typeof given === 'string' ? given : undefined;
}

export function hasCsrfToken(request: FastifyRequest, given: string | undefined): boolean {
  const expected = expectedOf(request);
  return given !== undefined && expected !== undefined && isSame(given, expected);
}

/**
 * Refuses a request without the right CSRF token.
 *
 * @throws ProblemError `CSRF_TOKEN_INVALID`, with the message of the reference application
 */
export function requireCsrfToken(request: FastifyRequest, given: string | undefined): void {
  if (!hasCsrfToken(request, given)) fail('CSRF_TOKEN_INVALID', 'Forbidden');
}
