import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawServerDefault,
} from 'fastify';
import type { OpenSession } from '../../app/callers/sign-in.ts';
import type { Io, Turn } from '../../app/ports/io.ts';
import type { Caller, Permission } from '../../domain/caller.ts';
import type { CommandId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { TenantCaller } from '../../domain/turns.ts';
import { assert } from '../../domain/unreachable.ts';
import { pathOf } from './address.ts';
import type { ProblemPlace } from './problem.ts';
import { prefixOf } from './public-address.ts';
import type { HeldRoom } from './tenant-limits.ts';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

export const isSafeMethod = (method: string): boolean => SAFE.has(method);

/** The server's type, as routes use it. */
export type HttpApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The media type of a successful answer; `null` if the answer has no content. Absent: `Accept` is not checked. */
    readonly produces?:
      | 'application/json'
      | 'application/jose'
      | 'text/plain'
      | 'text/event-stream'
      | null;
    /** Other media types that a caller may request by name. */
    readonly alsoProduces?: readonly ('text/csv' | 'text/html')[];
    /** The permission that a caller needs. Absent on routes without a caller. */
    readonly needs?: Permission;
    /** Why repeating a `POST` is harmless, so that its `Idempotency-Key` is ignored. Shown in the OpenAPI document. */
    readonly harmless?: string;
  }
  interface FastifySchema {
    /** For the OpenAPI document, because its generator marks every body as required. */
    readonly 'x-body-required'?: boolean;
  }
  interface FastifyRequest {
    /** The caller, set before everything else on routes that need a token. */
    caller: Caller | null;
    /** The holder of the request's session or licence key; set once the request has counted against its limits. */
    holder: TenantCaller | null;
    /** The caller's session, if the caller has one. */
    session: OpenSession | null;
    /** Set once the command ID has been read; used in problems and the log. */
    commandId: CommandId | null;
    /** A digest of the caller and its `Idempotency-Key`; set if the answer will be kept. */
    keyed: Buffer | null;
    /** The code of the problem that was sent, for the log. */
    problemCode: string | null;
    /** Set before a body is read, on routes that limit the size of bodies. */
    bodyRoom: HeldRoom | null;
    /**
     * Waits until a large body may be parsed, and returns a function to call afterwards. `null` if the process's time
     * is not limited.
     */
    bodyTurn: (() => Promise<() => void>) | null;
    /** Called when the read no longer uses the process's time. */
    leaveReadTime: (() => void) | null;
  }
}

export function decorateRequests(app: HttpApp): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('holder', null);
  app.decorateRequest('session', null);
  app.decorateRequest('commandId', null);
  app.decorateRequest('keyed', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('bodyRoom', null);
  app.decorateRequest('bodyTurn', null);
  app.decorateRequest('leaveReadTime', null);
}

export function callerOf(request: FastifyRequest): Caller {
  assert(request.caller !== null, 'a route that needs a caller asks for a token');
  return request.caller;
}

/** Returns the tenant and the subject against whose limits a request counts. */
export const payerOf = (request: FastifyRequest): TenantCaller =>
  request.holder ?? callerOf(request);

/** Returns the place of a problem. `request.id` is the trace id. */
export const placeOf = (request: FastifyRequest): ProblemPlace => ({
  instance: pathOf(request.originalUrl),
  prefix: prefixOf(request),
  traceId: request.id,
  commandId: request.commandId,
});

/**
 * Returns a signal that is aborted if the client disconnects before its answer. Fastify's own `request.signal` is not
 * used, because it is aborted as soon as the request's body has been read.
 */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (isGone(reply)) gone.abort();
  });
  return gone.signal;
}

/** Whether the client disconnected before its answer, so that no answer can be sent. */
export const isGone = (reply: FastifyReply): boolean =>
  reply.raw.destroyed && !reply.raw.writableFinished;

/** The caller in whose name all requests of unknown callers wait for a database connection. */
const UNKNOWN = { party: '', subject: '' };

/** The pool of database connections that a request uses, and the caller whose turn in that pool's queue it takes. */
export const turnOf = ({ method, caller, holder }: FastifyRequest): Turn => ({
  share: isSafeMethod(method) ? 'reads' : 'writes',
  of: caller ?? holder ?? UNKNOWN,
});

/** The limits of a read, which ends when the client disconnects, unless its answer will be kept. */
export const readIo = (reply: FastifyReply): Io =>
  reply.request.keyed === null
    ? {
        signal: goneSignal(reply),
        deadlineMs: LIMITS.databaseStatementMs,
        turn: turnOf(reply.request),
      }
    : lastingIo(reply.request);

/** The limits of work that continues if the client disconnects: a write, or a read that other requests share. */
export const lastingIo = (request: FastifyRequest): Io => ({
  signal: new AbortController().signal,
  deadlineMs: LIMITS.databaseStatementMs,
  turn: turnOf(request),
});
