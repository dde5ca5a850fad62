import { Duration } from '@js-joda/core';
import { HTTP_LIMITS } from '../limits.ts';

/** Microseconds of an ISO 8601 duration in days and time, or `null` when it is none. */
export function durationMicros(text: string): bigint | null {
  if (text.length > HTTP_LIMITS.durationCharsMax) return null;
  try {
    const parsed = Duration.parse(text);
    return BigInt(parsed.seconds()) * 1_000_000n + BigInt(Math.trunc(parsed.nano() / 1_000));
  } catch {
    return null; // The library's words are not for callers.
  }
}
