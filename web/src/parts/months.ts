/* Months and rates of statistics in words. */

const MONTH = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

const SHORT = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });

const startOf = (period: string): number => Date.parse(`${period}-01T00:00:00Z`);

/** Returns a month in words: `2026-01` is "Jan 2026". */
export const monthWords = (period: string): string => MONTH.format(startOf(period));

/** Returns a month's label on an axis: the year for a January, such as "2026", else the month, such as "Feb". */
export const monthTick = (period: string): string =>
  period.endsWith('-01') ? period.slice(0, 4) : SHORT.format(startOf(period));

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

export const rateWords = (rate: string | null): string =>
  rate === null ? 'None due' : PERCENT.format(Number(rate));
