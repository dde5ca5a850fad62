import type { ErrorCategory, LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantName } from '../ports.ts';

/** The error body of the JSON Ledger API, every key always present. */
export interface JsonError {
  readonly code: string;
  readonly cause: string;
  readonly correlationId: string | null;
  readonly traceId: string | null;
  readonly context: Readonly<Record<string, string>>;
  /** Pairs of `ErrorResource(<type>)` and name. */
  readonly resources: readonly (readonly [string, string])[];
  readonly errorCategory: number;
  readonly grpcCodeValue: number;
  readonly retryInfo: string | null;
  readonly definiteAnswer: boolean | null;
}

/** What is known about a call when it fails. */
export interface FailedCall {
  readonly participant: ParticipantName;
  /** 32 hex digits. */
  readonly traceId: string;
  /** Known once the commands have been read; it names the call in the participant's log. */
  readonly submission?:
    | {
        readonly submissionId: string;
        readonly commandId: string;
        readonly actAs: readonly string[];
      }
    | undefined;
  /** The call failed because of its token, not because of what it asked for. */
  readonly isTokenProblem?: boolean;
}

interface StatusPair {
  readonly grpcCode: number;
  readonly httpStatus: number;
}

/** Error category to gRPC status code, and from there to the HTTP status that the JSON API gives for it. */
const STATUS_OF_CATEGORY: Readonly<Record<ErrorCategory, StatusPair>> = {
  1: { grpcCode: 14, httpStatus: 503 }, // UNAVAILABLE
  2: { grpcCode: 10, httpStatus: 409 }, // ABORTED
  3: { grpcCode: 4, httpStatus: 504 }, // DEADLINE_EXCEEDED
  4: { grpcCode: 13, httpStatus: 500 }, // INTERNAL
  5: { grpcCode: 3, httpStatus: 400 }, // INVALID_ARGUMENT
  6: { grpcCode: 16, httpStatus: 401 }, // UNAUTHENTICATED
  7: { grpcCode: 7, httpStatus: 403 }, // PERMISSION_DENIED
  8: { grpcCode: 3, httpStatus: 400 }, // INVALID_ARGUMENT
  9: { grpcCode: 9, httpStatus: 400 }, // FAILED_PRECONDITION
  10: { grpcCode: 6, httpStatus: 409 }, // ALREADY_EXISTS
  11: { grpcCode: 5, httpStatus: 404 }, // NOT_FOUND
  12: { grpcCode: 11, httpStatus: 400 }, // OUT_OF_RANGE
  14: { grpcCode: 12, httpStatus: 501 }, // UNIMPLEMENTED
};

/** Categories of which a caller learns nothing but that they happened: the reason stays in the server's log. */
const REDACTED: ReadonlySet<ErrorCategory> = new Set<ErrorCategory>([4, 5, 6, 7, 14]);
/** Categories that come with the advice to try again. */
const RETRYABLE: ReadonlySet<ErrorCategory> = new Set<ErrorCategory>([1, 2, 3, 12]);

export const httpStatusOf = (error: LedgerError): number =>
  STATUS_OF_CATEGORY[error.category].httpStatus;

/** The body that a ledger error becomes; redacted where a participant redacts. */
export function jsonErrorOf(error: LedgerError, call: FailedCall): JsonError {
  if (REDACTED.has(error.category)) return redactedError(error.category, call);
  const { category, metadata, text, resources, definiteAnswer } = error;
  return {
    code: error.code,
    cause: text,
    correlationId: call.submission?.submissionId ?? call.traceId,
    traceId: call.traceId,
    context: {
      ...metadata,
      participant: `'${call.participant}'`,
      category: String(category),
      tid: call.traceId,
      definite_answer: String(definiteAnswer),
      ...(call.submission === undefined ? {} : { commands: describeCommands(call.submission) }),
    },
    resources: resources.map(({ type, name }) => [`ErrorResource(${type})`, name]),
    errorCategory: category,
    grpcCodeValue: STATUS_OF_CATEGORY[category].grpcCode,
    retryInfo: RETRYABLE.has(category) ? '1 second' : null,
    definiteAnswer: definiteAnswer ? true : null,
  };
}

/** What a bug becomes: the same as any internal error of the participant. */
export const internalError = (call: FailedCall): JsonError => redactedError(4, call);

function redactedError(category: ErrorCategory, call: FailedCall): JsonError {
  return {
    code: 'NA',
    cause: 'A security-sensitive error has been received',
    correlationId: call.traceId,
    traceId: call.traceId,
    context: call.isTokenProblem === true ? { ledger_api_error: 'invalid token' } : {},
    resources: [],
    errorCategory: -1,
    grpcCodeValue: STATUS_OF_CATEGORY[category].grpcCode,
    retryInfo: null,
    definiteAnswer: null,
  };
}

function describeCommands({
  actAs,
  commandId,
  submissionId,
}: NonNullable<FailedCall['submission']>) {
  const quoted = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');
  return `{actAs: [${quoted(actAs)}], commandId: '${commandId}', submissionId: '${submissionId}'}`;
}
