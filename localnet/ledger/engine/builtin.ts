import type { Machine } from './machine.ts';
import type { Meter } from './bounds.ts';
import { Any, Cons, itemsOf, NIL, Numeric, SortedMap, wrongType } from './values.ts';
import type { List, Value } from './values.ts';

/** A builtin function. It is executed once all of its arguments are available. */
export interface Builtin {
  readonly name: string;
  readonly arity: number;
  /** @param args the arguments of the builtin, possibly followed by arguments to which its result is applied */
  execute(machine: Machine, args: readonly Value[]): void;
}

export type Compute = (args: readonly Value[], machine: Machine) => Value;

export const pure = (name: string, arity: number, compute: Compute): Builtin => ({
  name,
  arity,
  execute: (machine, args) => machine.give(compute(args, machine)),
});

/** Yields the items of a list. Each item costs one step, which is counted before the item is yielded. */
export function* itemsIn(list: List, meter: Meter): Generator<Value, void, undefined> {
  for (const item of itemsOf(list)) {
    meter.spend(1);
    yield item;
  }
}

/** Checked conversions of arguments to the types of a builtin. */
export const as = {
  text(value: Value | undefined): string {
    if (typeof value === 'string') return value;
    throw wrongType('a text');
  },
  integer(value: Value | undefined): bigint {
    if (typeof value === 'bigint') return value;
    throw wrongType('an integer');
  },
  days(value: Value | undefined): number {
    if (typeof value === 'number') return value;
    throw wrongType('a date');
  },
  numeric(value: Value | undefined): Numeric {
    if (value instanceof Numeric) return value;
    throw wrongType('a numeric');
  },
  list(value: Value | undefined): List {
    if (value instanceof Cons || value === NIL) return value;
    throw wrongType('a list');
  },
  map(value: Value | undefined): SortedMap {
    if (value instanceof SortedMap) return value;
    throw wrongType('a map');
  },
  any(value: Value | undefined): Any {
    if (value instanceof Any) return value;
    throw wrongType('a value of any type');
  },
  value(value: Value | undefined): Value {
    if (value === undefined) throw wrongType('an argument');
    return value;
  },
} as const;
