import { Meter } from '../../../localnet/ledger/engine/bounds.ts';
import type { Bounds } from '../../../localnet/ledger/engine/bounds.ts';
import { Code } from '../../../localnet/ledger/engine/code.ts';
import type { Natives } from '../../../localnet/ledger/engine/code.ts';
import { DamlFailure } from '../../../localnet/ledger/engine/failures.ts';
import { Machine } from '../../../localnet/ledger/engine/machine.ts';
import { numericText } from '../../../localnet/ledger/engine/numerics.ts';
import * as values from '../../../localnet/ledger/engine/values.ts';
import type { Value } from '../../../localnet/ledger/engine/values.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import type { Code as Source } from '../../../localnet/lf/build/code.ts';
import type { ModuleSource } from '../../../localnet/lf/build/package.ts';
import { unit } from '../../../localnet/lf/build/types.ts';
import { libraryOf } from '../../../localnet/lf/library.ts';
import { mainOnly, read } from './lf-packages.ts';

const NO_NATIVES: Natives = {
  parties: () => undefined,
  view: () => undefined,
  implements: () => false,
  translate: () => values.UNIT,
};

interface Around extends ModuleSource {
  readonly minor?: number;
  readonly bounds?: Partial<Bounds>;
  readonly traced?: string[];
}

interface Run {
  readonly value: Value;
  readonly steps: number;
}

/**
 * Returns a function that evaluates an expression, in a package that contains nothing else but `around`. Each run is
 * one submission.
 */
export function runnerOf(body: Source, around: Around = {}): () => Run {
  const { minor = 1, bounds, traced, definitions, ...module } = around;
  const main = { ...module, definitions: { ...definitions, result: { type: unit, body } } };
  const lf = read(mainOnly(main, { minor }));
  // Throws unless the package is well formed.
  lf.requireReadable();
  const code = new Code(libraryOf([lf]), NO_NATIVES, (message) => traced?.push(message));
  const result = code.value({ packageId: lf.id, module: 'Main', name: 'result' });
  return () => {
    const meter = new Meter(bounds);
    return { value: new Machine(code, meter).run(result, undefined), steps: meter.steps };
  };
}

export const valueOf = (body: Source, around?: Around): Value => runnerOf(body, around)().value;

/** Returns the number of steps that an expression takes. */
export const stepsOf = (body: Source, around?: Around): number => runnerOf(body, around)().steps;

/** Returns a value in a readable form. */
export function shown(value: Value): unknown {
  if (value === values.UNIT) return '()';
  if (value instanceof values.Numeric) return numericText(value);
  if (value instanceof values.Some) return { some: shown(value.value) };
  if (value === values.NONE) return null;
  if (value instanceof values.Cons || value === values.NIL) {
    return Array.from(values.itemsOf(value), shown);
  }
  if (value instanceof values.SortedMap) {
    return value.entries.map(([key, of]) => [shown(key), shown(of)]);
  }
  if (value instanceof values.LfRecord) return value.fields.map(shown);
  if (value instanceof values.Struct) {
    return Object.fromEntries(Array.from(value.fields, ([name, of]) => [name, shown(of)]));
  }
  if (value instanceof values.Variant) return { [value.tag]: shown(value.value) };
  if (value instanceof values.Enum) return value.name;
  if (value instanceof values.TypeRep) return { type: value.type };
  return value;
}

export const resultOf = (body: Source, around?: Around): unknown => shown(valueOf(body, around));

/** Returns the failure of an expression: its code, or the error ID that contract code has raised, and its text. */
export function failureOf(body: Source, around?: Around): string {
  try {
    return `value ${String(resultOf(body, around))}`;
  } catch (error) {
    if (error instanceof LedgerError) return `${error.code}: ${error.text}`;
    if (error instanceof DamlFailure) return `${error.errorId}: ${error.text}`;
    throw error;
  }
}
