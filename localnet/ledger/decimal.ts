/*
 * Exact arithmetic on Daml's `Decimal`, the numeric with 10 digits after the point. Numbers are integer multiples of
 * the smallest unit. In LF values, decimals are texts in canonical form.
 */

const SCALE = 10;

/** The largest decimal has 38 digits, 10 of them after the point. */
const UNITS_MAX = 10n ** 38n - 1n;

/** Returns a decimal in units: `1.5000000000` is 15,000,000,000 units. */
export const unitsOf = (decimal: string): bigint => BigInt(decimal.replace('.', ''));

/** Returns the canonical text of a number of units; `undefined` if the number is too large for a decimal. */
export function decimalOf(units: bigint): string | undefined {
  const magnitude = units < 0n ? -units : units;
  if (magnitude > UNITS_MAX) return undefined;
  const digits = magnitude.toString().padStart(SCALE + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}

const UNIT_SCALE = 10n ** BigInt(SCALE);

/**
 * Divides, rounds to the nearest whole number, and rounds a half to the even neighbour, as Daml's numerics do.
 * `divisor` is positive.
 */
function quotientOf(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const whole = magnitude / divisor;
  const twice = (magnitude % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && whole % 2n === 1n);
  const rounded = isUp ? whole + 1n : whole;
  return dividend < 0n ? -rounded : rounded;
}

/** Returns the product of two decimals, where arguments and result are in units. */
export const timesUnits = (left: bigint, right: bigint): bigint =>
  quotientOf(left * right, UNIT_SCALE);

/** Returns the quotient of two decimals, where arguments and result are in units. The divisor must not be zero. */
export const divideUnits = (dividend: bigint, divisor: bigint): bigint =>
  divisor < 0n
    ? quotientOf(-dividend * UNIT_SCALE, -divisor)
    : quotientOf(dividend * UNIT_SCALE, divisor);
