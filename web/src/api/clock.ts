import { signal } from '../signal.ts';

/** How far the server's clock is ahead of this browser's, in milliseconds; header `Date` has whole seconds. */
export const serverAheadMs = signal(0);

/** A difference that is worth telling: below it, the header's own second is larger. */
const NOTABLE_MS = 2_000;

export function noteServerTime(date: string | null): void {
  if (date === null) return;
  const ahead = Date.parse(date) - Date.now();
  if (!Number.isNaN(ahead)) serverAheadMs.set(Math.abs(ahead) < NOTABLE_MS ? 0 : ahead);
}

/** Milliseconds since the epoch by the server's clock. */
export const serverNowMs = (): number => Date.now() + serverAheadMs.get();
