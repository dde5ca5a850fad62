import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServerError, Status as GrpcStatus } from 'nice-grpc';
import { TokenRejected } from '../auth/verify.ts';
import type { TokenVerifier, VerifiedToken } from '../auth/verify.ts';
import { withDarDefect } from '../lf/errors.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantApi } from '../ledger/participant.ts';
import type { Access } from '../ledger/rights.ts';
import type { TraceContext } from '../ledger/submission.ts';
import { UnexpectedJson } from './json/daml-values.ts';
import { Unreadable } from './json/unreadable.ts';
import {
  bareStatusError,
  httpStatusOf,
  httpStatusOfGrpc,
  internalError,
  jsonErrorOf,
  unexpectedJsonError,
} from './json-errors.ts';
import type { FailedCall, JsonError } from './json-errors.ts';
import { pathOf } from '../listener.ts';
import type { Log } from '../log.ts';

/** One call of the JSON API: the caller, and the IDs for errors and log lines. */
export interface JsonCall {
  readonly traceId: string;
  readonly traceContext: TraceContext;
  /** Set on every path that needs a token. */
  access?: Access;
  /** The call's token. Streams of the call end when it expires. */
  token: VerifiedToken;
  /** Set once the commands of a submission have been read. */
  submission?: FailedCall['submission'];
}

export interface JsonCallOptions {
  /** The listener's name in the log. */
  readonly surface: 'json' | 'admin';
  readonly participant: ParticipantApi;
  readonly log: Log;
  /** Verifies the token of every request whose path is not in {@link OPEN_PATHS}. If absent, no path needs a token. */
  readonly verify?: TokenVerifier;
}

/** The paths of probes, which need no token. */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  '/livez',
  '/readyz',
  '/v2/version',
  '/docs/openapi',
  '/docs/asyncapi',
]);
const NO_TOKEN: VerifiedToken = { userId: '', expiresAtMs: Infinity };
const CALL = 'localnetCall';

/** Returns the call to which a request belongs. */
export const callOf = (request: FastifyRequest): JsonCall => request.getDecorator<JsonCall>(CALL);

/**
 * Adds to a listener what all calls of a participant have in common: a call identity, the check of the token before the
 * body is read, and errors in the JSON API's format.
 */
export function atParticipantBorder(app: FastifyInstance, options: JsonCallOptions): void {
  const { surface, participant, log, verify } = options;
  app.decorateRequest(CALL, null);
  app.addHook('onRequest', async (request) => {
    const call: JsonCall = beginCall(request);
    request.setDecorator(CALL, call);
    if (verify !== undefined && !OPEN_PATHS.has(pathOf(request)) && !request.is404) {
      await authenticate(call, request.headers.authorization, { verify, participant });
    }
  });
  app.setErrorHandler(async (error, request, reply) => {
    const call = request.getDecorator<JsonCall | null>(CALL) ?? beginCall(request);
    return answerError(error, call, { surface, participant, log, path: pathOf(request) }, reply);
  });
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/;

/** Continues the caller's trace or starts a new one. A transaction and the errors of its call have the same trace. */
export function beginCall({ headers }: { readonly headers: IncomingHttpHeaders }): JsonCall {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent === 'string') {
    const traceId = TRACEPARENT.exec(traceparent)?.[1];
    if (traceId !== undefined) {
      const state = typeof tracestate === 'string' ? { tracestate } : {};
      return { traceId, traceContext: { traceparent, ...state }, token: NO_TOKEN };
    }
  }
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, traceContext: { traceparent: `00-${traceId}-${spanId}-01` }, token: NO_TOKEN };
}

/** Thrown if a call is refused because of its token. `reason` is logged, and never sent to the caller. */
class TokenProblem extends Error {
  override readonly name = 'TokenProblem';
  readonly refusal: LedgerError;
  constructor(refusal: LedgerError, reason: string) {
    super(reason);
    this.refusal = refusal;
  }
}

/** Verifies a token and reads its user's rights. Throws the refusal that the caller gets. */
export async function authenticate(
  call: JsonCall,
  authorization: string | undefined,
  { verify, participant }: Required<Pick<JsonCallOptions, 'verify' | 'participant'>>,
): Promise<void> {
  try {
    call.token = await verify(authorization);
    const { userId, identityProviderId } = call.token;
    call.access = participant.access(userId, identityProviderId);
  } catch (error) {
    if (error instanceof TokenRejected) {
      const reason = `${error.defect}: ${error.message}`;
      throw new TokenProblem(new LedgerError('UNAUTHENTICATED', reason), reason);
    }
    if (error instanceof LedgerError) throw new TokenProblem(error, error.message);
    throw error;
  }
}

interface ErrorSite {
  readonly surface: string;
  readonly participant: ParticipantApi;
  readonly log: Log;
  readonly path: string;
}

/** The answer to a failed call: JSON, or text if the request could not be read at all. */
export interface FailureAnswer {
  readonly status: number;
  readonly body: JsonError | string;
}

/** Creates the answer of a failed call, and logs the reason. */
export function failureOf(error: unknown, call: JsonCall, site: ErrorSite): FailureAnswer {
  const { surface, participant, log, path } = site;
  const failed: FailedCall = {
    participant: participant.name,
    traceId: call.traceId,
    submission: call.submission,
    isTokenProblem: error instanceof TokenProblem,
  };
  const line = { surface, participant: participant.name, path, traceId: call.traceId };
  if (error instanceof TokenProblem || error instanceof LedgerError) {
    const refusal = error instanceof TokenProblem ? error.refusal : error;
    const reason = error instanceof TokenProblem ? error.message : withDarDefect(error);
    log({ ...line, level: 'info', code: refusal.code, reason });
    return { status: httpStatusOf(refusal), body: jsonErrorOf(refusal, failed) };
  }
  if (error instanceof UnexpectedJson) {
    log({ ...line, level: 'info', code: 'LEDGER_API_INTERNAL_ERROR', reason: error.message });
    return { status: 500, body: unexpectedJsonError(error.message, failed) };
  }
  if (error instanceof ServerError) {
    log({ ...line, level: 'info', code: GrpcStatus[error.code], reason: error.details });
    return { status: httpStatusOfGrpc(error.code), body: bareStatusError(error) };
  }
  const unreadable = unreadableRequest(error);
  if (unreadable !== undefined) return unreadable;
  log({ ...line, level: 'error', reason: 'bug', error });
  return { status: 500, body: internalError(failed) };
}

function answerError(
  error: unknown,
  call: JsonCall,
  site: ErrorSite,
  reply: FastifyReply,
): FastifyReply {
  const { status, body } = failureOf(error, call, site);
  if (typeof body === 'string') void reply.type('text/plain; charset=utf-8');
  return reply.code(status).send(body);
}

/** Returns the answer to an unreadable request: plain text, with the web framework's status. */
function unreadableRequest(error: unknown): FailureAnswer | undefined {
  if (error instanceof Unreadable) return { status: 400, body: error.message };
  const { statusCode } = error as { statusCode?: unknown };
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return undefined;
  return { status: statusCode, body: (error as Error).message };
}
