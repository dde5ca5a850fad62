import { Duration } from '@js-joda/core';

/** Returns the microseconds of an ISO 8601 duration in days and time, or `null` for an invalid duration. */
export function microsOf(duration: string): bigint | null {
  try {
    const parsed = Duration.parse(duration);
    return BigInt(parsed.seconds()) * 1_000_000n + BigInt(Math.trunc(parsed.nano() / 1_000));
  } catch {
    return null; // The library's message is not for callers.
  }
}
