import { interpreterRefusal } from '../interpretation-errors.ts';
import type { LedgerError } from '../ledger-error.ts';
import type { DefinitionId, Type } from '../../lf/types.ts';
import { Any, LfRecord } from './values.ts';

const ARITHMETIC_ERROR: DefinitionId = {
  packageId: 'ee33fb70918e7aaa3d3fc44d64a399fb2bf5bcefc54201b1690ecd448551ba88',
  module: 'DA.Exception.ArithmeticError',
  name: 'ArithmeticError',
};
const ARITHMETIC_ERROR_TYPE: Type = { kind: 'con', id: ARITHMETIC_ERROR };

/** A failure that contract code raises. The ledger adds the trace of the choices that were running. */
export class DamlFailure extends Error {
  override readonly name = 'DamlFailure';
  readonly errorId: string;
  readonly #text: string | (() => string);
  /** Number of the failure's category, which the contract code has chosen. */
  readonly failureCategory: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Present if the failure is an exception. Contract code may catch exceptions. */
  readonly exception: Any | undefined;

  constructor(
    errorId: string,
    failureCategory: number,
    text: string | (() => string),
    metadata: Readonly<Record<string, string>> = {},
    exception?: Any,
  ) {
    super(errorId);
    this.#text = text;
    this.errorId = errorId;
    this.failureCategory = failureCategory;
    this.metadata = metadata;
    this.exception = exception;
  }

  /** The text of the failure. The text of an exception is computed only if the exception was not caught. */
  get text(): string {
    return typeof this.#text === 'string' ? this.#text : this.#text();
  }
}

/** The category of an uncaught exception: InvalidGivenCurrentSystemStateOther. */
export const STATE_CATEGORY = 9;

/** @param message the text that the exception's definition produces */
export function exceptionOf(exception: Any, message: string | (() => string)): DamlFailure {
  const { type } = exception;
  const text = type.kind === 'con' ? `${type.id.module}:${type.id.name}` : 'unknown';
  return new DamlFailure(`UNHANDLED_EXCEPTION/${text}`, STATE_CATEGORY, message, {}, exception);
}

export const isArithmeticError = ({ type }: Any): boolean =>
  type.kind === 'con' &&
  type.id.packageId === ARITHMETIC_ERROR.packageId &&
  type.id.name === ARITHMETIC_ERROR.name;

export function arithmeticError(builtin: string, operands: readonly string[]): DamlFailure {
  const message = `ArithmeticError while evaluating (${[builtin, ...operands].join(' ')}).`;
  return exceptionOf(new Any(ARITHMETIC_ERROR_TYPE, new LfRecord([message])), message);
}

/** The error that the builtin `ERROR` raises. */
export const userError = (message: string): LedgerError =>
  interpreterRefusal('INTERPRETATION_USER_ERROR', `User abort: ${message}`);
