import type { Span } from '../../lf/fields.ts';
import type { DefinitionId, Type } from '../../lf/types.ts';
import type { Meter } from './bounds.ts';
import { exactText } from './comparison.ts';
import type { Code } from './code.ts';
import type { Expression, Frame } from './expression.ts';
import { Closure, Environment } from './functions.ts';
import type { Scope } from './functions.ts';
import type { KeptValues } from './kept-values.ts';
import type { Machine } from './machine.ts';
import type { Place } from './places.ts';
import {
  Any,
  Cons,
  Enum,
  LfRecord,
  NONE,
  Some,
  Struct,
  TypeRep,
  Variant,
  listOf,
  wrongType,
} from './values.ts';
import type { Value } from './values.ts';

/* Kinds of expressions on values. */

/**
 * The number of variables or branches whose cost is included in the one step of their expression. Each further one
 * costs an extra step.
 */
const CHEAP = 16;

/** A constant value. */
export class Constant implements Expression {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }

  evaluate(machine: Machine): void {
    machine.give(this.value);
  }
}

export class Variable implements Expression {
  readonly #name: number;

  constructor(name: number) {
    this.#name = name;
  }

  evaluate(machine: Machine, scope: Scope): void {
    let passed = 0;
    for (let each = scope; each !== undefined; each = each.next) {
      if (each.name === this.#name) {
        if (passed > CHEAP) machine.meter.copy(passed);
        machine.give(each.value);
        return;
      }
      passed += 1;
    }
    throw wrongType('a variable in scope');
  }
}

/** The package from which an expression is decoded. */
interface Source {
  placeOf(span: Span): Place | undefined;
}

/**
 * An expression that is decoded when it is evaluated first. So unused code costs nothing, even if it is deep or shared.
 */
export class Deferred implements Expression {
  #read: (() => Expression) | undefined;
  #decoded: Expression | undefined;
  #expression: Expression | undefined;
  readonly #source: Source | undefined;
  readonly #span: Span | undefined;

  /** @param span the position of the expression in the bytes of its package */
  constructor(read: () => Expression, source?: Source, span?: Span) {
    this.#read = read;
    this.#source = source;
    this.#span = span;
  }

  /** The decoded expression, even if it is wrapped in several deferred expressions. */
  get expression(): Expression {
    this.#expression ??= this.#resolved();
    return this.#expression;
  }

  #resolved(): Expression {
    let found = this.#once();
    while (found instanceof Deferred) found = found.#once();
    if (found instanceof Collected) found.from = this;
    return found;
  }

  #once(): Expression {
    const known = this.#expression ?? this.#decoded;
    if (known !== undefined) return known;
    if (this.#read === undefined) throw wrongType('code that ends');
    this.#decoded = this.#read();
    this.#read = undefined;
    return this.#decoded;
  }

  evaluate(machine: Machine, scope: Scope): void {
    this.expression.evaluate(machine, scope);
  }

  place(): Place | undefined {
    return this.#span && this.#source?.placeOf(this.#span);
  }
}

/**
 * The value of a definition. If the value is small, it is computed once for all submissions; otherwise once for each
 * submission.
 */
export class Definition implements Expression, Frame {
  readonly #body: Expression;
  readonly #kept: KeptValues;
  #value: Value | undefined;
  #values: WeakMap<Meter, Value> | undefined;

  constructor(body: Expression, kept: KeptValues) {
    this.#body = body;
    this.#kept = kept;
  }

  evaluate(machine: Machine): void {
    const value = this.#value ?? this.#values?.get(machine.meter);
    if (value !== undefined) {
      machine.give(value);
      return;
    }
    machine.push(this);
    machine.evaluate(this.#body, undefined);
  }

  get awaited(): Expression {
    return this.#body;
  }

  resume(machine: Machine, value: Value): void {
    if (this.#kept.admits(value)) this.#value = value;
    else {
      this.#values ??= new WeakMap();
      this.#values.set(machine.meter, value);
    }
    machine.give(value);
  }
}

export class Abstraction implements Expression {
  readonly #params: readonly number[];
  readonly #body: Expression;

  constructor(params: readonly number[], body: Expression) {
    this.#params = params;
    this.#body = body;
  }

  evaluate(machine: Machine, scope: Scope): void {
    machine.give(new Closure(this.#params, this.#body, scope));
  }
}

type Finish = (machine: Machine, values: readonly Value[], form: Collected) => void;

/** Evaluates several expressions in order, then combines their values. */
export class Collected implements Expression {
  readonly parts: readonly Expression[];
  readonly finish: Finish;
  /** The expression from which this one was decoded. */
  from: Deferred | undefined = undefined;

  constructor(parts: readonly Expression[], finish: Finish) {
    this.parts = parts;
    this.finish = finish;
  }

  evaluate(machine: Machine, scope: Scope): void {
    const [first] = this.parts;
    if (first === undefined) {
      this.finish(machine, [], this);
      return;
    }
    machine.push(new Collecting(this, scope));
    machine.evaluate(first, scope);
  }

  place(): Place | undefined {
    return this.from?.place();
  }
}

class Collecting implements Frame {
  readonly #form: Collected;
  readonly #scope: Scope;
  readonly #values: Value[] = [];

  constructor(form: Collected, scope: Scope) {
    this.#form = form;
    this.#scope = scope;
  }

  get awaited(): Expression {
    return this.#form.parts[this.#values.length] ?? this.#form;
  }

  resume(machine: Machine, value: Value): void {
    const form = this.#form;
    const next = form.parts[this.#values.push(value)];
    if (next === undefined) {
      form.finish(machine, this.#values, form);
      return;
    }
    machine.push(this);
    machine.evaluate(next, this.#scope);
  }
}

/** Returns an expression that applies a function to the value of one part. */
export const unary = (part: Expression, of: (value: Value) => Value): Expression =>
  new Collected([part], (machine, [value]) => machine.give(of(value as Value)));

export const application = (fun: Expression, args: readonly Expression[]): Expression =>
  new Collected([fun, ...args], (machine, [to, ...values], form) =>
    machine.apply(to as Value, values, form),
  );

export const recordOf = (fields: readonly Expression[]): Expression =>
  new Collected(fields, (machine, values) => machine.give(new LfRecord(values)));

export const fieldsOf = (value: Value): readonly Value[] => {
  if (value instanceof LfRecord) return value.fields;
  throw wrongType('a record');
};

export const projection = (index: number, of: Expression): Expression =>
  unary(of, (value) => {
    const field = fieldsOf(value)[index];
    if (field === undefined) throw wrongType('a field of the record');
    return field;
  });

export const recordUpdate = (index: number, of: Expression, to: Expression): Expression =>
  new Collected([of, to], (machine, [value, field]) => {
    const fields = fieldsOf(value as Value);
    machine.meter.copy(fields.length);
    machine.give(new LfRecord(fields.with(index, field as Value)));
  });

export const structOf = (names: readonly string[], fields: readonly Expression[]): Expression =>
  new Collected(fields, (machine, values) =>
    machine.give(new Struct(names.map((name, at) => [name, values[at] as Value] as const))),
  );

const structFields = (value: Value): ReadonlyMap<string, Value> => {
  if (value instanceof Struct) return value.fields;
  throw wrongType('a structure');
};

export const structProjection = (name: string, of: Expression): Expression =>
  unary(of, (value) => {
    const field = structFields(value).get(name);
    if (field === undefined) throw wrongType(`a structure with ${name}`);
    return field;
  });

export const structUpdate = (name: string, of: Expression, to: Expression): Expression =>
  new Collected([of, to], (machine, [value, field]) => {
    const fields = structFields(value as Value);
    // Updating a field sorts and indexes all fields, so each of them costs a step.
    machine.meter.spend(fields.size);
    machine.give(new Struct([...fields, [name, field as Value]]));
  });

export const variantOf = (tag: string, rank: number, value: Expression): Expression =>
  unary(value, (of) => new Variant(tag, rank, of));

export const enumOf = (name: string, rank: number): Expression =>
  new Constant(new Enum(name, rank));

export const consOf = (front: readonly Expression[], tail: Expression): Expression =>
  new Collected([...front, tail], (machine, values) => {
    const rest = values.at(-1);
    const tailList = rest as Parameters<typeof listOf>[1];
    machine.give(listOf(values.slice(0, -1), tailList));
  });

export const someOf = (of: Expression): Expression => unary(of, (value) => new Some(value));

export const toAny = (type: Type, of: Expression): Expression =>
  unary(of, (value) => new Any(type, value));

export const fromAny = (type: Type, of: Expression): Expression =>
  unary(of, (value) => {
    if (!(value instanceof Any)) throw wrongType('a value of any type');
    return exactText(value.type) === exactText(type) ? new Some(value.value) : NONE;
  });

export const typeRep = (type: Type): Expression => new Constant(new TypeRep(type));

/**
 * Returns an expression that raises an exception. The exception's message is computed only if the exception is not
 * caught.
 */
export const thrown = (type: Type, of: Expression, code: Code): Expression =>
  new Collected([of], ({ meter }, [value]) => {
    throw code.failureOf(new Any(type, value as Value), meter);
  });

export interface Binding {
  readonly name: number;
  readonly of: Expression;
}

export class Let implements Expression {
  readonly bindings: readonly Binding[];
  readonly #body: Expression;

  constructor(bindings: readonly Binding[], body: Expression) {
    this.bindings = bindings;
    this.#body = body;
  }

  evaluate(machine: Machine, scope: Scope): void {
    this.next(machine, 0, scope);
  }

  next(machine: Machine, at: number, scope: Scope): void {
    const binding = this.bindings[at];
    if (binding === undefined) {
      machine.evaluate(this.#body, scope);
      return;
    }
    machine.push(new Bind(this, at, binding.name, scope));
    machine.evaluate(binding.of, scope);
  }
}

class Bind implements Frame {
  readonly #let: Let;
  readonly #at: number;
  readonly #name: number;
  readonly #scope: Scope;

  constructor(of: Let, at: number, name: number, scope: Scope) {
    this.#let = of;
    this.#at = at;
    this.#name = name;
    this.#scope = scope;
  }

  get awaited(): Expression | undefined {
    return this.#let.bindings[this.#at]?.of;
  }

  resume(machine: Machine, value: Value): void {
    this.#let.next(machine, this.#at + 1, new Environment(this.#name, value, this.#scope));
  }
}

/**
 * Matches a value with the pattern of a case branch. Returns the scope with the pattern's variables, or `undefined` if
 * the value does not match.
 */
export type Pattern = (value: Value, scope: Scope) => { readonly scope: Scope } | undefined;

export interface Branch {
  readonly pattern: Pattern;
  readonly body: Expression;
}

export class Case implements Expression {
  readonly of: Expression;
  readonly branches: readonly Branch[];

  constructor(of: Expression, branches: readonly Branch[]) {
    this.of = of;
    this.branches = branches;
  }

  evaluate(machine: Machine, scope: Scope): void {
    machine.push(new Choosing(this, scope));
    machine.evaluate(this.of, scope);
  }
}

class Choosing implements Frame {
  readonly #case: Case;
  readonly #scope: Scope;

  constructor(of: Case, scope: Scope) {
    this.#case = of;
    this.#scope = scope;
  }

  get awaited(): Expression {
    return this.#case.of;
  }

  resume(machine: Machine, value: Value): void {
    let passed = 0;
    for (const { pattern, body } of this.#case.branches) {
      const matched = pattern(value, this.#scope);
      if (matched !== undefined) {
        if (passed > CHEAP) machine.meter.copy(passed);
        machine.evaluate(body, matched.scope);
        return;
      }
      passed += 1;
    }
    throw wrongType('a value that the case has a branch for');
  }
}

const when = (isMatch: boolean, scope: Scope) => (isMatch ? { scope } : undefined);

export const patterns = {
  any: (): Pattern => (_value, scope) => ({ scope }),
  variant:
    (rank: number, name: number): Pattern =>
    (value, scope) =>
      value instanceof Variant && value.rank === rank
        ? { scope: new Environment(name, value.value, scope) }
        : undefined,
  enum:
    (rank: number): Pattern =>
    (value, scope) =>
      when(value instanceof Enum && value.rank === rank, scope),
  constant:
    (of: Value): Pattern =>
    (value, scope) =>
      when(value === of, scope),
  nil: (): Pattern => (value, scope) => when(!(value instanceof Cons), scope),
  cons:
    (head: number, tail: number): Pattern =>
    (value, scope) => {
      if (!(value instanceof Cons)) return undefined;
      const inner = new Environment(head, value.head, scope);
      return { scope: new Environment(tail, value.tail, inner) };
    },
  none: (): Pattern => (value, scope) => when(value === NONE, scope),
  some:
    (name: number): Pattern =>
    (value, scope) =>
      value instanceof Some ? { scope: new Environment(name, value.value, scope) } : undefined,
} as const;

/** Refers to the value of another definition. */
export const valueOf = (id: DefinitionId, code: Code): Expression =>
  new Deferred(() => code.value(id));
