import { signal } from '../signal.ts';

/** How far the server's clock is ahead of this browser's, in milliseconds. */
export const serverAheadMs = signal(0);

/**
 * Resolution of the header `Date`, which has whole seconds: when the server wrote the header, its clock was ahead of
 * the header's time by less than this.
 */
const DATE_STEP_MS = 1_000;

/** The headers of an answer, and this browser's time at the request and at the answer. */
export interface TimedAnswer {
  readonly headers: Pick<Headers, 'get'>;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

/** Whether the server has just written the answer. A cached answer has the `Date` of the day on which it was stored. */
function isFresh(headers: TimedAnswer['headers']): boolean {
  return headers.get('age') === null && /\bno-store\b/u.test(headers.get('cache-control') ?? '');
}

/**
 * Corrects the difference between the clocks with the `Date` of an answer. The server wrote `Date` between the request
 * and the answer, so each answer gives a range. A difference within the range is kept, so that countdowns do not jump.
 */
export function noteServerTime({ headers, askedAtMs, answeredAtMs }: TimedAnswer): void {
  const dateMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(dateMs) || !isFresh(headers)) return;
  const least = dateMs - answeredAtMs;
  const most = dateMs + DATE_STEP_MS - askedAtMs;
  serverAheadMs.set(Math.min(Math.max(serverAheadMs.get(), least), most));
}

/** Returns the server's time in milliseconds since the epoch. */
export const serverNowMs = (): number => Date.now() + serverAheadMs.get();
