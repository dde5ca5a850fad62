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
  UNAUTHENTICATED: permanent(401, 'Not authenticated'),
  FORBIDDEN: permanent(403, 'Not allowed'),
  CSRF_TOKEN_INVALID: permanent(403, 'The CSRF token is missing or wrong'),
  ROUTE_NOT_FOUND: permanent(404, 'No such path'),
  NOT_FOUND: permanent(404, 'Not found'),
  OPERATION_NOT_FOUND: permanent(404, 'No such operation'),
  METHOD_NOT_ALLOWED: permanent(405, 'Method not allowed'),
  NOT_ACCEPTABLE: permanent(406, 'Not acceptable'),
  REQUEST_TIMEOUT: transient(408, 'The request did not arrive in time'),
  COMMAND_ID_TAKEN: permanent(409, 'The commandId is taken'),
  STEP_NOT_ALLOWED: permanent(409, 'The lifecycle does not allow this step now'),
  LIFECYCLE_ENDED: permanent(409, 'The lifecycle has ended'),
  ALLOCATION_MISMATCH: permanent(409, 'The allocation is not what the renewal asked for'),
  LICENSE_AMBIGUOUS: permanent(409, 'The licence of the renewal is not known'),
  LICENSE_MISMATCH: permanent(409, 'The renewal is of another licence'),
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
  NOT_REARMABLE: permanent(409, 'The timer cannot be set going again'),
  PREVIEW_OVER: permanent(409, 'The preview cannot be applied'),
  COUNT_MISMATCH: permanent(409, 'The count is not what would be acted on'),
  UNDO_OVER: permanent(409, 'The change cannot be undone any more'),
  ACTS_LIMITED: transient(409, 'The party has as many acts under way as it may have'),
  ACT_OVER: permanent(409, 'The act is over'),
  DECISION_CONTRADICTED: permanent(409, 'The ledger says otherwise than the decision'),
  DECIDED_NO_EFFECT: permanent(409, 'A person has found that it took no effect'),
  POLICY_OUTDATED: permanent(409, 'The policy would not do this any more'),
  CANCELLED: permanent(409, 'The operation was cancelled'),
  TENANT_CONFLICT: permanent(409, 'The tenant conflicts with a registration'),
  TENANT_INTERNAL: permanent(409, 'The tenant belongs to the configuration'),
  LICENSE_NOT_VALID: permanent(409, 'The licence is not valid now'),
  LICENSE_KEYS_LIMITED: permanent(409, 'The licence has as many keys as it may have'),
  ALREADY_EXISTS: permanent(409, 'There is one already'),
  PLAN_ARCHIVED: permanent(409, 'The plan is archived'),
  WEBHOOKS_LIMITED: permanent(409, 'The party has as many webhooks as it may have'),
  WEBHOOK_TESTS_LIMITED: transient(409, 'Enough tests of the webhook wait to be sent'),
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
  COMMAND_ID_REUSED: permanent(422, 'The commandId means another change'),
  IDEMPOTENCY_KEY_REUSED: permanent(422, 'The Idempotency-Key means another request'),
  COMMAND_INVALID: permanent(422, 'The ledger does not accept such a command'),
  ALLOCATION_NOT_FOUND: transient(422, 'No active allocation has this contract ID'),
  CHOICE_UNKNOWN: permanent(422, 'The contract has no such choice'),
  ARGUMENT_INVALID: permanent(422, 'The choice takes another argument'),
  BULK_TOO_LARGE: permanent(422, 'More operations than one act may hold'),
  PARTY_NOT_HOSTED: permanent(422, 'No configured participant hosts the party'),
  WEBHOOK_TARGET_REFUSED: permanent(422, 'Nothing may be sent to the target of the webhook'),
  ISSUER_UNUSABLE: permanent(422, 'The issuer does not say what is needed of it'),
  SEARCH_TOO_BROAD: permanent(422, 'The search looks at too much'),
  CONFIRMATION_REQUIRED: permanent(428, 'The act has to be previewed and confirmed first'),
  RATE_LIMITED: transient(429, 'Too many requests'),
  STREAMS_LIMITED: transient(429, 'The caller follows too many streams at once'),
  MAILBOX_FULL: transient(429, 'As many operations wait for their turn as may'),
  QUOTA_EXCEEDED: transient(429, 'The tenant has used a quota'),
  HEADERS_TOO_LARGE: permanent(431, 'The headers are too large'),
  INTERNAL: permanent(500, 'Internal error'),
  STORE_NOT_READY: transient(503, 'The query store does not follow the ledger yet'),
  DATABASE_UNAVAILABLE: transient(503, 'The database does not serve now'),
  CLOCK_WRONG: transient(503, 'The clock here is wrong'),
  OVERLOADED: transient(503, 'There are more callers than can be answered in time'),
  QUEUE_UNAVAILABLE: transient(503, 'The queue cannot be reached'),
  STREAMS_EXHAUSTED: transient(503, 'This process serves as many streams as it can'),
  LEDGER_UNAVAILABLE: transient(503, 'The ledger cannot be reached, and nothing was recorded'),
  STORED_BY_NEWER: transient(503, 'A newer version of Tenure is at work on this'),
  AUTHORIZATION_SERVER_UNAVAILABLE: transient(503, 'The authorization server cannot be asked'),
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
  const named = asked.length === 0 ? 'no version that exists' : `version ${asked.join(' or ')}`;
  const message = `the ${subject} is at version ${version}, and the request asks for ${named}`;
  return fail('PRECONDITION_FAILED', message, {
    extra: { version, askedVersions: asked, ...extra },
  });
}
