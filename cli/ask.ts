import { lineOf } from './output.ts';

/**
 * Why nothing was answered, in words. `fetch` hides a failed connection in its cause, and tells the end of a wait as an
 * operation that was aborted.
 *
 * @param patienceMs how long was waited at most
 */
export function whyNoAnswer(error: unknown, patienceMs: number): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `nothing came within ${patienceMs / 1_000} s`;
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return lineOf(cause) || 'no connection';
}

export interface Answered {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
}

/**
 * Calls a part of LocalNet, and reads the whole answer.
 *
 * @param whom as a person calls it, such as `the participant`
 * @throws Error that says who did not answer, where and why
 */
export async function ask(
  whom: string,
  url: string,
  patienceMs: number,
  init: RequestInit = {},
): Promise<Answered> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return { ok: answer.ok, status: answer.status, text: await answer.text() };
  } catch (error) {
    const why = whyNoAnswer(error, patienceMs);
    const at = new URL(url).origin;
    throw new Error(`no answer from ${whom} at ${at}: ${why}. See whether it runs.`, {
      cause: error,
    });
  }
}
