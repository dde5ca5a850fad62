import type { JsonRecord } from './json.ts';

const permanent = (status: number, title: string) => ({ status, title, retryable: false });
const transient = (status: number, title: string) => ({ status, title, retryable: true });

/**
 * Every problem with which a call can fail: HTTP status, title, and whether the same call may succeed later. The list
 * is complete: docs/ERRORS.md gives the remedy for each problem, and a test compares the two.
 */
export const PROBLEMS = {
  COMMAND_ID_MISSING: permanent(400, 'The commandId is missing'),
  COMMAND_ID_INVALID: permanent(400, 'The commandId is not valid'),
  REQUEST_INVALID: permanent(400, 'The request is not valid'),
  BODY_MALFORMED: permanent(400, 'The body is not valid JSON'),
  UNAUTHENTICATED: permanent(401, 'The request has no valid session or token'),
  FORBIDDEN: permanent(403, 'The caller may not do this'),
  CSRF_TOKEN_INVALID: permanent(403, 'The CSRF token is missing or wrong'),
  ROUTE_NOT_FOUND: permanent(404, 'The API has no such path'),
  NOT_FOUND: permanent(404, 'Nothing with this ID was found'),
  OPERATION_NOT_FOUND: permanent(404, 'The party has no such operation'),
  METHOD_NOT_ALLOWED: permanent(405, 'The path does not accept this method'),
  NOT_ACCEPTABLE: permanent(406, 'The Accept header excludes the media type of the response'),
  REQUEST_TIMEOUT: transient(408, 'The request did not arrive in time'),
  COMMAND_ID_TAKEN: permanent(409, 'Another caller has used the commandId'),
  STEP_NOT_ALLOWED: permanent(409, 'The lifecycle does not allow this step now'),
  LIFECYCLE_ENDED: permanent(409, 'The lifecycle has ended'),
  ALLOCATION_MISMATCH: permanent(409, 'The allocation does not match the renewal request'),
  LICENSE_AMBIGUOUS: permanent(409, 'The ledger does not show the licence of the renewal'),
  LICENSE_MISMATCH: permanent(409, 'The renewal belongs to another licence'),
  CONTRACT_GONE: permanent(409, 'The contract is no longer active'),
  LEDGER_REFUSED: permanent(409, 'The ledger refused the change'),
  COMMAND_ID_USED_ELSEWHERE: permanent(
    409,
    'Another client of the participant has used the commandId',
  ),
  COMMAND_TOOK_EFFECT: permanent(
    409,
    'The command has taken effect, and the database has lost its operation',
  ),
  BUDGET_SPENT: transient(409, 'The ledger refused every attempt'),
  NOT_IN_DOUBT: permanent(409, 'The operation is not in doubt'),
  NOT_RETRYABLE: permanent(409, 'The operation cannot be retried'),
  NOT_CANCELLABLE: permanent(409, 'The operation cannot be cancelled'),
  SYNCHRONIZER_CONNECTED: permanent(409, 'The participant is connected to the synchronizer'),
  NOT_REARMABLE: permanent(409, 'The timer cannot be started again'),
  PREVIEW_OVER: permanent(409, 'The preview is not valid for this action'),
  COUNT_MISMATCH: permanent(409, 'The count differs from the number of matching operations'),
  UNDO_OVER: permanent(409, 'The policy change can no longer be undone'),
  ACTS_LIMITED: transient(409, 'The party has reached its limit of running bulk actions'),
  ACT_OVER: permanent(409, 'The bulk action has ended'),
  DECISION_CONTRADICTED: permanent(409, 'The ledger contradicts the decision'),
  DECIDED_NO_EFFECT: permanent(409, 'A person decided that the operation took no effect'),
  POLICY_OUTDATED: permanent(409, 'The current policy no longer requests this operation'),
  CANCELLED: permanent(409, 'The operation was cancelled'),
  TENANT_CONFLICT: permanent(409, 'The tenant conflicts with a registration'),
  TENANT_INTERNAL: permanent(409, 'The tenant belongs to the configuration'),
  LICENSE_NOT_VALID: permanent(409, 'The licence is not valid now'),
  LICENSE_KEYS_LIMITED: permanent(409, 'The licence has reached its limit of keys'),
  ALREADY_EXISTS: permanent(409, 'The object already exists'),
  PLAN_ARCHIVED: permanent(409, 'The plan is archived'),
  WEBHOOKS_LIMITED: permanent(409, 'The party has reached its limit of webhooks'),
  WEBHOOK_TESTS_LIMITED: transient(409, 'Too many test events of the webhook wait to be sent'),
  WEBHOOK_DISABLED: permanent(409, 'The webhook is disabled'),
  IDEMPOTENCY_KEY_IN_USE: transient(
    409,
    'The first request with the Idempotency-Key has no answer yet',
  ),
  IDEMPOTENCY_OUTCOME_UNKNOWN: permanent(
    409,
    'The outcome of the first request with the Idempotency-Key is unknown',
  ),
  PRECONDITION_FAILED: permanent(412, 'The lifecycle has changed'),
  BODY_TOO_LARGE: permanent(413, 'The body is too large'),
  MEDIA_TYPE_UNSUPPORTED: permanent(415, 'The content type is not supported'),
  PROVIDER_MOVED: permanent(421, 'The provider has moved to another cell'),
  COMMAND_ID_REUSED: permanent(422, 'The commandId was used for another change'),
  IDEMPOTENCY_KEY_REUSED: permanent(422, 'The Idempotency-Key was used for another request'),
  COMMAND_INVALID: permanent(422, 'The ledger rejects the form of the command'),
  ALLOCATION_NOT_FOUND: transient(422, 'No active allocation has this contract ID'),
  CHOICE_UNKNOWN: permanent(422, 'The contract has no such choice'),
  ARGUMENT_INVALID: permanent(422, 'The argument does not have the type that the choice needs'),
  BULK_TOO_LARGE: permanent(422, 'The filter matches more operations than one bulk action allows'),
  PARTY_NOT_HOSTED: permanent(422, 'No configured participant hosts the party'),
  WEBHOOK_TARGET_REFUSED: permanent(422, 'Tenure may not send to the target of the webhook'),
  ISSUER_UNUSABLE: permanent(422, 'The metadata of the issuer is missing or incomplete'),
  SEARCH_TOO_BROAD: permanent(422, 'The search reads too many rows'),
  CONFIRMATION_REQUIRED: permanent(428, 'The action needs a preview and a confirmation'),
  RATE_LIMITED: transient(429, 'Too many requests'),
  STREAMS_LIMITED: transient(429, 'The caller has too many open event streams'),
  MAILBOX_FULL: transient(429, 'Too many operations already wait in this mailbox'),
  QUOTA_EXCEEDED: transient(429, 'The tenant has used up a quota'),
  HEADERS_TOO_LARGE: permanent(431, 'The headers are too large'),
  INTERNAL: permanent(500, 'Tenure failed unexpectedly'),
  STORE_NOT_READY: transient(503, 'The query store has not caught up with the ledger yet'),
  DATABASE_UNAVAILABLE: transient(503, 'The database is unavailable'),
  CLOCK_WRONG: transient(503, 'The clock of this process is wrong'),
  OVERLOADED: transient(503, 'The server has more requests than it can answer in time'),
  QUEUE_UNAVAILABLE: transient(503, 'The queue is unreachable'),
  STREAMS_EXHAUSTED: transient(503, 'This process has reached its limit of event streams'),
  LEDGER_UNAVAILABLE: transient(503, 'The ledger is unreachable, and nothing was recorded'),
  STORED_BY_NEWER: transient(503, 'A newer version of Tenure is processing this lifecycle'),
  AUTHORIZATION_SERVER_UNAVAILABLE: transient(
    503,
    'The authorization server did not give a usable answer',
  ),
};

export type ProblemCode = keyof typeof PROBLEMS;

/** A problem as it is recorded, before HTTP adds the path and the trace. */
export interface ProblemDetails {
  readonly code: ProblemCode;
  readonly status: number;
  /** One sentence for a person. Clients of the reference application show it. */
  readonly message: string;
  /** The ledger's error code, if the ledger refused. */
  readonly ledgerCode?: string;
  /** Additional members by name, such as the field, the state, or the allowed actions. */
  readonly extra?: JsonRecord;
}

export function problem(
  code: ProblemCode,
  message: string,
  more: { ledgerCode?: string; extra?: JsonRecord } = {},
): ProblemDetails {
  return { code, status: PROBLEMS[code].status, message, ...more };
}

/** Ends a call with a problem. Caught only in `src/http/kit/problem.ts`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly details: ProblemDetails;
  constructor(details: ProblemDetails, options?: ErrorOptions) {
    super(`${details.code}: ${details.message}`, options);
    this.details = details;
  }
}

/**
 * Ends a call with a problem; can be called at any depth of the stack.
 *
 * @example
 * if (lifecycle.endedAt !== null) {
 *   fail('LIFECYCLE_ENDED', 'the voucher has been redeemed', { extra: { state: lifecycle.state } });
 * }
 *
 * @throws ProblemError always
 */
export function fail(
  code: ProblemCode,
  message: string,
  more: { ledgerCode?: string; extra?: JsonRecord } = {},
): never {
  throw new ProblemError(problem(code, message, more));
}

/**
 * Refuses a request that expects another version than the current one. The message and the extra members name both.
 *
 * @param asked the versions that the request accepts; empty if its entity tag names no version
 * @throws ProblemError `PRECONDITION_FAILED`
 */
export function failVersion(
  subject: 'lifecycle' | 'policy' | 'subscription',
  version: number,
  asked: readonly number[],
  extra: JsonRecord = {},
): never {
  const named = asked.length === 0 ? 'no existing version' : `version ${asked.join(' or ')}`;
  const message = `the ${subject} is at version ${version}, and the request asks for ${named}`;
  return fail('PRECONDITION_FAILED', message, {
    extra: { version, askedVersions: asked, ...extra },
  });
}
