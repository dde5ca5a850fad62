export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const FRACTION = /\.(\d{1,6})\d*Z$/u;

/**
 * Returns the milliseconds since 1970 of an ISO 8601 instant in UTC, exact to the microsecond: it keeps the fraction of
 * a millisecond, which `Date.parse` drops. Ledger times can differ by less than a millisecond.
 */
export function isoToMs(iso: string): number {
  const micros = FRACTION.exec(iso)?.[1]?.padEnd(6, '0') ?? '000000';
  return Date.parse(iso) + Number(micros.slice(3)) / 1_000;
}

const UTC_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/u;

/** Returns whether the text is an existing UTC instant of at most microseconds: no 30th of February, no hour 24. */
export function isUtcInstant(iso: string): boolean {
  const ms = UTC_INSTANT.test(iso) ? Date.parse(iso) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 19) === iso.slice(0, 19);
}

/**
 * Returns the instant that is `micros` after another one, as ISO 8601 in UTC with microseconds.
 *
 * @param ms milliseconds since 1970; may have a fraction
 */
export function isoAfter(ms: number, micros = 0n): string {
  const at = BigInt(Math.floor(ms * 1_000)) + micros;
  const fraction = String(at % 1_000_000n).padStart(6, '0');
  return `${new Date(Number(at / 1_000_000n) * 1_000).toISOString().slice(0, -5)}.${fraction}Z`;
}

/** Ledger time in milliseconds since 1970: the best estimate, and one that has surely passed. See `LedgerClock`. */
export interface LedgerTimes {
  readonly nowMs: number;
  readonly certainMs: number;
}

/**
 * Returns whether a deadline has passed. At the very instant of the deadline it has passed. Source: Daml's
 * `assertDeadlineExceeded`, inclusive. `deadline` is ISO 8601; `nowMs` may have a fraction.
 */
export const isPast = (deadline: string, nowMs: number): boolean => isoToMs(deadline) <= nowMs;
