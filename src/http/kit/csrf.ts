import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';
import { isSafeMethod } from './request-context.ts';
import { CSRF_COOKIE, csrfTokenOf, sessionIdIn, setCsrfToken } from './cookies.ts';

/*
 * Cross-site request forgery: a browser sends its session cookie with whatever another site makes it send. Only our
 * own pages can read cookie XSRF-TOKEN and send its value again, in header X-XSRF-TOKEN or form field _csrf: the
 * reference's names. The value follows from the session's id, so that it is the session's alone, stays the same for
 * as long as that, needs no place of its own, and tells nothing of the id.
 */

/** Compares hashes: texts of any length, in a time that tells nothing. */
const isSame = (left: string, right: string): boolean =>
  timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));

/** What a request has to repeat: its session's token; without a session, whatever its cookie says. */
function expectedOf(request: FastifyRequest): string | undefined {
  const id = sessionIdIn(request);
  return id === undefined ? request.cookies[CSRF_COOKIE] : csrfTokenOf(id);
}

/** Lets a browser have its token before it needs it: with the first safe request, whoever asks. */
export function offerCsrfToken(request: FastifyRequest, reply: FastifyReply): void {
  if (!isSafeMethod(request.method)) return;
  const expected = expectedOf(request) ?? randomBytes(32).toString('base64url');
  if (request.cookies[CSRF_COOKIE] !== expected) setCsrfToken(request, reply, expected);
}

/** What a script sends; forms send theirs in the body. */
export function csrfHeaderOf(request: FastifyRequest): string | undefined {
  const given = request.headers['x-xsrf-token'];
  return typeof given === 'string' ? given : undefined;
}

export function hasCsrfToken(request: FastifyRequest, given: string | undefined): boolean {
  const expected = expectedOf(request);
  return given !== undefined && expected !== undefined && isSame(given, expected);
}

/** @throws ProblemError `CSRF_TOKEN_INVALID`, in the reference's word */
export function requireCsrfToken(request: FastifyRequest, given: string | undefined): void {
  if (!hasCsrfToken(request, given)) fail('CSRF_TOKEN_INVALID', 'Forbidden');
}
