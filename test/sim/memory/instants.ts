import { isoToMs } from '../../../src/domain/time.ts';
import { DatabaseError } from './database-error.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/u;
const FRACTION = /\.(\d{1,6})Z$/u;

/**
 * Returns an instant as Tenure reads it from PostgreSQL: with no, three or six digits of fractions, whatever the
 * precision of the input.
 *
 * @throws DatabaseError for a string that is not an instant in UTC
 */
export function instant(iso: string): string {
  if (!INSTANT.test(iso)) throw new DatabaseError('22007', `not an instant in UTC: ${iso}`);
  const digits = FRACTION.exec(iso)?.[1];
  if (digits === undefined) return iso;
  const shortest = digits.replace(/0+$/u, '');
  if (shortest === '') return iso.replace(FRACTION, 'Z');
  return iso.replace(FRACTION, `.${shortest.padEnd(shortest.length > 3 ? 6 : 3, '0')}Z`);
}

export const instantOrNull = (iso: string | null): string | null =>
  iso === null ? null : instant(iso);

/** @param ms milliseconds since 1970 */
export const instantOf = (ms: number): string => instant(new Date(ms).toISOString());

/** Returns milliseconds since 1970. Microseconds are in the fraction. */
export const msOf = (iso: string): number => isoToMs(instant(iso));
