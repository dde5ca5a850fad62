import { ServerError, Status as GrpcStatus } from 'nice-grpc';
import type { CallContext, ServerMiddleware, ServerMiddlewareCall } from 'nice-grpc';
import { Status as StatusMessage } from '../../proto/gen/google/rpc/status.ts';
import { TokenRejected } from '../auth/verify.ts';
import type { TokenVerifier, VerifiedToken } from '../auth/verify.ts';
import { ConnectionLost } from '../faults.ts';
import type { FaultPlan } from '../faults.ts';
import type { Log } from '../log.ts';
import { newTraceparent } from '../ledger/entropy.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import { Access } from '../ledger/rights.ts';
import type { TraceContext } from '../ledger/submission.ts';
import { aborted, StreamGuard } from './stream-guard.ts';
import { grpcStatusOf, wireStatus } from './errors.ts';
import { faultCallOf, subjectOf } from './fault-subjects.ts';
import { requireReadable } from './unreadable.ts';

/** The context that every service method gets in addition to its request. */
export interface Call {
  readonly access: Access;
  /** The caller's trace, or a new one. */
  readonly traceContext: TraceContext;
  /** Aborted when the caller disconnects, and for streams also when the server stops. */
  readonly stop: AbortSignal;
  /** Returns the error with which a stream must end once `stop` is aborted. */
  readonly endOfStream: () => Error;
  /** Set for submissions, so that errors contain it. */
  submissionId?: string;
}

export interface CallOptions {
  readonly participant: ParticipantNode;
  readonly verify: TokenVerifier;
  readonly faults: FaultPlan;
  readonly log: Log;
  /** Aborted when the server stops, with the error for pending calls as its reason. */
  readonly closing: AbortSignal;
  /** Resets the TCP connection of a peer, which is given as `address:port`. */
  readonly resetConnection: (peer: string) => void;
  /** Returns wall time in milliseconds, which decides when tokens expire. */
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

/** Calls that need no token. */
const OPEN_CALLS: ReadonlySet<string> = new Set([
  '/com.daml.ledger.api.v2.VersionService/GetLedgerApiVersion',
]);
const NOBODY: VerifiedToken = { userId: '', expiresAtMs: Infinity };

/**
 * Handles every call except health and reflection: verifies the token, reads the user's rights, applies faults, and
 * converts errors to their wire form, which is done nowhere else. A `LedgerError` is sent as it is. Any other error is
 * a bug: it is logged, and the caller gets no details.
 */
export function callMiddleware(options: CallOptions): ServerMiddleware<Call> {
  return async function* handleCall(call, context) {
    const traceContext = traceOf(context);
    try {
      await untilRead(options);
      const isOpen = OPEN_CALLS.has(call.method.path);
      const token = isOpen ? NOBODY : await authenticate(options, context);
      const access = isOpen
        ? new Access('', [])
        : options.participant.access(token.userId, token.identityProviderId);
      requireReadable(call.request);
      const own = { access, traceContext };
      return yield* call.responseStream
        ? answerStream(call, Object.assign(context, own), { token, options })
        : answerUnary(call, Object.assign(context, own), { token, options });
    } catch (error) {
      throw wireError(error, { options, context, traceContext, path: call.method.path });
    }
  };
}

interface Passage {
  readonly token: VerifiedToken;
  readonly options: CallOptions;
}

type EnteringContext = CallContext & Pick<Call, 'access' | 'traceContext'>;

/**
 * Waits while the participant is stopped, because a stopped participant reads no calls. If the server stops first, the
 * call is lost.
 */
async function untilRead({ participant, closing }: CallOptions): Promise<void> {
  if (!participant.isStopped) return;
  await Promise.race([participant.untilReading(), aborted(closing)]);
  closing.throwIfAborted();
}

/** Answers a unary call. When the server stops, a waiting call is ended by its own service. */
async function* answerUnary<Request, Response>(
  call: ServerMiddlewareCall<Request, Response, Call>,
  context: EnteringContext,
  { token, options }: Passage,
): AsyncGenerator<Response, Response | void, undefined> {
  const { faults, participant, closing } = options;
  const { signal } = context;
  const endOfStream = () => signal.reason as Error;
  // A request whose caller disconnected during a delay is executed nevertheless, so it gets a signal that is not
  // aborted.
  const going = () => (signal.aborted ? new AbortController().signal : signal);
  if (faults.isQuiet === true) {
    return yield* call.next(call.request, Object.assign(context, { stop: going(), endOfStream }));
  }
  const faultCall = faultCallOf(participant.name, call.method.path, token.userId, call.request);
  const { submissionId } = faultCall;
  // A submission without an ID of its own is identified by its trace ID in errors.
  if (submissionId !== undefined && submissionId !== '') Object.assign(context, { submissionId });
  const gone = AbortSignal.any([signal, closing]);
  await faults.onEnter(faultCall, gone);
  const entered = Object.assign(context, { stop: going(), endOfStream });
  if (faults.isRepeated?.(faultCall) === true) await settled(call.next(call.request, entered));
  const response = yield* call.next(call.request, entered);
  await faults.onLeave(faultCall, gone);
  return response;
}

/** Waits for the end of a call, whether the call succeeds or fails. */
async function settled(call: AsyncIterator<unknown>): Promise<void> {
  try {
    await call.next();
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
  }
}

async function* answerStream<Request, Response>(
  call: ServerMiddlewareCall<Request, Response, Call>,
  context: EnteringContext,
  { token, options }: Passage,
): AsyncGenerator<Response, Response | void, undefined> {
  const { faults, participant, closing } = options;
  const ended = new AbortController();
  const stop = AbortSignal.any([context.signal, closing, ended.signal]);
  const endOfStream = () => stop.reason as Error;
  const faultCall = faultCallOf(participant.name, call.method.path, token.userId, call.request);
  const forget = faults.onOpen?.(faultCall, (error) => ended.abort(error));
  try {
    await faults.onEnter(faultCall, stop);
    const guard = new StreamGuard(options, token);
    void guard.watch(stop, (error) => ended.abort(error));
    const entered = Object.assign(context, { stop, endOfStream });
    for await (const element of call.next(call.request, entered)) {
      await untilRead(options);
      guard.check();
      const fate = await faults.onElement(faultCall, element, subjectOf(element), stop);
      if (fate.kind === 'cut') throw fate.error;
      for (const delivered of fate.elements) yield delivered;
    }
    await faults.onEnd?.(faultCall, stop);
    return undefined;
  } catch (error) {
    if (error instanceof ConnectionLost && error.how === 'end') return undefined;
    throw error;
  } finally {
    ended.abort();
    forget?.();
  }
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
  if (error instanceof ConnectionLost) {
    if (error.how === 'reset') options.resetConnection(context.peer);
    return new ServerError(GrpcStatus.UNAVAILABLE, 'Connection dropped');
  }
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
