import type { Scope } from './functions.ts';
import type { Machine } from './machine.ts';
import type { Place } from './places.ts';
import type { Value } from './values.ts';

/** Code that can be evaluated to a value. */
export interface Expression {
  /** Takes one step: returns a value to the machine, or makes the machine evaluate a part first. */
  evaluate(machine: Machine, scope: Scope): void;
  /** Returns the place of the expression in the source. It is read from the package each time. */
  place?(): Place | undefined;
}

/** An evaluation that waits for the value of a part. */
export interface Frame {
  resume(machine: Machine, value: Value): void;
  /** The part that is evaluated. */
  readonly awaited?: Expression | undefined;
}
