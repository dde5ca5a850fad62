const FRACTION = /\.(\d{1,6})Z$/u;

/**
 * An instant as PostgreSQL and our reading of it give it back: with no fraction, three digits of one or six, whatever
 * digits it came with.
 */
export function instant(iso: string): string {
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
