import type { components } from './schema.ts';

/* The errors with which a call ends if it does not succeed. */

/** A problem document of Tenure (RFC 9457). */
export type Problem = components['schemas']['ErrorResponse'];
export type ProblemCode = Problem['code'];

/** Thrown if the server answered, but not with a success. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** `null` if the answer is not a problem document of Tenure, for example the page of a proxy. */
  readonly problem: Problem | null;
  /** Seconds after which the server accepts another call. */
  readonly retryAfterS: number | null;

  constructor(status: number, problem: Problem | null, retryAfterS: number | null = null) {
    super(problem?.detail ?? `HTTP ${status}`);
    this.status = status;
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }

  get code(): ProblemCode | `HTTP_${number}` {
    return this.problem?.code ?? `HTTP_${this.status}`;
  }

  /** Whether this is the recorded failure of an earlier call. The same command ID always gets this answer. */
  get isRepeat(): boolean {
    return this.problem?.replayed === true;
  }

  /**
   * Whether a repetition of the call may soon get another answer. A server that failed may already have recorded the
   * call, so the answer does not say whether the call took effect.
   */
  get isPassing(): boolean {
    if (this.isRepeat) return false;
    const { status } = this;
    return status === 408 || status === 429 || status >= 500 || this.code === 'CSRF_TOKEN_INVALID';
  }

  /** Whether the answer is final for this command ID. Another try needs a new command ID. */
  get isFinal(): boolean {
    return this.problem !== null && !this.isPassing && this.status !== 401;
  }
}

/**
 * Thrown if there was no answer within the time for which the client waits and repeats. It is not known whether the
 * call took effect.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;

/** Returns `Retry-After` in seconds. The header contains seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterS(headers: Pick<Headers, 'get'>, nowMs = Date.now()): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/u.test(text)) return Number(text);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}

/** Returns the body of an answer: a value for JSON, `null` without a body, other text unchanged. */
export async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

/** Returns the error for an answer that is not a success. */
export const problemOf = (response: Response, body: unknown): ProblemError =>
  new ProblemError(response.status, isProblem(body) ? body : null, retryAfterS(response.headers));
