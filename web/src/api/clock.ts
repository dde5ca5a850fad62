import { signal } from '../signal.ts';

/** How far the server's clock is ahead of this browser's, in milliseconds. */
export const serverAheadMs = signal(0);

/** Header `Date` has whole seconds: the server's clock was less than this later. */
const DATE_STEP_MS = 1_000;

/** An answer with its headers, and when this browser asked and was answered. */
export interface TimedAnswer {
  readonly headers: Pick<Headers, 'get'>;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

/** Whether the server has just written an answer. A cached answer has the `Date` of the day on which it was stored. */
function isFresh(headers: TimedAnswer['headers']): boolean {
  return headers.get('age') === null && /\bno-store\b/u.test(headers.get('cache-control') ?? '');
}

/**
 * Corrects the difference of the clocks by the `Date` of an answer. The server wrote `Date` between the question and
 * the answer, so each answer gives a range. A difference within the range stays, so that countdowns do not jump.
 */
export function noteServerTime({ headers, askedAtMs, answeredAtMs }: TimedAnswer): void {
  const dateMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(dateMs) || !isFresh(headers)) return;
  const least = dateMs - answeredAtMs;
  const most = dateMs + DATE_STEP_MS - askedAtMs;
  serverAheadMs.set(Math.min(Math.max(serverAheadMs.get(), least), most));
}

/** Milliseconds since the epoch by the server's clock. */
export const serverNowMs = (): number => Date.now() + serverAheadMs.get();
