import { LedgerError } from './ledger-error.ts';

/** Daml's Time: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z, in microseconds. */
export const TIMESTAMP_MICROS_MIN = -62_135_596_800_000_000n;
export const TIMESTAMP_MICROS_MAX = 253_402_300_799_999_999n;
/** Daml's Date: the same years, in days since 1970-01-01. */
export const DATE_DAYS_MIN = -719_162;
export const DATE_DAYS_MAX = 2_932_896;
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;
/** The maximum nesting of values. Values that are nested more deeply are refused. */
export const VALUE_NESTING_MAX = 100;

const NUMERIC_DIGITS_MAX = 38;
const NUMERIC = /^([+-]?)(\d{1,38})(?:\.(\d{0,37}))?$/;
const PARTY = /^[A-Za-z0-9:\-_ ]{1,255}$/;
const CONTRACT_ID = /^00[0-9a-f]{64}(?:[0-9a-f]{2})*$/;
const CONTRACT_ID_PREFIX_CHARS = 66;
const LEDGER_STRING = /^[A-Za-z0-9._:\-#/ ]{1,255}$/;
const USER_ID = /^[\w@^$.!`\-#+'~|:()]{1,128}$/;
const PACKAGE_ID = /^[A-Za-z0-9\-_ ]{1,64}$/;
const PACKAGE_NAME = /^[A-Za-z0-9\-_]{1,255}$/;
const NAME = /^[A-Za-z$_][\w$]{0,999}$/;
const DOTTED_NAME = /^[A-Za-z$_][\w$]*(?:\.[A-Za-z$_][\w$]*)*$/;

export const isParty = (text: string): boolean => PARTY.test(text);
/** Returns whether a text has the form of a contract ID. The contract need not exist. */
export const isContractId = (text: string): boolean => CONTRACT_ID.test(text);
/**
 * Returns whether a contract ID has the suffix that all IDs of committed contracts have. Clients must send such IDs.
 */
export const isSuffixedContractId = (text: string): boolean =>
  text.length > CONTRACT_ID_PREFIX_CHARS;
export const isLedgerString = (text: string): boolean => LEDGER_STRING.test(text);
export const isUserId = (text: string): boolean => USER_ID.test(text);
export const isPackageId = (text: string): boolean => PACKAGE_ID.test(text);
export const isPackageName = (text: string): boolean => PACKAGE_NAME.test(text);
export const isName = (text: string): boolean => NAME.test(text);
export const isDottedName = (text: string): boolean =>
  text.length <= 1000 && DOTTED_NAME.test(text);
/** Returns whether the text can be stored: it can be encoded in UTF-8 and contains no NUL. */
export const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
export const isInt64 = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;

export const isTimestamp = (micros: bigint): boolean =>
  micros >= TIMESTAMP_MICROS_MIN && micros <= TIMESTAMP_MICROS_MAX;
export const isDate = (days: number): boolean =>
  Number.isInteger(days) && days >= DATE_DAYS_MIN && days <= DATE_DAYS_MAX;
/** Returns whether a text is a numeric of any scale: at most 38 digits, of which at most 37 after the point. */
export function isNumeric(text: string): boolean {
  const match = NUMERIC.exec(text);
  if (match === null) return false;
  const fraction = (match[3] ?? '').replace(/0+$/, '');
  const digits = `${match[2] ?? ''}${fraction}`.replace(/^0+/, '');
  return digits.length <= NUMERIC_DIGITS_MAX;
}

/** Returns `text` with exactly `scale` digits after the point, or `undefined` if digits would be lost. */
export function canonicalNumeric(text: string, scale: number): string | undefined {
  const match = NUMERIC.exec(text);
  if (match === null) return undefined;
  const whole = (match[2] ?? '').replace(/^0+(?=\d)/, '');
  const fraction = (match[3] ?? '').replace(/0+$/, '');
  const wholeDigits = whole === '0' ? 0 : whole.length;
  if (fraction.length > scale || wholeDigits > NUMERIC_DIGITS_MAX - scale) return undefined;
  const isZero = wholeDigits === 0 && fraction === '';
  const sign = match[1] === '-' && !isZero ? '-' : '';
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${fraction.padEnd(scale, '0')}`;
}

export const preprocessingFailed = (text: string): LedgerError =>
  new LedgerError('COMMAND_PREPROCESSING_FAILED', text);

/** Returns a text in a command. Refuses a text that no participant can store. */
export function textOf(text: string): string {
  if (isText(text)) return text;
  throw preprocessingFailed(
    text.includes('\0') ? 'Text contains null character' : 'Text contains a lone surrogate',
  );
}

/** Returns a contract ID in a command. Refuses an ID without a suffix, because all committed contracts have one. */
export function suffixedContractId(contractId: string): string {
  if (isSuffixedContractId(contractId)) return contractId;
  throw preprocessingFailed(
    `Illegal Contract ID "${contractId}", non-suffixed V1 Contract IDs are forbidden`,
  );
}

/** Converts a numeric in a command to canonical form. */
export function numericOf(text: string, scale: number): string {
  const canonical = canonicalNumeric(text, scale);
  if (canonical !== undefined) return canonical;
  const plain = text.replace(/^\+/, '');
  const fraction = plain.split('.')[1]?.replace(/0+$/, '') ?? '';
  throw preprocessingFailed(
    fraction.length > scale
      ? `Cannot represent ${plain} as (Numeric ${scale}) without loss of precision`
      : `Out-of-bounds (Numeric ${scale}) ${plain}`,
  );
}

/**
 * Compares texts by their UTF-8 bytes, which is the order by code point and Daml's order of texts and map keys.
 * JavaScript would compare UTF-16 units.
 */
export function compareUtf8(left: string, right: string): number {
  if (left === right) return 0;
  const common = Math.min(left.length, right.length);
  let at = 0;
  while (at < common && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  if (at === common) return left.length - right.length;
  return rankOf(left.charCodeAt(at)) - rankOf(right.charCodeAt(at));
}

const SURROGATES_START = 0xd800;
const SURROGATES_END = 0xdfff;
const UNITS = 0x10000;

/** Returns the rank of a UTF-16 unit in the order of code points, in which surrogates come last. */
const rankOf = (unit: number): number =>
  unit >= SURROGATES_START && unit <= SURROGATES_END ? unit + UNITS : unit;

/** Returns a text map with its keys in ledger order. */
export const sortedTextMap = <T>(entries: Iterable<readonly [string, T]>): ReadonlyMap<string, T> =>
  new Map([...entries].sort(([a], [b]) => compareUtf8(a, b)));

const MICROS_PER_SECOND = 1_000_000n;

/**
 * Returns a time in the form `2026-11-21T01:33:00.000001Z`: without a fraction if it is zero, with milliseconds if they
 * suffice, otherwise with microseconds.
 */
export function timestampText(micros: bigint): string {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const seconds = Number((micros - fraction) / MICROS_PER_SECOND);
  const base = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (fraction === 0n) return `${base}Z`;
  const digits = fraction.toString().padStart(6, '0');
  return `${base}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Returns the microseconds of an ISO-8601 instant, cutting smaller fractions; `undefined` if the text is invalid or out
 * of range.
 */
export function parseTimestamp(text: string): bigint | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const ms = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(ms)) return undefined;
  const fraction = (match[2] ?? '').padEnd(6, '0').slice(0, 6);
  const micros = BigInt(ms) * 1000n + BigInt(fraction);
  return isTimestamp(micros) ? micros : undefined;
}

const MS_PER_DAY = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const dateText = (days: number): string =>
  new Date(days * MS_PER_DAY).toISOString().slice(0, 10);

export function parseDate(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms)) return undefined;
  const days = ms / MS_PER_DAY;
  // Date.parse reads 30 February as 1 or 2 March, so the result is converted back and compared.
  return isDate(days) && dateText(days) === text ? days : undefined;
}
