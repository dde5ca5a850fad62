import type { Builtin } from './builtin.ts';
import type { Expression } from './expression.ts';
import type { Value } from './values.ts';

/**
 * The variables in scope, as a linked list with the innermost first. The index of a variable's name in its package
 * identifies the variable.
 */
export class Environment {
  readonly name: number;
  readonly value: Value;
  readonly next: Environment | undefined;

  constructor(name: number, value: Value, next: Environment | undefined) {
    this.name = name;
    this.value = value;
    this.next = next;
  }
}

export type Scope = Environment | undefined;

/** A function value: an abstraction together with the variables that were in scope at its evaluation. */
export class Closure {
  readonly params: readonly number[];
  readonly body: Expression;
  readonly scope: Scope;

  constructor(params: readonly number[], body: Expression, scope: Scope) {
    this.params = params;
    this.body = body;
    this.scope = scope;
  }
}

/** A builtin function that still lacks some or all of its arguments. */
export class Partial {
  readonly builtin: Builtin;
  readonly args: readonly Value[];

  constructor(builtin: Builtin, args: readonly Value[]) {
    this.builtin = builtin;
    this.args = args;
  }
}
