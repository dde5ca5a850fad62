/*
 * Conversion of ledger times to text and back. The ledger counts microseconds and a JavaScript Date milliseconds, so
 * the fraction of a second is handled separately and nothing is rounded.
 */

const MICROS_PER_SECOND = 1_000_000n;
const MS_PER_DAY = 86_400_000;

/** The limits of a ledger timestamp: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z. */
export const MICROS_MIN = -62_135_596_800_000_000n;
export const MICROS_MAX = 253_402_300_799_999_999n;
/** The limits of a ledger date: 0001-01-01 and 9999-12-31. */
export const DAYS_MIN = -719_162;
export const DAYS_MAX = 2_932_896;

const ISO_INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Formats a fraction with the fewest of zero, three or six digits that lose nothing, as in the query store. */
function fraction(micros: number): string {
  if (micros === 0) return '';
  const digits = String(micros).padStart(6, '0');
  return `.${digits.endsWith('000') ? digits.slice(0, 3) : digits}`;
}

/** Returns an instant such as `2025-10-28T16:20:38.735022Z`. @throws RangeError outside the years 1 to 9999 */
export function microsToIso(micros: bigint): string {
  if (micros < MICROS_MIN || micros > MICROS_MAX) {
    throw new RangeError(`not a ledger time: ${micros} microseconds`);
  }
  const rest = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const second = new Date(Number((micros - rest) / 1_000n)).toISOString().slice(0, 19);
  return `${second}${fraction(Number(rest))}Z`;
}

/** Returns `null` if the text is not such an instant, has more than six fraction digits, or names a nonexistent day. */
export function isoToMicros(text: string): bigint | null {
  const match = ISO_INSTANT.exec(text);
  if (match === null) return null;
  const [, second = '', digits = ''] = match;
  const ms = Date.parse(`${second}Z`);
  // Date accepts 30 February and hour 24, and takes them for a moment of a following day.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== second) return null;
  const micros = BigInt(ms) * 1_000n + BigInt(digits.padEnd(6, '0'));
  return micros < MICROS_MIN ? null : micros;
}

/** Returns a date such as `2025-10-28`. @throws RangeError outside the years 1 to 9999 */
export function daysToIso(days: number): string {
  if (!Number.isInteger(days) || days < DAYS_MIN || days > DAYS_MAX) {
    throw new RangeError(`not a ledger date: day ${days}`);
  }
  return new Date(days * MS_PER_DAY).toISOString().slice(0, 10);
}

/** Returns `null` if the text is not an existing day. */
export function isoToDays(text: string): number | null {
  if (!ISO_DATE.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text)) return null;
  const days = ms / MS_PER_DAY;
  return days < DAYS_MIN ? null : days;
}

/** Returns the microseconds of a protobuf timestamp. Further digits are dropped: the ledger has none. */
export const timestampToMicros = (at: {
  readonly seconds: bigint;
  readonly nanos: number;
}): bigint => at.seconds * MICROS_PER_SECOND + BigInt(Math.floor(at.nanos / 1_000));
