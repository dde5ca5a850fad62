import type { Scope } from './functions.ts';
import type { Machine } from './machine.ts';
import type { Value } from './values.ts';

/** Code that can be evaluated to a value. */
export interface Expression {
  /** Takes one step: returns a value to the machine, or makes the machine evaluate a part first. */
  evaluate(machine: Machine, scope: Scope): void;
}

/** An evaluation that waits for the value of a part. */
export interface Frame {
  resume(machine: Machine, value: Value): void;
}
