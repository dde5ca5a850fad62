import { as, pure } from './builtin.ts';
import type { Builtin } from './builtin.ts';
import { compare } from './comparison.ts';
import { DamlFailure, isArithmeticError, userError } from './failures.ts';
import { LIST_BUILTINS } from './list-builtins.ts';
import { MAP_BUILTINS } from './map-builtins.ts';
import { NUMBER_BUILTINS } from './number-builtins.ts';
import { TEXT_BUILTINS } from './text-builtins.ts';
import { LfRecord, wrongType } from './values.ts';
import type { Value } from './values.ts';

const comparing = (name: string, holds: (difference: number) => boolean): Builtin =>
  pure(name, 2, ([a, b], { meter }) => holds(compare(as.value(a), as.value(b), meter)));

function fail([errorId, category, message, metadata]: readonly Value[]): never {
  const entries = as
    .map(metadata)
    .entries.map(([key, value]) => [as.text(key), as.text(value)] as const);
  throw new DamlFailure(
    as.text(errorId),
    Number(as.integer(category)),
    as.text(message),
    Object.fromEntries(entries),
  );
}

const anyExceptionMessage: Builtin = {
  name: 'ANY_EXCEPTION_MESSAGE',
  arity: 1,
  execute(machine, [exception]) {
    const any = as.any(exception);
    if (!isArithmeticError(any)) machine.code.describe(machine, any);
    else if (any.value instanceof LfRecord) machine.give(as.value(any.value.fields[0]));
    else throw wrongType('an exception');
  },
};

/** The builtins by their numbers in the Daml-LF format. */
const BUILTINS: Readonly<Record<number, Builtin>> = {
  0: pure('TRACE', 2, ([message, value], machine) => {
    machine.trace(as.text(message));
    return as.value(value);
  }),
  1: pure('ERROR', 1, ([message]) => {
    throw userError(as.text(message));
  }),
  2: comparing('EQUAL', (difference) => difference === 0),
  3: comparing('LESS_EQ', (difference) => difference <= 0),
  4: comparing('LESS', (difference) => difference < 0),
  5: comparing('GREATER_EQ', (difference) => difference >= 0),
  6: comparing('GREATER', (difference) => difference > 0),
  42: pure('COERCE_CONTRACT_ID', 1, ([contractId]) => as.text(contractId)),
  59: anyExceptionMessage,
  66: pure('FAIL_WITH_STATUS', 4, fail),
  ...NUMBER_BUILTINS,
  ...TEXT_BUILTINS,
  ...LIST_BUILTINS,
  ...MAP_BUILTINS,
};

/** Returns a builtin by its number. A package with unknown builtins is refused when it is read. */
export function builtinOf(number: number): Builtin {
  const found = BUILTINS[number];
  if (found === undefined) throw new TypeError(`no builtin function ${number}`);
  return found;
}
