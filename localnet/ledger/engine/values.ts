import type { DefinitionId, Type } from '../../lf/types.ts';
import type { Closure, Partial } from './functions.ts';
import type { UpdateValue } from './updates.ts';

export const UNIT: unique symbol = Symbol('()');

/** A number with `scale` digits after the point: its value is `unscaled` times ten to the power of minus `scale`. */
export class Numeric {
  readonly unscaled: bigint;
  readonly scale: number;

  constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled;
    this.scale = scale;
  }
}

export class Some {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

export const NONE: unique symbol = Symbol('None');

export class Cons {
  readonly head: Value;
  readonly tail: List;

  constructor(head: Value, tail: List) {
    this.head = head;
    this.tail = tail;
  }
}

export const NIL: unique symbol = Symbol('Nil');
export type List = Cons | typeof NIL;

/** A map in the order of its keys. */
export class SortedMap {
  readonly entries: readonly (readonly [key: Value, value: Value])[];

  constructor(entries: SortedMap['entries']) {
    this.entries = entries;
  }
}

/** Fields in the order of their declaration. */
export class LfRecord {
  readonly fields: readonly Value[];

  constructor(fields: readonly Value[]) {
    this.fields = fields;
  }
}

/** Fields by name, in the order of their names. */
export class Struct {
  readonly fields: ReadonlyMap<string, Value>;

  constructor(fields: Iterable<readonly [string, Value]>) {
    this.fields = new Map([...fields].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

export class Variant {
  readonly tag: string;
  /** The position of the constructor in the declaration. */
  readonly rank: number;
  readonly value: Value;

  constructor(tag: string, rank: number, value: Value) {
    this.tag = tag;
    this.rank = rank;
    this.value = value;
  }
}

export class Enum {
  readonly name: string;
  readonly rank: number;

  constructor(name: string, rank: number) {
    this.name = name;
    this.rank = rank;
  }
}

/** A value together with its type: a value of type `Any`, or an exception (`AnyException`). */
export class Any {
  readonly type: Type;
  readonly value: Value;

  constructor(type: Type, value: Value) {
    this.type = type;
    this.value = value;
  }
}

export class TypeRep {
  readonly type: Type;

  constructor(type: Type) {
    this.type = type;
  }
}

/** A contract's payload that is accessed through an interface, together with the contract's template. */
export class InterfaceValue {
  readonly template: DefinitionId;
  readonly payload: Value;

  constructor(template: DefinitionId, payload: Value) {
    this.template = template;
    this.payload = payload;
  }
}

export type Value =
  | typeof UNIT
  | boolean
  | bigint
  | number
  | string
  | Numeric
  | Some
  | typeof NONE
  | List
  | SortedMap
  | LfRecord
  | Struct
  | Variant
  | Enum
  | Any
  | TypeRep
  | InterfaceValue
  | Closure
  | Partial
  | UpdateValue;

export const optionalOf = (value: Value | undefined): Value =>
  value === undefined ? NONE : new Some(value);

export function listOf(items: readonly Value[], tail: List = NIL): List {
  return items.reduceRight<List>((rest, item) => new Cons(item, rest), tail);
}

export function* itemsOf(list: List): Generator<Value, void, undefined> {
  for (let rest = list; rest instanceof Cons; rest = rest.tail) yield rest.head;
}

/**
 * Returns the error for a value of a wrong type. The Daml compiler checks types, but an uploaded package may come from
 * another tool.
 */
export const wrongType = (expected: string): TypeError =>
  new TypeError(`the code of a package is not well typed: expected ${expected}`);
