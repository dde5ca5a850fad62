import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Span, Tracer } from '../../app/ports/tracing.ts';
import { assert } from '../../domain/unreachable.ts';
import { namedRoute, pathOf } from './address.ts';
import type { HttpDeps } from './deps.ts';
import { forwardedOf } from './public-address.ts';
import type { HttpApp } from './request-context.ts';

/** Matches text that may contain a JWT, which has three parts with dots between them. */
const RUN = /[\w.-]+/gu;
/** Matches the beginning of a JWT's first part. */
const HEAD = /\beyJ[\w-]{8}/u;

function runWithoutTokens(run: string): string {
  const parts = run.split('.');
  const kept: string[] = [];
  for (let n = 0; n < parts.length; n += 1) {
    const part = parts[n] ?? '';
    const at = n + 2 < parts.length && parts[n + 1] !== '' ? part.search(HEAD) : -1;
    kept.push(at === -1 ? part : `${part.slice(0, at)}[token]`);
    if (at !== -1) n += 2;
  }
  return kept.join('.');
}

/**
 * Removes JWTs from a text, because any client chooses the addresses that are logged. A single pattern for a whole
 * token would repeatedly rescan texts that only begin like a token.
 */
export const withoutTokens = (text: string): string => text.replaceAll(RUN, runWithoutTokens);

const spans = new WeakMap<IncomingMessage, Span>();

/**
 * Begins the span of a request, as part of the caller's trace.
 *
 * @returns the id of the trace, for the answer's `trace-id` header, problems and log lines
 */
export function beginTrace(tracer: Tracer, request: IncomingMessage): string {
  const given = request.headers['traceparent'];
  const span = tracer.start(request.method ?? 'HTTP', {
    kind: 'server',
    parent: typeof given === 'string' ? given : null,
  });
  spans.set(request, span);
  return span.traceId;
}

/** Returns the parent trace for a change that this request records. */
export function traceparentOfRequest(request: FastifyRequest): string {
  const span = spans.get(request.raw);
  assert(span !== undefined, 'a request has a trace before it has a handler');
  return span.traceparent;
}

/** Returns the route of a request, such as `/licenses/{contractId}/expire`, which has no text that the caller chose. */
export function routeOf(request: FastifyRequest): string | null {
  const { url } = request.routeOptions;
  return request.is404 || url === undefined ? null : namedRoute(url);
}

/** Ends the span of a request that has been answered or whose client has disconnected. */
export function endTrace(request: FastifyRequest, reply: FastifyReply): void {
  const span = spans.get(request.raw);
  if (span === undefined) return;
  const route = routeOf(request);
  if (route !== null) span.rename(`${request.method} ${route}`);
  span.note({
    'http.request.method': request.method,
    'http.response.status_code': reply.statusCode,
    'url.path': withoutTokens(pathOf(request.originalUrl)),
    'url.scheme': forwardedOf(request).protocol,
    ...(route === null ? {} : { 'http.route': route }),
    ...(request.commandId === null ? {} : { 'tenure.command_id': request.commandId }),
    ...(request.problemCode === null ? {} : { 'tenure.problem': request.problemCode }),
  });
  if (reply.statusCode >= 500) span.fail(request.problemCode ?? String(reply.statusCode));
  span.end();
}

/** Measures each request when it has been answered or its client has disconnected. */
export function measureRequests(app: HttpApp, deps: HttpDeps): void {
  const known = new Set(app.supportedMethods);
  app.addHook('onResponse', async (request: FastifyRequest, reply: FastifyReply) => {
    deps.metrics.answered({
      // The value that the OpenTelemetry convention prescribes for an unknown method. The caller's own text would allow
      // an unlimited number of labels.
      method: known.has(request.method) ? request.method : '_OTHER',
      route: routeOf(request) ?? 'unmatched',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
    endTrace(request, reply);
  });
}
