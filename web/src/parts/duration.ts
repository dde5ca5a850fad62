/* ISO 8601 durations in days and time. */

export type Unit = 'D' | 'H' | 'M' | 'ISO';

const SIMPLE = /^(?:P(\d+)D|PT(\d+)([HM]))$/u;
const ISO =
  /^P(?=.)(?:\d+(?:\.\d+)?D)?(?:T(?=.)(?:\d+(?:\.\d+)?H)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?S)?)?$/u;

/**
 * Splits a duration into a number and its unit. A duration that has no such form is returned unchanged with the unit
 * `ISO`.
 */
export function split(iso: string): readonly [count: string, unit: Unit] {
  // A duration of zero has no unit.
  if (iso === 'PT0S') return ['0', 'H'];
  const [, days, count, unit] = SIMPLE.exec(iso) ?? [];
  if (days !== undefined) return [days, 'D'];
  if (count !== undefined) return [count, unit as Unit];
  return /^P(?:T)?([DHM])?$/u.test(iso) ? ['', (iso.at(-1) ?? 'D') as Unit] : [iso, 'ISO'];
}

export const join = (count: string, unit: Unit): string =>
  unit === 'ISO' ? count : unit === 'D' ? `P${count}D` : `PT${count}${unit}`;

/** Converts a duration in hours to days if it has whole days, because the API writes some durations in hours. */
export function inDays(iso: string): string {
  const hours = Number(/^PT(\d+)H$/u.exec(iso)?.[1] ?? Number.NaN);
  return hours > 0 && hours % 24 === 0 ? `P${hours / 24}D` : iso;
}

/** Returns the milliseconds of an ISO 8601 duration in days and time; null for any other text. */
export function durationMs(iso: string): number | null {
  if (!ISO.test(iso)) return null;
  const of = (pattern: RegExp): number => Number(pattern.exec(iso)?.[1] ?? '0');
  const time = iso.includes('T') ? iso.slice(iso.indexOf('T')) : '';
  const part = (letter: string): number =>
    Number(new RegExp(`([\\d.]+)${letter}`, 'u').exec(time)?.[1] ?? '0');
  return (
    of(/^P([\d.]+)D/u) * 86_400_000 + part('H') * 3_600_000 + part('M') * 60_000 + part('S') * 1_000
  );
}
