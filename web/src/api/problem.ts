import type { components } from './schema.ts';

export type Problem = components['schemas']['ErrorResponse'];

/** An answer that is not the one that was asked for. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Null where the answer was no problem document: a proxy's page, for example. */
  readonly problem: Problem | null;
  /** Whole seconds after which the server wants to be asked again. */
  readonly retryAfterS: number | null;

  constructor(status: number, problem: Problem | null, retryAfterS: number | null) {
    super(problem?.detail ?? `HTTP ${status}`);
    this.status = status;
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }

  get code(): string {
    return this.problem?.code ?? `HTTP_${this.status}`;
  }

  /**
   * Whether the answer proves nothing about the result of the request, and the same request may get another answer
   * soon. A failed server may have recorded the change before, and the CSRF token changes after a sign-in in another
   * tab.
   */
  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500 || this.problem?.code === 'CSRF_TOKEN_INVALID';
  }
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;

export function problemOf(response: Response, body: unknown): ProblemError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ProblemError(
    response.status,
    isProblem(body) ? body : null,
    Number.isFinite(retryAfter) ? retryAfter : null,
  );
}

/** Returns the text for a server that accepts no further requests of this person for a while. */
export const busyWords = (retryAfterS: number | null): string =>
  `The server takes no more requests ${retryAfterS === null ? 'for a moment' : `for ${retryAfterS} s`}.`;
