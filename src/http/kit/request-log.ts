import { LogController } from 'fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WEB_ROUTE, pathOf } from './address.ts';
import { withoutTokens } from './trace.ts';

/** Paths whose requests are not logged, because the orchestrator calls them every few seconds. */
const QUIET: ReadonlySet<string> = new Set(['/livez', '/api/livez']);

/** Returns the part of an error that a log line shows, without text that looks like a token. */
export function loggedError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: withoutTokens(String(error)) };
  return {
    type: error.name,
    message: withoutTokens(error.message),
    stack: withoutTokens(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: loggedError(error.cause) }),
  };
}

/**
 * Returns the path that the log shows. All files of the web application share one path, because they are many; an
 * answer with an error status shows its own path.
 */
const loggedPath = (request: FastifyRequest, reply: FastifyReply): string =>
  request.routeOptions.url === WEB_ROUTE && reply.statusCode < 400
    ? WEB_ROUTE
    : withoutTokens(pathOf(request.originalUrl));

/** The log line of one request: the request, its caller and the status, but no headers and no query. */
const requestLine = (request: FastifyRequest, reply: FastifyReply) => ({
  method: request.method,
  path: loggedPath(request, reply),
  status: reply.statusCode,
  ms: Math.round(reply.elapsedTime * 10) / 10,
  ...(request.caller === null
    ? {}
    : { party: request.caller.party, subject: request.caller.subject }),
  ...(request.commandId === null ? {} : { commandId: request.commandId }),
  ...(request.problemCode === null ? {} : { code: request.problemCode }),
});

/** Logs a client that disconnected before its answer. */
export function logGone(request: FastifyRequest, reply: FastifyReply): void {
  const { status: _none, ...line } = requestLine(request, reply);
  request.log.info(line, 'the client went away');
}

/** Logs each request in one line, when it has been answered or its client has disconnected. */
export class OneLinePerRequest extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'trace-id' });
  }

  override isLogDisabled(request: FastifyRequest): boolean {
    return QUIET.has(pathOf(request.originalUrl));
  }

  override incomingRequest(): void {}
  override routeNotFound(): void {}
  override defaultErrorLog(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (this.isLogDisabled(request)) return;
    if (error != null) this.streamError(error, request, reply);
    else if (reply.statusCode >= 500) reply.log.error(requestLine(request, reply), 'answered');
    else reply.log.info(requestLine(request, reply), 'answered');
  }

  /** Logs an answer that was interrupted by the client or by the server. */
  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    // Followers always disconnect in the middle of an answer.
    if (request.routeOptions.config.produces === 'text/event-stream') {
      reply.log.info(requestLine(request, reply), 'the follower went away');
      return;
    }
    reply.log.warn({ ...requestLine(request, reply), error: loggedError(error) }, 'broke off');
  }
}
