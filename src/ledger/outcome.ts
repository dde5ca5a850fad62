import { ClientError, Status as GrpcStatus } from 'nice-grpc-common';
import type { CallOptions, ClientMiddlewareCall, Metadata } from 'nice-grpc-common';
import type { LedgerAnswer } from '../domain/answer.ts';
import { OUTCOMES, meaningOf } from '../domain/ledger-codes.ts';
import { assert } from '../domain/unreachable.ts';
import { ErrorInfo } from '../../proto/gen/google/rpc/error_details.ts';
import { Status } from '../../proto/gen/google/rpc/status.ts';

/**
 * A call to the participant that was not answered with success. `unsent`: it is certain that no byte of the request
 * left this process.
 */
export class LedgerCallError extends Error {
  override readonly name = 'LedgerCallError';
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
  }
}

/** There is no token to call the participant with. Nothing was sent, or nothing but what was not accepted. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  /** Whether the authorization server said no, or could not be asked. */
  readonly kind: 'refused' | 'unreachable';
  constructor(kind: 'refused' | 'unreachable', detail: string) {
    super(detail);
    this.kind = kind;
  }
}

/** Set by our own channel in the trailers of a call that never got a connection. */
export const UNSENT_TRAILER = 'tenure-unsent';

/** Client middleware: turns the library's errors into ours, with the details that the trailers carry. */
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
    return null; // A proxy's trailer may hold anything; without details the answer is undecided.
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

/** Whether a new token may help. A participant redacts the reason, so here the status is all there is. */
export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof LedgerCallError &&
  error.grpcStatus === GrpcStatus.UNAUTHENTICATED &&
  (error.errorInfo === null || error.errorInfo.reason === 'UNAUTHENTICATED');

/** Whether the caller's own signal ended a call. */
const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/**
 * What a failed call means. By the ErrorInfo reason alone; an answer without one is undecided, except where the
 * participant redacts the two refusals that concern who we are.
 *
 * @throws the error itself when it is no answer of the ledger: a bug is not an answer.
 */
export function classify(error: unknown): LedgerAnswer {
  if (error instanceof LedgerCallError) {
    if (error.errorInfo !== null) return byReason(error.errorInfo, error.text);
    return withoutReason(error.grpcStatus, error.text, error.unsent);
  }
  if (error instanceof TokenError) return withoutToken(error);
  if (isAbort(error)) return withoutReason(GrpcStatus.CANCELLED, 'this process gave up', false);
  throw error;
}

/** What the status of a rejected completion means. Code 0 is an acceptance and no business of this table. */
export function classifyStatus(status: Status): LedgerAnswer {
  assert(status.code !== 0, 'an accepted completion needs no classifying');
  const info = errorInfoIn(status);
  return info === null
    ? withoutReason(status.code, status.message, false)
    : byReason(info, status.message);
}

function byReason(info: ErrorInfo, text: string): LedgerAnswer {
  const row = meaningOf(info.reason);
  const answer: LedgerAnswer = {
    class: row?.class ?? 'unknown',
    code: info.reason,
    explanation: row?.explanation ?? `the ledger answered ${info.reason}, which is not known here`,
    text,
    unsent: false,
    duplicateOf: null,
  };
  return info.reason === 'DUPLICATE_COMMAND' ? duplicate(answer, info.metadata) : answer;
}

/** Participants spell the keys in two ways. Only accepted submissions deduplicate, unless the answer denies it. */
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

/** What an answer without ErrorInfo means, by the name of its gRPC status; any other is undecided. */
const WITHOUT_REASON: Readonly<Record<string, Pick<LedgerAnswer, 'class' | 'explanation'>>> = {
  UNAUTHENTICATED: { class: 'credentials', explanation: OUTCOMES.credentials.UNAUTHENTICATED },
  PERMISSION_DENIED: { class: 'refused', explanation: OUTCOMES.refused.PERMISSION_DENIED },
  UNAVAILABLE: { class: 'unknown', explanation: 'the connection to the participant was lost' },
  DEADLINE_EXCEEDED: { class: 'unknown', explanation: 'the participant did not answer in time' },
  CANCELLED: { class: 'unknown', explanation: 'the call was given up before an answer came' },
};

function withoutReason(status: number, text: string, unsent: boolean): LedgerAnswer {
  const name = GrpcStatus[status] ?? String(status);
  const row = unsent ? undefined : WITHOUT_REASON[name];
  const explanation = unsent
    ? 'the participant cannot be reached; nothing was sent'
    : 'the ledger gave no reason that can be relied on';
  return {
    class: row?.class ?? 'unknown',
    code: `NO_ERROR_INFO:${name}`,
    explanation: row?.explanation ?? explanation,
    text,
    unsent,
    duplicateOf: null,
  };
}

function withoutToken(error: TokenError): LedgerAnswer {
  const base = { text: error.message, duplicateOf: null };
  return error.kind === 'refused'
    ? {
        ...base,
        class: 'credentials',
        code: 'TOKEN_REFUSED',
        explanation: 'the authorization server refused a token for the ledger',
        unsent: false,
      }
    : {
        ...base,
        class: 'unknown',
        code: 'TOKEN_UNAVAILABLE',
        explanation: 'the authorization server cannot be reached; nothing was sent',
        unsent: true,
      };
}
