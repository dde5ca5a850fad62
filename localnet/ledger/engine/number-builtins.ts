import { isDate, isInt64, isTimestamp } from '../lf-values.ts';
import { as, pure } from './builtin.ts';
import type { Builtin } from './builtin.ts';
import { arithmeticError } from './failures.ts';
import * as numerics from './numerics.ts';
import { Numeric } from './values.ts';
import type { Value } from './values.ts';

/** Returns the text of an operand, for arithmetic errors. */
const operandText = (value: Value): string =>
  value instanceof Numeric ? numerics.numericText(value) : as.integer(value).toString();

/** Returns a builtin that fails for some arguments, with the error of a failed computation. */
const arithmetic = (
  name: string,
  arity: number,
  compute: (args: readonly Value[]) => Value | undefined,
): Builtin =>
  pure(name, arity, (args) => {
    const result = compute(args);
    if (result !== undefined) return result;
    throw arithmeticError(name, args.slice(0, arity).map(operandText));
  });

const inRange = (value: bigint): bigint | undefined => (isInt64(value) ? value : undefined);

const integers = (name: string, of: (a: bigint, b: bigint) => bigint | undefined): Builtin =>
  arithmetic(name, 2, ([a, b]) => {
    const result = of(as.integer(a), as.integer(b));
    return result === undefined ? undefined : inRange(result);
  });

const EXPONENT_MAX = 64n;

/**
 * Returns a power that fits into 64 bits, or `undefined`. The result is also `undefined` if an intermediate result has
 * more bits.
 */
function power(base: bigint, exponent: bigint): bigint | undefined {
  if (exponent < 0n) return undefined;
  if (exponent === 0n || base === 1n) return 1n;
  if (base === 0n) return 0n;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  return exponent > EXPONENT_MAX ? undefined : base ** exponent;
}

const scaleOf = (value: Value | undefined): number => as.numeric(value).scale;

const numericPairs = (name: string, of: (a: Numeric, b: Numeric) => Numeric | undefined): Builtin =>
  arithmetic(name, 2, ([a, b]) => of(as.numeric(a), as.numeric(b)));

/** Returns a builtin for two numerics. Its first argument, before the numerics, only states the scale of the result. */
const scaledPairs = (
  name: string,
  of: (scale: number, a: Numeric, b: Numeric) => Numeric | undefined,
): Builtin =>
  arithmetic(name, 3, ([scale, a, b]) => of(scaleOf(scale), as.numeric(a), as.numeric(b)));

const quotient = (a: bigint, b: bigint) => (b === 0n ? undefined : a / b);
const remainder = (a: bigint, b: bigint) => (b === 0n ? undefined : a % b);

/** The builtins by their numbers in the Daml-LF format. */
export const NUMBER_BUILTINS: Readonly<Record<number, Builtin>> = {
  7: integers('ADD_INT64', (a, b) => a + b),
  8: integers('SUB_INT64', (a, b) => a - b),
  9: integers('MUL_INT64', (a, b) => a * b),
  10: integers('DIV_INT64', quotient),
  11: integers('MOD_INT64', remainder),
  12: integers('EXP_INT64', power),
  13: numericPairs('ADD_NUMERIC', numerics.add),
  14: numericPairs('SUB_NUMERIC', numerics.subtract),
  15: scaledPairs('MUL_NUMERIC', numerics.multiply),
  16: scaledPairs('DIV_NUMERIC', numerics.divide),
  17: arithmetic('ROUND_NUMERIC', 2, ([digits, value]) =>
    numerics.round(as.integer(digits), as.numeric(value)),
  ),
  18: arithmetic('CAST_NUMERIC', 2, ([scale, value]) =>
    numerics.cast(scaleOf(scale), as.numeric(value)),
  ),
  // The digits stay the same, and the decimal point moves.
  19: pure(
    'SHIFT_NUMERIC',
    2,
    ([scale, value]) => new Numeric(as.numeric(value).unscaled, scaleOf(scale)),
  ),
  20: arithmetic('INT64_TO_NUMERIC', 2, ([scale, value]) =>
    numerics.ofInteger(scaleOf(scale), as.integer(value)),
  ),
  21: arithmetic('NUMERIC_TO_INT64', 1, ([value]) =>
    inRange(numerics.truncated(as.numeric(value))),
  ),
  38: pure('DATE_TO_UNIX_DAYS', 1, ([date]) => BigInt(as.days(date))),
  39: arithmetic('UNIX_DAYS_TO_DATE', 1, ([days]) => {
    const date = Number(as.integer(days));
    return isDate(date) ? date : undefined;
  }),
  40: pure('TIMESTAMP_TO_UNIX_MICROSECONDS', 1, ([time]) => as.integer(time)),
  41: arithmetic('UNIX_MICROSECONDS_TO_TIMESTAMP', 1, ([micros]) => {
    const time = as.integer(micros);
    return isTimestamp(time) ? time : undefined;
  }),
};
