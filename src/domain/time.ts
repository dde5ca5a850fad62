const FRACTION = /\.(\d{1,6})\d*Z$/u;

/**
 * Milliseconds since 1970 of an ISO 8601 instant in UTC, exact to the microsecond: the fraction of a
 * millisecond is kept, which `Date.parse` drops. Ledger times differ by less than a millisecond.
 */
export function isoToMs(iso: string): number {
  const micros = FRACTION.exec(iso)?.[1]?.padEnd(6, '0') ?? '000000';
  return Date.parse(iso) + Number(micros.slice(3)) / 1_000;
}
