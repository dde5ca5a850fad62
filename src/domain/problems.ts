import type { JsonRecord } from './json.ts';

/**
 * Every way a call can fail, with its HTTP status and whether the same call may work later. A closed set:
 * docs/ERRORS.md lists each with its remedy, and a test compares the two.
 */
export const PROBLEMS = {
  COMMAND_ID_MISSING: { status: 400, title: 'The commandId is missing', retryable: false },
  COMMAND_ID_INVALID: { status: 400, title: 'The commandId is not valid', retryable: false },
  REQUEST_INVALID: { status: 400, title: 'The request is not valid', retryable: false },
  BODY_MALFORMED: { status: 400, title: 'The body is not valid JSON', retryable: false },
  UNAUTHENTICATED: { status: 401, title: 'Not authenticated', retryable: false },
  FORBIDDEN: { status: 403, title: 'Not allowed', retryable: false },
  CSRF_TOKEN_INVALID: {
    status: 403,
    title: 'The CSRF token is missing or wrong',
    retryable: false,
  },
  ROUTE_NOT_FOUND: { status: 404, title: 'No such path', retryable: false },
  NOT_FOUND: { status: 404, title: 'Not found', retryable: false },
  OPERATION_NOT_FOUND: { status: 404, title: 'No such operation', retryable: false },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed', retryable: false },
  NOT_ACCEPTABLE: { status: 406, title: 'Not acceptable', retryable: false },
  REQUEST_TIMEOUT: { status: 408, title: 'The request did not arrive in time', retryable: true },
  COMMAND_ID_TAKEN: { status: 409, title: 'The commandId is taken', retryable: false },
  STEP_NOT_ALLOWED: {
    status: 409,
    title: 'The lifecycle does not allow this step now',
    retryable: false,
  },
  LIFECYCLE_ENDED: { status: 409, title: 'The lifecycle has ended', retryable: false },
  ALLOCATION_MISMATCH: {
    status: 409,
    title: 'The allocation is not what the renewal asked for',
    retryable: false,
  },
  LICENSE_AMBIGUOUS: {
    status: 409,
    title: 'The licence of the renewal is not known',
    retryable: false,
  },
  LICENSE_MISMATCH: {
    status: 409,
    title: 'The renewal is of another licence',
    retryable: false,
  },
  CONTRACT_GONE: { status: 409, title: 'The contract is no longer active', retryable: false },
  LEDGER_REFUSED: { status: 409, title: 'The ledger refused the change', retryable: false },
  COMMAND_ID_USED_ELSEWHERE: {
    status: 409,
    title: 'Another client of the participant has used the commandId',
    retryable: false,
  },
  COMMAND_TOOK_EFFECT: {
    status: 409,
    title: 'The command has taken effect, and the database has lost its operation',
    retryable: false,
  },
  BUDGET_SPENT: { status: 409, title: 'The ledger refused every attempt', retryable: true },
  NOT_IN_DOUBT: { status: 409, title: 'The operation is not in doubt', retryable: false },
  NOT_RETRYABLE: { status: 409, title: 'The operation cannot be retried', retryable: false },
  NOT_CANCELLABLE: { status: 409, title: 'The operation cannot be cancelled', retryable: false },
  SYNCHRONIZER_CONNECTED: {
    status: 409,
    title: 'The participant is connected to the synchronizer',
    retryable: false,
  },
  NOT_REARMABLE: { status: 409, title: 'The timer cannot be set going again', retryable: false },
  PREVIEW_OVER: { status: 409, title: 'The preview cannot be applied', retryable: false },
  COUNT_MISMATCH: {
    status: 409,
    title: 'The count is not what would be acted on',
    retryable: false,
  },
  UNDO_OVER: { status: 409, title: 'The change cannot be undone any more', retryable: false },
  ACTS_LIMITED: {
    status: 409,
    title: 'The party has as many acts under way as it may have',
    retryable: true,
  },
  ACT_OVER: { status: 409, title: 'The act is over', retryable: false },
  DECISION_CONTRADICTED: {
    status: 409,
    title: 'The ledger says otherwise than the decision',
    retryable: false,
  },
  DECIDED_NO_EFFECT: {
    status: 409,
    title: 'A person has found that it took no effect',
    retryable: false,
  },
  POLICY_OUTDATED: {
    status: 409,
    title: 'The policy would not do this any more',
    retryable: false,
  },
  CANCELLED: { status: 409, title: 'The operation was cancelled', retryable: false },
  TENANT_CONFLICT: {
    status: 409,
    title: 'The tenant conflicts with a registration',
    retryable: false,
  },
  TENANT_INTERNAL: {
    status: 409,
    title: 'The tenant belongs to the configuration',
    retryable: false,
  },
  LICENSE_NOT_VALID: { status: 409, title: 'The licence is not valid now', retryable: false },
  LICENSE_KEYS_LIMITED: {
    status: 409,
    title: 'The licence has as many keys as it may have',
    retryable: false,
  },
  ALREADY_EXISTS: { status: 409, title: 'There is one already', retryable: false },
  PLAN_ARCHIVED: { status: 409, title: 'The plan is archived', retryable: false },
  WEBHOOKS_LIMITED: {
    status: 409,
    title: 'The party has as many webhooks as it may have',
    retryable: false,
  },
  WEBHOOK_TESTS_LIMITED: {
    status: 409,
    title: 'Enough tests of the webhook wait to be sent',
    retryable: true,
  },
  WEBHOOK_DISABLED: { status: 409, title: 'The webhook is disabled', retryable: false },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    title: 'The first request with the Idempotency-Key has no answer yet',
    retryable: true,
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    status: 409,
    title: 'The outcome of the first request with the Idempotency-Key is unknown',
    retryable: false,
  },
  PRECONDITION_FAILED: { status: 412, title: 'The lifecycle has changed', retryable: false },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large', retryable: false },
  MEDIA_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'The content type is not supported',
    retryable: false,
  },
  PROVIDER_MOVED: {
    status: 421,
    title: 'The provider has moved to another cell',
    retryable: false,
  },
  COMMAND_ID_REUSED: { status: 422, title: 'The commandId means another change', retryable: false },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'The Idempotency-Key means another request',
    retryable: false,
  },
  COMMAND_INVALID: {
    status: 422,
    title: 'The ledger does not accept such a command',
    retryable: false,
  },
  ALLOCATION_NOT_FOUND: {
    status: 422,
    title: 'No active allocation has this contract ID',
    retryable: true,
  },
  CHOICE_UNKNOWN: {
    status: 422,
    title: 'The contract has no such choice',
    retryable: false,
  },
  ARGUMENT_INVALID: {
    status: 422,
    title: 'The choice takes another argument',
    retryable: false,
  },
  BULK_TOO_LARGE: {
    status: 422,
    title: 'More operations than one act may hold',
    retryable: false,
  },
  PARTY_NOT_HOSTED: {
    status: 422,
    title: 'No configured participant hosts the party',
    retryable: false,
  },
  WEBHOOK_TARGET_REFUSED: {
    status: 422,
    title: 'Nothing may be sent to the target of the webhook',
    retryable: false,
  },
  ISSUER_UNUSABLE: {
    status: 422,
    title: 'The issuer does not say what is needed of it',
    retryable: false,
  },
  SEARCH_TOO_BROAD: {
    status: 422,
    title: 'The search looks at too much',
    retryable: false,
  },
  CONFIRMATION_REQUIRED: {
    status: 428,
    title: 'The act has to be previewed and confirmed first',
    retryable: false,
  },
  RATE_LIMITED: { status: 429, title: 'Too many requests', retryable: true },
  STREAMS_LIMITED: {
    status: 429,
    title: 'The caller follows too many streams at once',
    retryable: true,
  },
  MAILBOX_FULL: {
    status: 429,
    title: 'As many operations wait for their turn as may',
    retryable: true,
  },
  QUOTA_EXCEEDED: { status: 429, title: 'The tenant has used a quota', retryable: true },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large', retryable: false },
  INTERNAL: { status: 500, title: 'Internal error', retryable: false },
  STORE_NOT_READY: {
    status: 503,
    title: 'The query store does not follow the ledger yet',
    retryable: true,
  },
  DATABASE_UNAVAILABLE: { status: 503, title: 'The database does not serve now', retryable: true },
  CLOCK_WRONG: { status: 503, title: 'The clock here is wrong', retryable: true },
  OVERLOADED: {
    status: 503,
    title: 'There are more callers than can be answered in time',
    retryable: true,
  },
  QUEUE_UNAVAILABLE: { status: 503, title: 'The queue cannot be reached', retryable: true },
  STREAMS_EXHAUSTED: {
    status: 503,
    title: 'This process serves as many streams as it can',
    retryable: true,
  },
  LEDGER_UNAVAILABLE: {
    status: 503,
    title: 'The ledger cannot be reached, and nothing was recorded',
    retryable: true,
  },
  STORED_BY_NEWER: {
    status: 503,
    title: 'A newer version of Tenure is at work on this',
    retryable: true,
  },
  AUTHORIZATION_SERVER_UNAVAILABLE: {
    status: 503,
    title: 'The authorization server cannot be asked',
    retryable: true,
  },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The recorded form of a failure, before HTTP adds path and trace. */
export interface ProblemDetails {
  readonly code: ProblemCode;
  readonly status: number;
  /** One sentence for a person; the reference's clients show it. */
  readonly message: string;
  /** The ledger's error code, where the ledger refused. */
  readonly ledgerCode?: string;
  /** Named extras: the field, the state, the allowed actions. */
  readonly extra?: JsonRecord;
}

export function problem(
  code: ProblemCode,
  message: string,
  more: { ledgerCode?: string; extra?: JsonRecord } = {},
): ProblemDetails {
  return { code, status: PROBLEMS[code].status, message, ...more };
}

/** Thrown where a call ends with a problem; caught only in `src/http/kit/problem.ts`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly details: ProblemDetails;
  constructor(details: ProblemDetails, options?: ErrorOptions) {
    super(`${details.code}: ${details.message}`, options);
    this.details = details;
  }
}

/**
 * Refuses a call; may be called at any depth.
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
 * Refuses a request for another version than the current one. The message and the extra members name both.
 *
 * @param asked the versions that the request accepts; empty when its entity tag names no version
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
