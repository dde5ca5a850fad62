/* Periods of plans. `P1M` and `P1Y` are calendar months and years; any other duration has a fixed length. */

const MONTHS = /^P(?:(\d{1,3})Y)?(?:(\d{1,4})M)?$/u;

/** Returns the number of calendar months in a period, or `null` if the period has a fixed length or is invalid. */
export function monthsOf(period: string): number | null {
  const [, years = '0', months = '0'] = MONTHS.exec(period) ?? [];
  const count = Number(years) * 12 + Number(months);
  return count > 0 ? count : null;
}

const daysOfMonth = (year: number, month: number): number =>
  new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/**
 * Returns the same day and time some months later, in UTC; in a shorter month, its last day.
 *
 * @param fromMs milliseconds since 1970; a fraction is kept
 */
export function afterMonths(fromMs: number, months: number): number {
  const from = new Date(Math.floor(fromMs));
  const at = from.getUTCFullYear() * 12 + from.getUTCMonth() + months;
  const [year, month] = [Math.floor(at / 12), at % 12];
  const day = Math.min(from.getUTCDate(), daysOfMonth(year, month));
  const midnight = Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate());
  return Date.UTC(year, month, day) + (fromMs - midnight);
}
