import { STATUS_CODES } from 'node:http';
import type { JsonRecord } from '../../domain/json.ts';
import { DAY_MS, SECOND_MS } from '../../domain/time.ts';
import { HTTP_LIMITS } from '../limits.ts';
import type { ProblemCode, ProblemDetails } from '../../domain/problems.ts';
import { PROBLEMS, ProblemError, problem } from '../../domain/problems.ts';
import type { ToldPolicy } from './tenant-limits.ts';
import { exceededHeaders } from './tenant-limits.ts';
import { validationProblem } from './validation.ts';

export const PROBLEM_JSON = 'application/problem+json';

/** The part of a problem that depends on the request. */
export interface ProblemPlace {
  readonly instance: string;
  /** The part of the requested path that precedes the routes of this process. */
  readonly prefix: string;
  readonly traceId: string;
  readonly commandId: string | null;
}

/** The address below which each code has a page with its text from docs/ERRORS.md. */
export const PROBLEM_PAGES = '/errors';

/** The address of the page of a code. */
export const problemPath = (code: ProblemCode): string =>
  `${PROBLEM_PAGES}/${code.toLowerCase().replaceAll('_', '-')}`;

/**
 * Returns a problem in the format of RFC 9457, plus `message`, the only member that clients of the reference
 * application read, and our own members. Extra members are added but never replace one of these.
 */
export function problemBody(details: ProblemDetails, place: ProblemPlace): JsonRecord {
  const { title, retryable } = PROBLEMS[details.code];
  return {
    ...details.extra,
    type: place.prefix + problemPath(details.code),
    title,
    status: details.status,
    detail: details.message,
    instance: place.instance,
    message: details.message,
    code: details.code,
    ...(details.ledgerCode === undefined ? {} : { ledgerCode: details.ledgerCode }),
    retryable,
    ...(place.commandId === null ? {} : { commandId: place.commandId }),
    traceId: place.traceId,
  };
}

/** Codes whose problems have a retry delay although their status is not 503. */
const RETRY_CODES: ReadonlySet<ProblemCode> = new Set(['STREAMS_LIMITED']);

type Unnamed = Omit<ToldPolicy, 'quota'>;

/** Limits that are checked after the limits of HTTP requests, by the name of the quota in the problem. */
const CHECKED_LATER: Readonly<Record<string, Unnamed | undefined>> = {
  lane: { policy: 'lane', unit: 'concurrent-requests' },
  openOperations: { policy: 'open-operations', unit: 'concurrent-requests' },
  commentsPerDay: { policy: 'comments-per-day', unit: 'requests', windowMs: DAY_MS },
  trafficPerDay: { policy: 'traffic-per-day', unit: 'content-bytes', windowMs: DAY_MS },
  nameLookups: { policy: 'name-lookups', unit: 'concurrent-requests' },
};

/** Returns the headers for the exceeded limit in `CHECKED_LATER` that a problem names; `null` if it names none. */
function checkedLater({ extra }: ProblemDetails): Readonly<Record<string, string>> | null {
  const quota = extra?.['quota'];
  const policy = typeof quota === 'string' ? CHECKED_LATER[quota] : undefined;
  if (policy === undefined) return null;
  const afterMs = Number(extra?.['retryAfterS'] ?? 1) * SECOND_MS;
  return exceededHeaders({ ...policy, quota: Number(extra?.['limit']) }, afterMs);
}

/** Returns the headers that an answer with this problem has. */
export function problemHeaders(details: ProblemDetails): Readonly<Record<string, string>> {
  const limits = details.status === 429 ? checkedLater(details) : null;
  if (limits !== null) return limits;
  if (details.status === 503 || RETRY_CODES.has(details.code)) {
    const usualS = HTTP_LIMITS.retryAfterMs / 1_000;
    return { 'retry-after': String(Number(details.extra?.['retryAfterS'] ?? usualS)) };
  }
  if (details.code !== 'UNAUTHENTICATED') return {};
  // RFC 6750, 3: an answer to a caller that sent no token has no error code.
  const isBadToken = details.extra?.['reason'] === 'invalid_token';
  const error = isBadToken ? `, error="invalid_token", error_description="${details.message}"` : '';
  return { 'www-authenticate': `Bearer realm="tenure"${error}` };
}

/** Refusals that Fastify itself produces, by its error codes. */
const FRAMEWORK: Readonly<Record<string, readonly [ProblemCode, string] | undefined>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['MEDIA_TYPE_UNSUPPORTED', 'the body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'BODY_MALFORMED',
    'the body is not as long as its Content-Length says',
  ],
  FST_ERR_BAD_URL: ['REQUEST_INVALID', 'the path is not percent-encoded UTF-8'],
  FST_ERR_MAX_PARAM_LENGTH: ['ROUTE_NOT_FOUND', 'no id is that long'],
};

const BODY_TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;

/** Applies `find` to an error and its causes, and returns the first result. */
function ofCauses<T>(error: unknown, find: (error: unknown) => T | null): T | null {
  let at: unknown = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth += 1, at = at.cause) {
    const found = find(at);
    if (found !== null) return found;
  }
  return null;
}

/** Functions that recognise errors of this process's dependencies. */
export interface Outages {
  /** Returns why the database is unavailable, in words for callers; `null` for any other error. */
  readonly databaseOutage: (error: unknown) => string | null;
  readonly isLedgerUnavailable?: (error: unknown) => boolean;
}

function outageProblem(error: unknown, outages: Outages): ProblemDetails | null {
  const words = ofCauses(error, outages.databaseOutage);
  if (words !== null) {
    return problem(
      'DATABASE_UNAVAILABLE',
      `${words}; repeating the call with the same commandId is safe`,
    );
  }
  const { isLedgerUnavailable = () => false } = outages;
  if (ofCauses(error, (cause) => (isLedgerUnavailable(cause) ? true : null)) !== null) {
    return problem('LEDGER_UNAVAILABLE', 'the ledger cannot be reached now; nothing was recorded');
  }
  return null;
}

/**
 * Converts any error to a problem. An unknown error is a bug and becomes `INTERNAL`, which reveals no details.
 *
 * @param bodyBytesMax the body limit of the route
 */
export function toProblem(
  error: unknown,
  outages: Outages,
  bodyBytesMax: number = HTTP_LIMITS.httpBodyBytesMax,
): ProblemDetails {
  if (error instanceof ProblemError) return error.details;
  const outage = outageProblem(error, outages);
  if (outage !== null) return outage;
  const framework = FRAMEWORK[codeOf(error)];
  if (framework !== undefined) return problem(framework[0], framework[1]);
  if (codeOf(error) === BODY_TOO_LARGE) {
    return problem('BODY_TOO_LARGE', `the body must have at most ${bodyBytesMax} bytes`);
  }
  const invalid = validationProblem(error);
  if (invalid !== null) return invalid;
  const status = statusOf(error);
  if (status >= 400 && status < 500) {
    return problem(
      'REQUEST_INVALID',
      `the request is not valid: ${STATUS_CODES[status] ?? status}`,
    );
  }
  return problem('INTERNAL', 'something went wrong here; the log has it under the trace id');
}
