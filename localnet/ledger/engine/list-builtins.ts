import { as, itemsIn } from './builtin.ts';
import type { Builtin } from './builtin.ts';
import type { Frame } from './expression.ts';
import type { Machine } from './machine.ts';
import { Cons } from './values.ts';
import type { List, Value } from './values.ts';

/** Folds a list from its start. */
class FoldLeft implements Frame {
  readonly #fun: Value;
  #rest: List;

  constructor(fun: Value, rest: List) {
    this.#fun = fun;
    this.#rest = rest;
  }

  resume(machine: Machine, value: Value): void {
    const rest = this.#rest;
    if (!(rest instanceof Cons)) {
      machine.give(value);
      return;
    }
    this.#rest = rest.tail;
    machine.push(this);
    machine.apply(this.#fun, [value, rest.head]);
  }
}

/** Folds a list from its end. */
class FoldRight implements Frame {
  readonly #fun: Value;
  readonly #rest: Value[];

  constructor(fun: Value, rest: Value[]) {
    this.#fun = fun;
    this.#rest = rest;
  }

  resume(machine: Machine, value: Value): void {
    const item = this.#rest.pop();
    if (item === undefined) {
      machine.give(value);
      return;
    }
    machine.push(this);
    machine.apply(this.#fun, [item, value]);
  }
}

/** Compares two lists item by item, with a function. */
class EqualLists implements Frame {
  readonly #fun: Value;
  #left: List;
  #right: List;

  constructor(fun: Value, left: List, right: List) {
    this.#fun = fun;
    this.#left = left;
    this.#right = right;
  }

  resume(machine: Machine, isEqual: Value): void {
    const [left, right] = [this.#left, this.#right];
    if (isEqual !== true) machine.give(false);
    else if (left instanceof Cons && right instanceof Cons) {
      this.#left = left.tail;
      this.#right = right.tail;
      machine.push(this);
      machine.apply(this.#fun, [left.head, right.head]);
    } else machine.give(!(left instanceof Cons) && !(right instanceof Cons));
  }
}

/** The builtins by their numbers in the Daml-LF format. */
export const LIST_BUILTINS: Readonly<Record<number, Builtin>> = {
  43: {
    name: 'FOLDL',
    arity: 3,
    execute: (machine, [fun, initial, list]) =>
      new FoldLeft(as.value(fun), as.list(list)).resume(machine, as.value(initial)),
  },
  44: {
    name: 'FOLDR',
    arity: 3,
    execute(machine, [fun, initial, list]) {
      const items = [...itemsIn(as.list(list), machine.meter)];
      new FoldRight(as.value(fun), items).resume(machine, as.value(initial));
    },
  },
  45: {
    name: 'EQUAL_LIST',
    arity: 3,
    execute: (machine, [fun, left, right]) =>
      new EqualLists(as.value(fun), as.list(left), as.list(right)).resume(machine, true),
  },
};
