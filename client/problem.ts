import type { components } from './schema.ts';

/* What a call ends with if it does not end with a success. */

/** A problem document (RFC 9457) of Tenure. */
export type Problem = components['schemas']['ErrorResponse'];
export type ProblemCode = Problem['code'];

/** An answer other than a success. */
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

  /** Whether the failure is the recorded one of an earlier call: the same command ID is answered so for ever. */
  get isRepeat(): boolean {
    return this.problem?.replayed === true;
  }

  /**
   * Whether the same call may have another answer soon. A server that failed may have recorded the call before, so the
   * answer does not say what became of the call.
   */
  get isPassing(): boolean {
    if (this.isRepeat) return false;
    const { status } = this;
    return status === 408 || status === 429 || status >= 500 || this.code === 'CSRF_TOKEN_INVALID';
  }

  /** Whether the answer is final for this command: another attempt needs another command ID. */
  get isFinal(): boolean {
    return this.problem !== null && !this.isPassing && this.status !== 401;
  }
}

/** No answer came, for as long as the client was patient. What became of the call is not known. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;

/** `Retry-After` in seconds: the header has seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterS(headers: Pick<Headers, 'get'>, nowMs = Date.now()): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/u.test(text)) return Number(text);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}

/** The body of an answer: JSON as a value, `null` without a body, other text as it is. */
export async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

/** The problem that an answer other than a success tells. */
export const problemOf = (response: Response, body: unknown): ProblemError =>
  new ProblemError(response.status, isProblem(body) ? body : null, retryAfterS(response.headers));
