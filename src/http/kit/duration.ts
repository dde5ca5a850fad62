import { Duration } from '@js-joda/core';
import { microsOf } from '../../domain/duration.ts';
import { LIMITS } from '../../domain/limits.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { invalid } from './invalid.ts';

/** Returns the microseconds of an ISO 8601 duration in days and time, or `null` for an invalid duration. */
export function durationMicros(text: string): bigint | null {
  return text.length > HTTP_LIMITS.durationCharsMax ? null : microsOf(text);
}

/** Returns the milliseconds of a duration that stands for a time in a filter. @throws ProblemError `REQUEST_INVALID` */
export function ageMs({ name, given }: { readonly name: string; readonly given: string }): number {
  try {
    const age = Duration.parse(given.slice(0, HTTP_LIMITS.ageCharsMax)).toMillis();
    if (age >= 0 && age <= LIMITS.durationMsMax) return age;
  } catch {
    // The library's message is not meant for callers.
  }
  return invalid(
    name,
    'must be an ISO 8601 duration of days and time such as PT1H or P30D, or an instant such as 2030-01-31T12:00:00Z',
  );
}
