import { DAY_MS } from './time.ts';

/*
 * Calendar months in a time zone. The boundaries of a subscription's periods are counted from its first start, for
 * example 31 January, 28 February, 31 March. Times are microseconds since 1970, as on the ledger.
 */

/** A local time of a zone, encoded as if it were UTC. The month is 0 to 11. */
interface Local {
  readonly micros: bigint;
  readonly year: number;
  readonly month: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

function localOf(micros: bigint, zone: string): Local {
  const ms = Number(micros / 1_000n);
  const parts = formatOf(zone).formatToParts(ms);
  const at = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value);
  const [year, month] = [at('year'), at('month') - 1];
  const second = Date.UTC(year, month, at('day'), at('hour'), at('minute'), at('second'));
  return { micros: BigInt(second) * 1_000n + (micros % 1_000_000n), year, month };
}

/**
 * Returns the instant of a local time. If the clocks skip that time, the result is later by the skipped amount; if the
 * clocks repeat it, the result is its first occurrence.
 */
function instantOf(local: bigint, zone: string): bigint {
  const offsetAt = (micros: bigint): bigint => localOf(micros, zone).micros - micros;
  const day = BigInt(DAY_MS) * 1_000n;
  const [before, after] = [offsetAt(local - day), offsetAt(local + day)];
  const first = local - (before > after ? before : after);
  if (localOf(first, zone).micros === local) return first;
  return local - before;
}

/** Returns the same local day and time some months later, or the last day of the month if the month is shorter. */
export function monthsAfter(from: bigint, months: number, zone: string): bigint {
  const start = localOf(from, zone);
  const at = start.year * 12 + start.month + months;
  const [year, month] = [Math.floor(at / 12), at % 12];
  const monthStart = BigInt(Date.UTC(start.year, start.month, 1)) * 1_000n;
  const sinceMonthStart = start.micros - monthStart;
  const day = BigInt(DAY_MS) * 1_000n;
  const last = BigInt(new Date(Date.UTC(year, month + 1, 0)).getUTCDate() - 1);
  const wanted = sinceMonthStart / day;
  const shifted = sinceMonthStart - (wanted > last ? (wanted - last) * day : 0n);
  return instantOf(BigInt(Date.UTC(year, month, 1)) * 1_000n + shifted, zone);
}

/** Returns the number of calendar months from `from` to `to`; `null` if the time between is not whole months. */
export function monthsUpTo(from: bigint, to: bigint, zone: string): number | null {
  const [a, b] = [localOf(from, zone), localOf(to, zone)];
  const months = (b.year - a.year) * 12 + b.month - a.month;
  return months >= 0 && monthsAfter(from, months, zone) === to ? months : null;
}
