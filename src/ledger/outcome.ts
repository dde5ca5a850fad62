import { ClientError, Status as GrpcStatus } from 'nice-grpc-common';
import type { CallOptions, ClientMiddlewareCall, Metadata } from 'nice-grpc-common';
import type { StreamRetry } from '../app/ports/streams.ts';
import type { LedgerAnswer } from '../domain/answer.ts';
import { NOTHING_SENT } from '../domain/answer.ts';
import { isLedgerString } from '../domain/ids.ts';
import { CODES, REDACTED_ALARM, meaningOf } from '../domain/ledger-codes.ts';
import { assert } from '../domain/unreachable.ts';
import { ErrorInfo } from '../../proto/gen/google/rpc/error_details.ts';
import { Status } from '../../proto/gen/google/rpc/status.ts';

/** A failed call to the participant. `unsent`: certainly no byte of the request has left this process. */
export class LedgerCallError extends Error {
  override readonly name = 'LedgerCallError';
  /** When to open a stream again that could not be opened because of this error. */
  readonly retry: StreamRetry;
  readonly grpcStatus: GrpcStatus;
  readonly text: string;
  readonly errorInfo: ErrorInfo | null;
  readonly unsent: boolean;
  constructor(
    error: ClientError,
    details: { readonly errorInfo: ErrorInfo | null; readonly unsent: boolean },
  ) {
    super(error.message, { cause: error });
    this.grpcStatus = error.code;
    this.text = error.details;
    this.errorInfo = details.errorInfo;
    this.unsent = details.unsent;
    this.retry = details.unsent ? 'away' : 'backoff';
  }
}

/** There is no token for calling the participant. If any call was sent, it was rejected. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  /** Whether the authorization server refused the request or was unreachable. */
  readonly kind: 'refused' | 'unreachable';
  constructor(kind: 'refused' | 'unreachable', detail: string) {
    super(detail);
    this.kind = kind;
  }
}

/** Set by our own channel in the trailers of a call that was never assigned to a connection. */
export const UNSENT_TRAILER = 'tenure-unsent';

/** Client middleware: converts the library's errors to ours, with the details in the trailers. */
export async function* translateErrors<Request, Response>(
  call: ClientMiddlewareCall<Request, Response>,
  options: CallOptions,
): AsyncGenerator<Response, Response | void, undefined> {
  let trailer: Metadata | undefined;
  const onTrailer = (metadata: Metadata): void => {
    trailer = metadata;
    options.onTrailer?.(metadata);
  };
  try {
    return yield* call.next(call.request, { ...options, onTrailer });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    throw new LedgerCallError(error, {
      errorInfo: errorInfoIn(statusIn(trailer?.get('grpc-status-details-bin'))),
      unsent: trailer?.has(UNSENT_TRAILER) ?? false,
    });
  }
}

function statusIn(bytes: Uint8Array | undefined): Status | null {
  if (bytes === undefined) return null;
  try {
    return Status.decode(bytes);
  } catch {
    return null; // A proxy's trailer may contain anything; without details the answer is undecided.
  }
}

function errorInfoIn(status: Status | null): ErrorInfo | null {
  const any = status?.details.find(({ typeUrl }) => typeUrl.endsWith('/google.rpc.ErrorInfo'));
  if (any === undefined) return null;
  try {
    const info = ErrorInfo.decode(any.value);
    return info.reason === '' ? null : info;
  } catch {
    return null;
  }
}

/** Returns whether a new token may help. The participant redacts the reason, so only the status is known. */
export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof LedgerCallError &&
  error.grpcStatus === GrpcStatus.UNAUTHENTICATED &&
  (error.errorInfo === null || error.errorInfo.reason === 'UNAUTHENTICATED');

/** Returns whether the caller's own signal ended a call. */
const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** How an answer arrived: as the response of the call, or as a completion. */
type Way = 'call' | 'completion';

/**
 * Returns the meaning of a failed call. Only the ErrorInfo's reason counts. An answer without one is undecided, except
 * for two redacted refusals that concern our identity.
 *
 * @throws the error itself if it is not an answer of the ledger: a bug is not an answer
 */
export function classify(error: unknown): LedgerAnswer {
  if (error instanceof LedgerCallError) {
    if (error.errorInfo !== null) return byReason(error.errorInfo, error.text, 'call');
    return error.unsent
      ? unsent(error.grpcStatus, error.text)
      : withoutReason(error.grpcStatus, error.text, 'call');
  }
  if (error instanceof TokenError) return withoutToken(error);
  if (isAbort(error)) return withoutReason(GrpcStatus.CANCELLED, 'this process gave up', 'call');
  throw error;
}

/** Returns the meaning of the status in a refused completion. Code 0 is an acceptance, which is not handled here. */
export function classifyStatus(status: Status): LedgerAnswer {
  assert(status.code !== 0, 'an accepted completion needs no classifying');
  const info = errorInfoIn(status);
  return info === null
    ? withoutReason(status.code, status.message, 'completion')
    : byReason(info, status.message, 'completion');
}

function byReason(info: ErrorInfo, text: string, way: Way): LedgerAnswer {
  const code = sequencerCodeIn(info) ?? info.reason;
  const row = meaningOf(code);
  const given = { code, text, takesNoTry: false, heard: true, duplicateOf: null };
  if (row === undefined) return { ...given, ...unlisted(info, way) };
  const { class: kind, explanation, definiteAs } = row;
  const definite = definiteAs === 'any' || definiteAs === way;
  const answer: LedgerAnswer = { ...given, class: kind, explanation, definite };
  if (code === CODES.inFlight) return inFlight(answer, info.metadata);
  return code === CODES.duplicate ? duplicate(answer, info.metadata) : answer;
}

/**
 * Reads the submission ID that is in flight. The participant prints it in the notation of an optional value, and some
 * answers do not contain it.
 */
function inFlight(answer: LedgerAnswer, metadata: ErrorInfo['metadata']): LedgerAnswer {
  const rendered = metadata['existingSubmissionId'] ?? metadata['existing_submission_id'] ?? 'None';
  const id = /^Some\((.*)\)$/u.exec(rendered)?.[1] ?? rendered;
  if (id === 'None' || !isLedgerString(id)) return answer;
  return { ...answer, explanation: `${answer.explanation}: submission ${id} is in flight` };
}

const SEQUENCER_CODE = /\b(?:SEQUENCER_[A-Z_]+|OUTDATED_TRAFFIC_COST|MAX_[A-Z_]+_EXCEEDED)\b/gu;

/**
 * Returns the actual code of a sequencer's immediate refusal. All such refusals have the same code; the actual error is
 * in the text of the send error. Source: `SendAsyncClientError` of Canton, whose fields become metadata.
 */
function sequencerCodeIn({ reason, metadata }: ErrorInfo): string | undefined {
  if (reason !== CODES.sequencerRefused) return undefined;
  return Object.values(metadata)
    .flatMap((value) => value.match(SEQUENCER_CODE) ?? [])
    .find((code) => code !== reason && meaningOf(code) !== undefined);
}

/**
 * Returns the meaning of a code that the table does not list. A completion that is marked as definite is definite; a
 * missing mark proves nothing, because participants mark few completions.
 */
const unlisted = (
  { reason, metadata }: ErrorInfo,
  way: Way,
): Pick<LedgerAnswer, 'class' | 'explanation' | 'definite'> => {
  const definite = way === 'completion' && metadata['definite_answer'] === 'true';
  return {
    class: definite ? 'refused' : 'unknown',
    explanation: `the ledger answered ${reason}, which is not known here`,
    definite,
  };
};

/**
 * Reads the earlier submission of a duplicate. Participants spell the keys in two ways. Only an accepted submission
 * causes duplicates, so it counts as accepted unless the answer says otherwise.
 */
function duplicate(answer: LedgerAnswer, metadata: ErrorInfo['metadata']): LedgerAnswer {
  const offset = metadata['completion_offset'] ?? metadata['completionOffset'];
  const accepted = metadata['accepted'] !== 'false';
  const duplicateOf = {
    accepted,
    offset: offset !== undefined && /^\d{1,19}$/.test(offset) ? BigInt(offset) : null,
  };
  if (accepted) return { ...answer, duplicateOf };
  const explanation = 'an earlier submission with this command ID was not accepted';
  return { ...answer, class: 'refused', explanation, duplicateOf };
}

/** Returns the meaning of an answer without ErrorInfo, by the name of its gRPC status; any other is undecided. */
const WITHOUT_REASON: Readonly<
  Record<string, Pick<LedgerAnswer, 'class' | 'explanation' | 'definite'>>
> = {
  UNAUTHENTICATED: {
    class: 'credentials',
    explanation: 'the participant did not accept the token',
    definite: true,
  },
  PERMISSION_DENIED: {
    class: 'credentials',
    explanation: 'the ledger user lacks a right, is unknown, or is deactivated',
    definite: true,
  },
  UNAVAILABLE: {
    class: 'unknown',
    explanation: 'the connection to the participant was lost',
    definite: false,
  },
  DEADLINE_EXCEEDED: {
    class: 'unknown',
    explanation: 'the participant did not answer in time',
    definite: false,
  },
  CANCELLED: {
    class: 'unknown',
    explanation: 'the call was given up before an answer came',
    definite: false,
  },
};

const ALARM_STATUS: number = GrpcStatus.INVALID_ARGUMENT;

/**
 * The meaning of a completion without ErrorInfo whose status is `INVALID_ARGUMENT`. A participant redacts only one
 * category of errors with this status. Every completion with a code of this category is a definite no.
 */
const ALARM: Pick<LedgerAnswer, 'class' | 'code' | 'explanation' | 'definite'> = {
  class: 'refused',
  code: REDACTED_ALARM,
  explanation:
    'a participant did not accept the transaction, and the ledger keeps the reason secret',
  definite: true,
};

const codeOf = (status: number): string => `NO_ERROR_INFO:${GrpcStatus[status] ?? String(status)}`;

const withoutReason = (status: number, text: string, way: Way): LedgerAnswer => ({
  code: codeOf(status),
  ...(WITHOUT_REASON[GrpcStatus[status] ?? ''] ?? {
    class: 'unknown',
    explanation: 'the ledger gave no reason that can be relied on',
    definite: false,
  }),
  ...(way === 'completion' && status === ALARM_STATUS ? ALARM : undefined),
  text,
  takesNoTry: false,
  heard: way === 'completion',
  duplicateOf: null,
});

const unsent = (status: number, text: string): LedgerAnswer => ({
  ...NOTHING_SENT,
  class: 'unknown',
  code: codeOf(status),
  explanation: 'the participant cannot be reached; nothing was sent',
  text,
  takesNoTry: true,
});

const withoutToken = (error: TokenError): LedgerAnswer =>
  error.kind === 'refused'
    ? {
        ...NOTHING_SENT,
        class: 'credentials',
        code: 'TOKEN_REFUSED',
        explanation: 'the authorization server refused a token for the ledger',
        text: error.message,
        // Also true if the only call that was sent was refused because its token was out of date.
        takesNoTry: true,
      }
    : {
        ...NOTHING_SENT,
        class: 'unknown',
        code: 'TOKEN_UNAVAILABLE',
        explanation: 'the authorization server cannot be reached; nothing was sent',
        text: error.message,
        takesNoTry: true,
      };
