import type { components } from '../../../client/schema.ts';
import { numberText, timeText } from '../texts/intl.ts';
import * as t from '../texts/licensing.ts';

/* Months and rates of statistics in words. */

const startOf = (period: string): number => Date.parse(`${period}-01T00:00:00Z`);

/** Returns a month in words: `2026-01` is "Jan 2026". */
export const monthWords = (period: string): string =>
  timeText(startOf(period), 'monthAndYear', 'UTC');

/** Returns a month's label on an axis: the year for a January, such as "2026", else the month, such as "Feb". */
export const monthTick = (period: string): string =>
  period.endsWith('-01') ? period.slice(0, 4) : timeText(startOf(period), 'month', 'UTC');

export const rateWords = (rate: string | null): string =>
  rate === null ? t.noneDue : numberText(rate, 'percent');

/** Returns the traffic of a month in bytes; `undefined` if not all its days were read. */
export type TrafficOf = (month: string) => number | undefined;

/**
 * Adds the traffic of days up by months of UTC. Months before the oldest day are unknown, and so is the month of that
 * day if older days were not read.
 *
 * @param days the newest day first
 */
export function trafficOf(
  days: readonly Pick<components['schemas']['Cost'], 'day' | 'bytes'>[],
  areAllRead: boolean,
): TrafficOf {
  const byMonth = new Map<string, number>();
  for (const { day = '', bytes } of days) {
    const month = day.slice(0, 'YYYY-MM'.length);
    byMonth.set(month, (byMonth.get(month) ?? 0) + bytes);
  }
  const oldest = [...byMonth.keys()].at(-1);
  return (month) =>
    oldest === undefined || month < oldest || (month === oldest && !areAllRead)
      ? undefined
      : (byMonth.get(month) ?? 0);
}
