import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Span, Tracer } from '../../app/ports/tracing.ts';
import { assert } from '../../domain/unreachable.ts';
import { namedRoute, pathOf } from './address.ts';

/** The three parts of a JWT, wherever one may have got into. */
const TOKEN = /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/gu;

export const withoutTokens = (text: string): string => text.replaceAll(TOKEN, '[token]');

const spans = new WeakMap<IncomingMessage, Span>();

/**
 * Begins the span of a request, which continues its caller's trace.
 *
 * @returns the id of the trace: it is in the answer's `trace-id` header, in problems and in every log line
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

/** What a change that this request records continues. */
export function traceparentOfRequest(request: FastifyRequest): string {
  const span = spans.get(request.raw);
  assert(span !== undefined, 'a request has a trace before it has a handler');
  return span.traceparent;
}

/** The address of a request without what a caller makes up: `/licenses/{contractId}:expire`. */
export function routeOf(request: FastifyRequest): string | null {
  const { url } = request.routeOptions;
  return request.is404 || url === undefined ? null : namedRoute(url);
}

/** Ends the span of a request that has been answered, or given up. */
export function endTrace(request: FastifyRequest, reply: FastifyReply): void {
  const span = spans.get(request.raw);
  if (span === undefined) return;
  const route = routeOf(request);
  if (route !== null) span.rename(`${request.method} ${route}`);
  span.note({
    'http.request.method': request.method,
    'http.response.status_code': reply.statusCode,
    'url.path': withoutTokens(pathOf(request.originalUrl)),
    'url.scheme': request.protocol,
    ...(route === null ? {} : { 'http.route': route }),
    ...(request.commandId === null ? {} : { 'tenure.command_id': request.commandId }),
    ...(request.problemCode === null ? {} : { 'tenure.problem': request.problemCode }),
  });
  if (reply.statusCode >= 500) span.fail(request.problemCode ?? String(reply.statusCode));
  span.end();
}
