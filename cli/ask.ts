import { lineOf } from './output.ts';

/**
 * Explains why there was no answer. `fetch` hides a failed connection in the error's cause, and reports a timeout as an
 * aborted operation.
 *
 * @param patienceMs the longest wait for the answer
 */
export function whyNoAnswer(error: unknown, patienceMs: number): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `no data arrived within ${patienceMs / 1_000} s`;
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return lineOf(cause) || 'the connection failed';
}

export interface Answered {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
}

/**
 * Calls a part of LocalNet, and reads the whole answer.
 *
 * @param whom the part's name for people, such as `the participant`
 * @throws Error that says which part did not answer, at which address, and why
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
    throw new Error(`no answer from ${whom} at ${at}: ${why}. Check that the server runs.`, {
      cause: error,
    });
  }
}
