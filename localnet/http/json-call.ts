import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TokenRejected } from '../auth/verify.ts';
import type { TokenVerifier } from '../auth/verify.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantApi } from '../ledger/participant.ts';
import type { Access } from '../ledger/rights.ts';
import type { TraceContext } from '../ledger/submission.ts';
import { Unreadable } from './json-fields.ts';
import { httpStatusOf, internalError, jsonErrorOf } from './json-errors.ts';
import type { FailedCall } from './json-errors.ts';
import { pathOf } from './listener.ts';
import type { Log } from './listener.ts';

/** One call of the JSON API: who asks, and what its errors and log lines are found by. */
export interface JsonCall {
  readonly traceId: string;
  readonly traceContext: TraceContext;
  /** Set on every path that needs a token. */
  access?: Access;
  /** Set once the commands of a submission have been read. */
  submission?: FailedCall['submission'];
}

export interface JsonCallOptions {
  /** What the log calls this listener. */
  readonly surface: 'json' | 'admin';
  readonly participant: ParticipantApi;
  readonly log: Log;
  /**
   * Checks the token of every path that {@link OPEN_PATHS} does not name. Without it no path asks for one.
   */
  readonly verify?: TokenVerifier;
}

/** What probes ask: they have no token. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/v2/version']);
const CALL = 'localnetCall';

/** The call behind a request. */
export const callOf = (request: FastifyRequest): JsonCall => request.getDecorator<JsonCall>(CALL);

/** The rights of the caller; only on listeners that verify tokens. */
export function accessOf(request: FastifyRequest): Access {
  const { access } = callOf(request);
  if (access === undefined) throw new Error(`no token was asked for on ${pathOf(request)}`);
  return access;
}

/**
 * Gives a listener the border of a participant: a call identity, the token check before a byte of the body is read,
 * and errors in the JSON API's shape.
 */
export function atParticipantBorder(app: FastifyInstance, options: JsonCallOptions): void {
  const { surface, participant, log, verify } = options;
  app.decorateRequest(CALL, null);
  app.addHook('onRequest', async (request) => {
    const call: JsonCall = beginCall(request);
    request.setDecorator(CALL, call);
    if (verify !== undefined && !OPEN_PATHS.has(pathOf(request))) {
      call.access = await authenticate(request, verify, participant);
    }
  });
  app.setErrorHandler(async (error, request, reply) => {
    const call = request.getDecorator<JsonCall | null>(CALL) ?? beginCall(request);
    return answerError(error, call, { surface, participant, log, path: pathOf(request) }, reply);
  });
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/;

/** Goes on with the caller's trace, or starts one: an error and the transaction it is about carry the same. */
function beginCall(request: FastifyRequest): JsonCall {
  const { traceparent, tracestate } = request.headers;
  if (typeof traceparent === 'string') {
    const traceId = TRACEPARENT.exec(traceparent)?.[1];
    if (traceId !== undefined) {
      const state = typeof tracestate === 'string' ? { tracestate } : {};
      return { traceId, traceContext: { traceparent, ...state } };
    }
  }
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, traceContext: { traceparent: `00-${traceId}-${spanId}-01` } };
}

/** A call refused for its token, wherever the defect was found; `reason` never leaves the process. */
class TokenProblem extends Error {
  override readonly name = 'TokenProblem';
  readonly refusal: LedgerError;
  constructor(refusal: LedgerError, reason: string) {
    super(reason);
    this.refusal = refusal;
  }
}

async function authenticate(
  request: FastifyRequest,
  verify: TokenVerifier,
  participant: ParticipantApi,
): Promise<Access> {
  try {
    const { userId, identityProviderId } = await verify(request.headers.authorization);
    return participant.access(userId, identityProviderId);
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

function answerError(
  error: unknown,
  call: JsonCall,
  { surface, participant, log, path }: ErrorSite,
  reply: FastifyReply,
): FastifyReply {
  const failed: FailedCall = {
    participant: participant.name,
    traceId: call.traceId,
    submission: call.submission,
    isTokenProblem: error instanceof TokenProblem,
  };
  const line = { surface, participant: participant.name, path, traceId: call.traceId };
  if (error instanceof TokenProblem || error instanceof LedgerError) {
    const refusal = error instanceof TokenProblem ? error.refusal : error;
    log({ ...line, level: 'info', code: refusal.code, reason: error.message });
    return reply.code(httpStatusOf(refusal)).send(jsonErrorOf(refusal, failed));
  }
  const unreadable = unreadableRequest(error);
  if (unreadable !== undefined) {
    const { status, what } = unreadable;
    return reply.code(status).type('text/plain; charset=utf-8').send(what);
  }
  log({ ...line, level: 'error', reason: 'bug', error });
  return reply.code(500).send(internalError(failed));
}

/** A request that could not be read at all is answered in plain text, with the status that the framework found. */
function unreadableRequest(error: unknown): { status: number; what: string } | undefined {
  if (error instanceof Unreadable) return { status: 400, what: error.message };
  const { statusCode } = error as { statusCode?: unknown };
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return undefined;
  return { status: statusCode, what: (error as Error).message };
}
