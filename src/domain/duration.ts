import { Duration } from '@js-joda/core';

/** Returns the length in microseconds of an ISO 8601 duration of days and time, or `null` if it is invalid. */
export function microsOf(duration: string): bigint | null {
  try {
    const parsed = Duration.parse(duration);
    return BigInt(parsed.seconds()) * 1_000_000n + BigInt(Math.trunc(parsed.nano() / 1_000));
  } catch {
    return null; // Drops the library's message, which is not written for callers.
  }
}
