import { Status as GrpcStatus } from 'nice-grpc';
import type { ServerError } from 'nice-grpc';
import type { Any } from '../../proto/gen/google/protobuf/any.ts';
import { ErrorInfo, ResourceInfo, RetryInfo } from '../../proto/gen/google/rpc/error_details.ts';
import { grpcStatusOf, wireStatus } from '../grpc/errors.ts';
import type { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantName } from '../ports.ts';

/** The error body of the JSON Ledger API. Every key is always present. */
export interface JsonError {
  readonly code: string;
  readonly cause: string;
  readonly correlationId: string | null;
  readonly traceId: string | null;
  readonly context: Readonly<Record<string, string>>;
  /** Pairs of `ErrorResource(<type>)` and the resource's name. */
  readonly resources: readonly (readonly [string, string])[];
  readonly errorCategory: number;
  readonly grpcCodeValue: number;
  readonly retryInfo: string | null;
  readonly definiteAnswer: boolean | null;
}

/** The known details of a failed call. */
export interface FailedCall {
  readonly participant: ParticipantName;
  /** The trace ID: 32 hex digits. */
  readonly traceId: string;
  /** Present once the commands have been read. The participant's log identifies the call by the submission. */
  readonly submission?:
    | {
        readonly submissionId: string;
        readonly commandId: string;
        readonly actAs: readonly string[];
      }
    | undefined;
  /** Whether the call failed because of its token. */
  readonly isTokenProblem?: boolean;
}

/** The HTTP status of the JSON API for each gRPC status code. */
const HTTP_STATUS: Readonly<Record<number, number>> = {
  1: 499, // CANCELLED
  2: 500, // UNKNOWN
  3: 400, // INVALID_ARGUMENT
  4: 504, // DEADLINE_EXCEEDED
  5: 404, // NOT_FOUND
  6: 409, // ALREADY_EXISTS
  7: 403, // PERMISSION_DENIED
  8: 429, // RESOURCE_EXHAUSTED
  9: 400, // FAILED_PRECONDITION
  10: 409, // ABORTED
  11: 400, // OUT_OF_RANGE
  12: 501, // UNIMPLEMENTED
  13: 500, // INTERNAL
  14: 503, // UNAVAILABLE
  15: 500, // DATA_LOSS
  16: 401, // UNAUTHENTICATED
};

export const httpStatusOfGrpc = (code: number): number => HTTP_STATUS[code] ?? 500;

export const httpStatusOf = ({ code }: LedgerError): number =>
  code === 'JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED'
    ? 413
    : httpStatusOfGrpc(grpcStatusOf(code));

/**
 * Converts a ledger error to a JSON body. The error's gRPC form is the basis, because a participant's JSON API is a
 * client of its gRPC API, and so hides the same details.
 */
export function jsonErrorOf(error: LedgerError, call: FailedCall): JsonError {
  const { traceId, submission } = call;
  const ids = submission === undefined ? { traceId } : { traceId, ...submission };
  const { code: grpcCodeValue, message, details } = wireStatus(error, ids);
  const [info] = detailsOf(details, 'ErrorInfo').map((value) => ErrorInfo.decode(value));
  if (info === undefined) return redactedError(grpcCodeValue, call);
  const { category = '-1', definite_answer: definiteAnswer } = info.metadata;
  return {
    code: info.reason,
    cause: message.replace(/^\w+\(\d+,\w+\): /, ''),
    correlationId: submission?.submissionId ?? traceId,
    traceId,
    context: {
      ...info.metadata,
      participant: `'${call.participant}'`,
      ...(submission === undefined ? {} : { commands: describeCommands(submission) }),
    },
    resources: detailsOf(details, 'ResourceInfo').map((value) => {
      const { resourceType, resourceName } = ResourceInfo.decode(value);
      return [`ErrorResource(${resourceType})`, resourceName];
    }),
    errorCategory: Number(category),
    grpcCodeValue,
    retryInfo: retryTextOf(details),
    definiteAnswer: definiteAnswer === 'true' ? true : null,
  };
}

/** Returns the answer for a bug, which is the same as for any internal error of the participant. */
export const internalError = (call: FailedCall): JsonError => redactedError(13, call);

/**
 * Returns the answer for a gRPC status without the error model's details, as a service returns it that does not support
 * the call.
 */
export const bareStatusError = ({ code, details }: ServerError): JsonError => ({
  code: details === '' ? 'Status description not available' : details,
  cause: details === '' ? (GrpcStatus[code] ?? '') : `${GrpcStatus[code]}: ${details}`,
  correlationId: null,
  traceId: null,
  context: {},
  resources: [],
  errorCategory: -1,
  grpcCodeValue: code,
  retryInfo: null,
  definiteAnswer: null,
});

/**
 * Returns the error for a value of the wrong JSON type. None of its details are hidden, because the error is found
 * before a service is called.
 */
export const unexpectedJsonError = (cause: string, { traceId }: FailedCall): JsonError => ({
  code: 'LEDGER_API_INTERNAL_ERROR',
  cause,
  correlationId: null,
  traceId,
  context: {},
  resources: [],
  errorCategory: 4,
  grpcCodeValue: 13,
  retryInfo: null,
  definiteAnswer: null,
});

function redactedError(grpcCodeValue: number, call: FailedCall): JsonError {
  return {
    code: 'NA',
    cause: 'A security-sensitive error has been received',
    correlationId: call.traceId,
    traceId: call.traceId,
    context: call.isTokenProblem === true ? { ledger_api_error: 'invalid token' } : {},
    resources: [],
    errorCategory: -1,
    grpcCodeValue,
    retryInfo: null,
    definiteAnswer: null,
  };
}

const detailsOf = (details: readonly Any[], name: string): Uint8Array[] =>
  details
    .filter(({ typeUrl }) => typeUrl.endsWith(`/google.rpc.${name}`))
    .map(({ value }) => value);

function retryTextOf(details: readonly Any[]): string | null {
  const [retry] = detailsOf(details, 'RetryInfo').map((value) => RetryInfo.decode(value));
  if (retry === undefined) return null;
  const seconds = retry.retryDelay?.seconds ?? 0n;
  return seconds === 1n ? '1 second' : `${seconds} seconds`;
}

function describeCommands({
  actAs,
  commandId,
  submissionId,
}: NonNullable<FailedCall['submission']>): string {
  const quoted = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');
  return `{actAs: [${quoted(actAs)}], commandId: '${commandId}', submissionId: '${submissionId}'}`;
}
