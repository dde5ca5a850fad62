import { decimalOf, unitsOf } from './decimal.ts';
import { showNumeric } from './lf-show.ts';
import { isInt64, isTimestamp } from './lf-values.ts';
import type { ChoiceContext } from './package-definition.ts';

/* Failures in the body of a choice, with the messages of Daml's standard library and engine. */

const GENERAL_ERROR = 'UNHANDLED_EXCEPTION/DA.Exception.GeneralError:GeneralError';
const ARITHMETIC_ERROR = 'UNHANDLED_EXCEPTION/DA.Exception.ArithmeticError:ArithmeticError';

/** Fails as Daml's `abort` does, and the `fail` of an update. */
export const abort = (ledger: ChoiceContext, message: string): never =>
  ledger.fail(GENERAL_ERROR, message);

const arithmeticError = (ledger: ChoiceContext, builtin: string, ...operands: unknown[]): never =>
  ledger.fail(
    ARITHMETIC_ERROR,
    `ArithmeticError while evaluating (${[builtin, ...operands].join(' ')}).`,
  );

/** Adds 64-bit integers. An overflow is an error and does not wrap around. */
export const addInt64 = (ledger: ChoiceContext, left: bigint, right: bigint): bigint =>
  isInt64(left + right) ? left + right : arithmeticError(ledger, 'ADD_INT64', left, right);

/** Returns the time that is `duration` microseconds later. */
export function addRelTime(ledger: ChoiceContext, micros: bigint, duration: bigint): bigint {
  const later = addInt64(ledger, micros, duration);
  return isTimestamp(later)
    ? later
    : arithmeticError(ledger, 'UNIX_MICROSECONDS_TO_TIMESTAMP', later);
}

/** Adds two decimals. Fails on an overflow. */
export const addDecimal = (ledger: ChoiceContext, left: string, right: string): string =>
  decimalOf(unitsOf(left) + unitsOf(right)) ??
  arithmeticError(ledger, 'ADD_NUMERIC', showNumeric(left), showNumeric(right));

/** Converts a computed number of units to a decimal. Fails if the number is too large for a decimal. */
export const decimalOr = (ledger: ChoiceContext, units: bigint, builtin: string): string =>
  decimalOf(units) ?? arithmeticError(ledger, builtin);
