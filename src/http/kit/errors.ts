import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemDetails } from '../../domain/problems.ts';
import { ProblemError, fail, problem } from '../../domain/problems.ts';
import type { HttpDeps } from './deps.ts';
import { PROBLEM_JSON, problemBody, problemHeaders, toProblem } from './problem.ts';
import type { HttpApp } from './request-context.ts';
import { countRefusal } from './rate-limits.ts';
import { noteRefusal } from './refusals.ts';
import { isGone, placeOf } from './request-context.ts';
import { logGone, loggedError } from './request-log.ts';

/** Adds the received header to the problem of a failed precondition, because a proxy may have changed the header. */
function withTag(details: ProblemDetails, { headers }: FastifyRequest): ProblemDetails {
  const ifMatch = headers['if-match'];
  if (details.status !== 412 || ifMatch === undefined) return details;
  return { ...details, extra: { ...details.extra, ifMatch } };
}

/** Sends the problem for an error of any part of the server. */
export function answerProblem(
  deps: HttpDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (isGone(reply)) {
    logGone(request, reply);
    return reply.hijack();
  }
  const details = toProblem(error, deps, request.routeOptions.bodyLimit);
  request.problemCode = details.code;
  noteRefusal(deps, request, details);
  if (details.status < 500) countRefusal(request);
  if (details.status >= 500) request.log.error({ error: loggedError(error) }, details.code);
  return reply
    .code(details.status)
    .headers(problemHeaders(details))
    .type(PROBLEM_JSON)
    .send(problemBody(withTag(details, request), placeOf(request)));
}

const USED_METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST';

const unknownPath = (request: FastifyRequest): ProblemError =>
  new ProblemError(problem('ROUTE_NOT_FOUND', `there is no ${placeOf(request).instance}`));

/** Makes every failure of a request be answered by `answerProblem`. */
export function answerErrors(app: HttpApp, deps: HttpDeps): void {
  app.setErrorHandler((error, request, reply) => answerProblem(deps, error, request, reply));
  const known = new Set(app.supportedMethods);
  // Refuses the request before its body is read.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    if (known.has(request.method)) throw unknownPath(request);
    void reply.header('allow', USED_METHODS);
    fail('METHOD_NOT_ALLOWED', `${request.method} is not allowed anywhere, only ${USED_METHODS}`);
  });
  app.setNotFoundHandler((request, reply) =>
    answerProblem(deps, unknownPath(request), request, reply),
  );
}
