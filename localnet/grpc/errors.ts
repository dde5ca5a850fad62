import { Status as GrpcStatus } from 'nice-grpc';
import type { Any } from '../../proto/gen/google/protobuf/any.ts';
import {
  ErrorInfo,
  RequestInfo,
  ResourceInfo,
  RetryInfo,
} from '../../proto/gen/google/rpc/error_details.ts';
import type { Status } from '../../proto/gen/google/rpc/status.ts';
import {
  ERROR_CATEGORIES,
  UNREDACTED_ALARMS,
  WITHOUT_DEFINITE_ANSWER,
} from '../ledger/ledger-error.ts';
import type { ErrorCategory, ErrorCode } from '../ledger/ledger-error.ts';
import type { Rejection } from '../ledger/update.ts';
import { causeOf, DETAIL, fitting, idOf } from './error-budget.ts';

/** The rule for errors of a category. */
interface CategoryRule {
  readonly status: GrpcStatus;
  /** Present if a client may simply retry after errors of this category. */
  readonly retryAfterSeconds?: number;
  /** If true, the caller gets only an ID, with which the operator can find the error in the log. */
  readonly isRedacted?: true;
}

/**
 * How errors of each category are sent: status, retry hint, and whether details are hidden. There is no category 13.
 */
const CATEGORY_RULES: Readonly<Record<ErrorCategory, CategoryRule>> = {
  1: { status: GrpcStatus.UNAVAILABLE, retryAfterSeconds: 1 },
  2: { status: GrpcStatus.ABORTED, retryAfterSeconds: 1 },
  3: { status: GrpcStatus.DEADLINE_EXCEEDED, retryAfterSeconds: 1 },
  4: { status: GrpcStatus.INTERNAL, isRedacted: true },
  5: { status: GrpcStatus.INVALID_ARGUMENT, isRedacted: true },
  6: { status: GrpcStatus.UNAUTHENTICATED, isRedacted: true },
  7: { status: GrpcStatus.PERMISSION_DENIED, isRedacted: true },
  8: { status: GrpcStatus.INVALID_ARGUMENT },
  9: { status: GrpcStatus.FAILED_PRECONDITION },
  10: { status: GrpcStatus.ALREADY_EXISTS },
  11: { status: GrpcStatus.NOT_FOUND },
  12: { status: GrpcStatus.OUT_OF_RANGE, retryAfterSeconds: 1 },
  14: { status: GrpcStatus.UNIMPLEMENTED, isRedacted: true },
};

/** Retry hints of codes for which the hint differs from their category's. */
const RETRY_AFTER_SECONDS: Partial<Readonly<Record<ErrorCode, number>>> = {
  // Only the stream's copy of its user's rights is outdated, so the client can open a new stream at once.
  STALE_STREAM_AUTHORIZATION: 0,
};

/** IDs by which an error can be found in the logs. */
export interface ErrorIds {
  readonly traceId: string;
  /** ID of the failed submission, if there is one. */
  readonly submissionId?: string;
}

const anyOf = (name: string, value: Uint8Array): Any => ({
  typeUrl: `${DETAIL}${name}`,
  value,
});

export const grpcStatusOf = (code: ErrorCode): GrpcStatus =>
  CATEGORY_RULES[ERROR_CATEGORIES[code]].status;

/** Converts an error to its wire form: the message, and the details of the error model. */
export function wireStatus(error: Rejection, ids: ErrorIds): Status {
  const category = ERROR_CATEGORIES[error.code];
  const rule = CATEGORY_RULES[category];
  const requestId = idOf(ids.submissionId ?? ids.traceId);
  const requestInfo = anyOf(
    'RequestInfo',
    RequestInfo.encode({ requestId, servingData: '' }).finish(),
  );
  if (rule.isRedacted === true && !UNREDACTED_ALARMS.has(error.code)) {
    const message = `An error occurred. Please contact the operator and inquire about the request ${requestId} with tid ${ids.traceId}`;
    return { code: rule.status, message, details: [requestInfo] };
  }
  const message = `${error.code}(${category},${ids.traceId.slice(0, 8)}): ${causeOf(error.text)}`;
  const always = {
    category: category.toString(),
    tid: ids.traceId,
    ...(WITHOUT_DEFINITE_ANSWER.has(error.code)
      ? {}
      : { definite_answer: String(error.definiteAnswer) }),
  };
  const retry = retryInfo(error.code, rule);
  const { metadata, resources } = fitting(error, {
    texts: [message, error.code, ...Object.entries(always).flat()],
    details: [...retry, requestInfo],
  });
  const reason = { reason: error.code, domain: '', metadata: { ...metadata, ...always } };
  const details = [
    anyOf('ErrorInfo', ErrorInfo.encode(reason).finish()),
    ...retry,
    requestInfo,
    ...resources.map(({ type, name }) => {
      const resource = { resourceType: type, resourceName: name, owner: '', description: '' };
      return anyOf('ResourceInfo', ResourceInfo.encode(resource).finish());
    }),
  ];
  return { code: rule.status, message, details };
}

function retryInfo(code: ErrorCode, rule: CategoryRule): Any[] {
  if (rule.retryAfterSeconds === undefined) return [];
  const seconds = BigInt(RETRY_AFTER_SECONDS[code] ?? rule.retryAfterSeconds);
  return [anyOf('RetryInfo', RetryInfo.encode({ retryDelay: { seconds, nanos: 0 } }).finish())];
}
