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
