import { showNumeric } from '../lf-show.ts';
import { Numeric } from './values.ts';

/* Arithmetic of numerics, which have up to 38 digits. Halves are rounded to the even neighbour. */

const DIGITS = 38;
const LIMIT = 10n ** BigInt(DIGITS);

export const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** Returns a numeric, or `undefined` if the number has too many digits. */
export const checked = (unscaled: bigint, scale: number): Numeric | undefined =>
  absolute(unscaled) < LIMIT ? new Numeric(unscaled, scale) : undefined;

/** Returns the quotient, with halves rounded to the even neighbour. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = absolute(dividend % divisor) * 2n;
  const size = absolute(divisor);
  const isUp = twice > size || (twice === size && quotient % 2n !== 0n);
  if (!isUp) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

/** Converts a number from `from` to `to` digits after the point, and rounds it. */
const rescaled = (unscaled: bigint, from: number, to: number): bigint =>
  to >= from ? unscaled * powerOfTen(to - from) : divideHalfEven(unscaled, powerOfTen(from - to));

export const add = (a: Numeric, b: Numeric): Numeric | undefined =>
  checked(a.unscaled + b.unscaled, a.scale);

export const subtract = (a: Numeric, b: Numeric): Numeric | undefined =>
  checked(a.unscaled - b.unscaled, a.scale);

export const multiply = (scale: number, a: Numeric, b: Numeric): Numeric | undefined =>
  checked(rescaled(a.unscaled * b.unscaled, a.scale + b.scale, scale), scale);

export function divide(scale: number, a: Numeric, b: Numeric): Numeric | undefined {
  if (b.unscaled === 0n) return undefined;
  const shift = scale + b.scale - a.scale;
  const quotient =
    shift >= 0
      ? divideHalfEven(a.unscaled * powerOfTen(shift), b.unscaled)
      : divideHalfEven(a.unscaled, b.unscaled * powerOfTen(-shift));
  return checked(quotient, scale);
}

/** @param digits number of digits after the point; a negative number rounds to tens, hundreds and so on */
export function round(digits: bigint, value: Numeric): Numeric | undefined {
  const { unscaled, scale } = value;
  if (digits > BigInt(scale) || digits <= BigInt(scale - DIGITS)) return undefined;
  const unit = powerOfTen(scale - Number(digits));
  return checked(divideHalfEven(unscaled, unit) * unit, scale);
}

/** Returns the same number with another scale, or `undefined` if digits would be lost. */
export function cast(scale: number, { unscaled, scale: from }: Numeric): Numeric | undefined {
  if (scale >= from) return checked(unscaled * powerOfTen(scale - from), scale);
  const unit = powerOfTen(from - scale);
  return unscaled % unit === 0n ? checked(unscaled / unit, scale) : undefined;
}

export const ofInteger = (scale: number, value: bigint): Numeric | undefined =>
  checked(value * powerOfTen(scale), scale);

/** The integer part. */
export const truncated = ({ unscaled, scale }: Numeric): bigint => unscaled / powerOfTen(scale);

/** Returns the ledger's text of a numeric, which always has `scale` digits after the point. */
export function canonicalText({ unscaled, scale }: Numeric): string {
  const digits = absolute(unscaled)
    .toString()
    .padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  const whole = digits.slice(0, digits.length - scale);
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-scale)}`;
}

/** Returns the text that contract code shows for a numeric. */
export const numericText = (value: Numeric): string => showNumeric(canonicalText(value));

export const ofCanonicalText = (text: string, scale: number): Numeric =>
  new Numeric(BigInt(text.replace('.', '')), scale);

const FORMAT = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/**
 * Removes trailing zeros. A regular expression would take quadratic time, because it would try every zero as the start
 * of a match.
 */
function withoutEndZeros(digits: string): string {
  let { length } = digits;
  while (digits[length - 1] === '0') length -= 1;
  return digits.slice(0, length);
}

export function parseNumeric(scale: number, text: string): Numeric | undefined {
  const [, sign = '', digits, decimals = ''] = FORMAT.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const whole = digits.replace(/^0+/, '');
  const significant = withoutEndZeros(decimals);
  if (whole.length > DIGITS - scale || significant.length > scale) {
    return undefined;
  }
  const unscaled = BigInt(`${whole}${significant.padEnd(scale, '0')}`);
  return new Numeric(sign === '-' ? -unscaled : unscaled, scale);
}
