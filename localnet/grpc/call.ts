import { ServerError } from 'nice-grpc';
import type { CallContext, ServerMiddleware, ServerMiddlewareCall } from 'nice-grpc';
import { Status as StatusMessage } from '../../proto/gen/google/rpc/status.ts';
import { TokenRejected } from '../auth/verify.ts';
import type { TokenVerifier, VerifiedToken } from '../auth/verify.ts';
import type { FaultCall, FaultPlan } from '../faults.ts';
import type { Log } from '../http/listener.ts';
import { newTraceparent } from '../ledger/entropy.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import { rightKey } from '../ledger/rights.ts';
import type { Access } from '../ledger/rights.ts';
import type { TraceContext } from '../ledger/submission.ts';
import { grpcStatusOf, wireStatus } from './errors.ts';

/** What every service method is given beside its request. */
export interface Call {
  readonly access: Access;
  /** The caller's trace, or a new one. */
  readonly traceContext: TraceContext;
  /** Aborts when the caller is gone, and for streams when the server stops. */
  readonly stop: AbortSignal;
  /** Throws what a stream must end with once `stop` has aborted. */
  readonly endOfStream: () => Error;
  /** Errors that a submission ends with name it. */
  submissionId?: string;
}

export interface CallOptions {
  readonly participant: ParticipantNode;
  readonly verify: TokenVerifier;
  readonly faults: FaultPlan;
  readonly log: Log;
  /** Aborts when the server stops. */
  readonly closing: AbortSignal;
  /** Wall time in milliseconds: tokens live in it. */
  readonly nowMs: () => number;
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/;
const DETAILS = 'grpc-status-details-bin';

function traceOf(context: CallContext): TraceContext {
  const traceparent = context.metadata.get('traceparent');
  if (traceparent !== undefined && TRACEPARENT.test(traceparent)) {
    const tracestate = context.metadata.get('tracestate');
    return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) };
  }
  return { traceparent: newTraceparent() };
}

const traceIdOf = ({ traceparent }: TraceContext): string =>
  TRACEPARENT.exec(traceparent)?.[1] ?? '';

/** Keeps a stream from outliving what allowed it. */
class StreamGuard {
  readonly #options: CallOptions;
  readonly #token: VerifiedToken;
  readonly #rights: string;
  #usersVersion: number;

  constructor(options: CallOptions, token: VerifiedToken) {
    this.#options = options;
    this.#token = token;
    this.#usersVersion = options.participant.state.usersVersion;
    this.#rights = this.#currentRights();
  }

  /** Before each element: ACCESS_TOKEN_EXPIRED, or STALE_STREAM_AUTHORIZATION when the user's rights have changed. */
  check(): void {
    const { nowMs, participant } = this.#options;
    if (nowMs() >= this.#token.expiresAtMs) {
      throw new LedgerError('ACCESS_TOKEN_EXPIRED', 'Claims were valid until their token expired');
    }
    const { usersVersion } = participant.state;
    if (usersVersion === this.#usersVersion) return;
    this.#usersVersion = usersVersion;
    if (this.#currentRights() === this.#rights) return;
    throw new LedgerError(
      'STALE_STREAM_AUTHORIZATION',
      'Stale stream authorization. Retry quickly.',
    );
  }

  #currentRights(): string {
    const entry = this.#options.participant.state.users.get(this.#token.userId);
    if (entry === undefined || entry.user.isDeactivated) return 'none';
    return entry.rights.map(rightKey).sort().join('\n');
  }
}

/**
 * Stands before every service but health and reflection: token, user, faults, and the one place where errors become
 * wire errors. A `LedgerError` leaves as what it is; anything else is a bug, is logged, and leaves redacted.
 */
export function callMiddleware(options: CallOptions): ServerMiddleware<Call> {
  return async function* handleCall(call, context) {
    const traceContext = traceOf(context);
    // A unary call that waits is ended by its own service when the server stops.
    const stop = call.responseStream
      ? AbortSignal.any([context.signal, options.closing])
      : context.signal;
    try {
      const token = await authenticate(options, context);
      const access = options.participant.access(token.userId);
      const endOfStream = () =>
        options.closing.aborted
          ? new LedgerError('SERVICE_NOT_RUNNING', `${options.participant.name} is shutting down`)
          : (context.signal.reason as Error);
      const faultCall: FaultCall = {
        participant: options.participant.name,
        path: call.method.path,
        userId: token.userId,
      };
      await options.faults.onEnter(faultCall, stop);
      const own: Call = { access, traceContext, stop, endOfStream };
      return yield* passOn(call, Object.assign(context, own), { faultCall, token, options });
    } catch (error) {
      throw wireError(error, { options, context, traceContext, path: call.method.path });
    }
  };
}

interface Passage {
  readonly faultCall: FaultCall;
  readonly token: VerifiedToken;
  readonly options: CallOptions;
}

async function* passOn<Request, Response>(
  call: ServerMiddlewareCall<Request, Response, Call>,
  context: CallContext & Call,
  { faultCall, token, options }: Passage,
): AsyncGenerator<Response, Response | void, undefined> {
  const { faults } = options;
  if (!call.responseStream) {
    const response = yield* call.next(call.request, context);
    await faults.onLeave(faultCall, context.stop);
    return response;
  }
  const guard = new StreamGuard(options, token);
  for await (const element of call.next(call.request, context)) {
    guard.check();
    const fate = faults.onElement(faultCall, element);
    if (fate.kind === 'cut') throw fate.error;
    for (const delivered of fate.elements) yield delivered;
  }
  return undefined;
}

async function authenticate({ verify }: CallOptions, context: CallContext): Promise<VerifiedToken> {
  try {
    return await verify(context.metadata.get('authorization'));
  } catch (error) {
    if (!(error instanceof TokenRejected)) throw error;
    throw new LedgerError('UNAUTHENTICATED', `${error.defect}: ${error.message}`);
  }
}

interface ErrorSite {
  readonly options: CallOptions;
  readonly context: CallContext & Partial<Call>;
  readonly traceContext: TraceContext;
  readonly path: string;
}

function wireError(error: unknown, { options, context, traceContext, path }: ErrorSite): unknown {
  if (error instanceof ServerError) return error;
  const isGone = error instanceof Error && error.name === 'AbortError';
  if (isGone && context.signal.aborted) return error;
  const known =
    error instanceof LedgerError
      ? error
      : new LedgerError(
          'LEDGER_API_INTERNAL_ERROR',
          error instanceof Error ? error.message : String(error),
        );
  const traceId = traceIdOf(traceContext);
  if (known.code === 'LEDGER_API_INTERNAL_ERROR' || known.category === 6 || known.category === 7) {
    const stack =
      known === error ? {} : { stack: error instanceof Error ? error.stack : undefined };
    options.log({
      surface: 'grpc',
      participant: options.participant.name,
      path,
      code: known.code,
      reason: known.text,
      traceId,
      ...stack,
    });
  }
  const { submissionId } = context;
  const ids = submissionId === undefined ? { traceId } : { traceId, submissionId };
  const status = wireStatus(known, ids);
  context.trailer.set(DETAILS, StatusMessage.encode(status).finish());
  return new ServerError(grpcStatusOf(known.code), status.message);
}
