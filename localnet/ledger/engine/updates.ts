import type { DefinitionId } from '../../lf/types.ts';
import type { Expression, Frame } from './expression.ts';
import type { DamlFailure } from './failures.ts';
import { Environment } from './functions.ts';
import type { Scope } from './functions.ts';
import type { CatchFrame, Machine } from './machine.ts';
import { NONE, Some, wrongType } from './values.ts';
import type { Value } from './values.ts';

/** The state of a transaction at the beginning of a `try`, to which the transaction can be rolled back. */
export interface Attempt {
  /**
   * Undoes what has happened since the beginning. Throws DAML_EFFECTFUL_ROLLBACK_ERROR if contracts were created or
   * archived.
   */
  rollBack(): void;
}

/** The update that is the body of a choice, and the ledger on which it acts. */
export interface EngineBody {
  readonly update: Expression;
  readonly scope: Scope;
  readonly context: EngineContext;
}

/**
 * An exercise that a choice makes. The machine runs the exercised choice's body and then continues the calling choice.
 */
export class Call {
  readonly body: EngineBody;
  /** Converts the body's result to the result of the exercise. */
  readonly end: (result: Value) => Value;
  readonly failed: (error: DamlFailure) => void;

  constructor(body: EngineBody, end: Call['end'], failed: Call['failed']) {
    this.body = body;
    this.end = end;
    this.failed = failed;
  }
}

/** The ledger on which updates act. Its values are those of the engine. */
export interface EngineContext {
  getTime(): bigint;
  create(template: DefinitionId, payload: Value): string;
  /** Fetches a contract. Returns its payload. */
  fetch(template: DefinitionId, contractId: string): Value;
  /** Fetches a contract as an interface. Returns it as a value of the interface. */
  fetchInterface(iface: DefinitionId, contractId: string): Value;
  /** Exercises a choice. Returns its result, or a {@link Call} whose body the machine must run first. */
  exercise(target: DefinitionId, contractId: string, choice: string, argument: Value): Value | Call;
  exerciseInterface(
    target: DefinitionId,
    contractId: string,
    choice: string,
    argument: Value,
  ): Value | Call;
  /** Returns the contract IDs and payloads of active contracts that have a key, up to `most`. */
  queryByKey(template: DefinitionId, key: Value, most: bigint): Value;
  /**
   * Returns the contract ID and the payload of the first active contract that has a key. Throws CONTRACT_KEY_NOT_FOUND.
   */
  fetchByKey(template: DefinitionId, key: Value): Value;
  exerciseByKey(template: DefinitionId, key: Value, choice: string, argument: Value): Value | Call;
  /** Returns whether ledger time is before a time. The answer must then be true for the rest of the transaction. */
  isBefore(micros: bigint): boolean;
  attempt(): Attempt;
}

/** A value of type `Update`, which has no effect until it is performed. */
export abstract class UpdateValue {
  abstract perform(machine: Machine): void;
}

/** An update that has no effect and returns a value. */
export class Pure extends UpdateValue {
  readonly #value: Value;

  constructor(value: Value) {
    super();
    this.#value = value;
  }

  perform(machine: Machine): void {
    machine.give(this.#value);
  }
}

/** An update on the ledger whose arguments have been evaluated. */
export class Act extends UpdateValue {
  readonly #act: (context: EngineContext) => Value | Call;

  constructor(act: (context: EngineContext) => Value | Call) {
    super();
    this.#act = act;
  }

  perform(machine: Machine): void {
    const result = this.#act(machine.context);
    if (result instanceof Call) machine.enter(result);
    else machine.give(result);
  }
}

/** An update that is given by an expression, which is evaluated when the update is performed. */
export class Embedded extends UpdateValue {
  readonly #body: Expression;
  readonly #scope: Scope;

  constructor(body: Expression, scope: Scope) {
    super();
    this.#body = body;
    this.#scope = scope;
  }

  perform(machine: Machine): void {
    machine.evaluateAndPerform(this.#body, this.#scope);
  }
}

export class EmbeddedForm implements Expression {
  readonly #body: Expression;

  constructor(body: Expression) {
    this.#body = body;
  }

  evaluate(machine: Machine, scope: Scope): void {
    machine.give(new Embedded(this.#body, scope));
  }
}

/** Performs the update to which an expression has been evaluated. */
export class Performing implements Frame {
  readonly awaited: Expression | undefined;

  constructor(awaited?: Expression) {
    this.awaited = awaited;
  }

  resume(machine: Machine, update: Value): void {
    machine.perform(update);
  }
}

interface Step {
  readonly name: number;
  readonly of: Expression;
}

/** A sequence of updates. Each can use the results of the earlier ones. */
export class Block implements Expression {
  readonly steps: readonly Step[];
  readonly #body: Expression;
  readonly #performing: Performing;

  constructor(steps: readonly Step[], body: Expression) {
    this.steps = steps;
    this.#body = body;
    this.#performing = new Performing(body);
  }

  /** Evaluates the first update. The others are evaluated when the block is performed. */
  evaluate(machine: Machine, scope: Scope): void {
    const [first] = this.steps;
    if (first === undefined) {
      machine.evaluate(this.#body, scope);
      return;
    }
    machine.push(new BlockBegin(this, scope));
    machine.evaluate(first.of, scope);
  }

  /** Performs the update at index `at`; after the last one, evaluates and performs the body. */
  next(machine: Machine, at: number, scope: Scope): void {
    const step = this.steps[at];
    if (step === undefined) {
      machine.evaluateAndPerform(this.#body, scope, this.#performing);
      return;
    }
    machine.push(new StepDone(this, at, step.name, scope));
    machine.evaluateAndPerform(step.of, scope);
  }

  begin(machine: Machine, first: Value, scope: Scope): void {
    machine.push(new StepDone(this, 0, this.steps[0]?.name ?? 0, scope));
    machine.perform(first);
  }
}

class BlockBegin implements Frame {
  readonly #block: Block;
  readonly #scope: Scope;

  constructor(block: Block, scope: Scope) {
    this.#block = block;
    this.#scope = scope;
  }

  get awaited(): Expression | undefined {
    return this.#block.steps[0]?.of;
  }

  resume(machine: Machine, first: Value): void {
    machine.give(new BlockUpdate(this.#block, first, this.#scope));
  }
}

class BlockUpdate extends UpdateValue {
  readonly #block: Block;
  readonly #first: Value;
  readonly #scope: Scope;

  constructor(block: Block, first: Value, scope: Scope) {
    super();
    this.#block = block;
    this.#first = first;
    this.#scope = scope;
  }

  perform(machine: Machine): void {
    this.#block.begin(machine, this.#first, this.#scope);
  }
}

class StepDone implements Frame {
  readonly #block: Block;
  readonly #at: number;
  readonly #name: number;
  readonly #scope: Scope;

  constructor(block: Block, at: number, name: number, scope: Scope) {
    this.#block = block;
    this.#at = at;
    this.#name = name;
    this.#scope = scope;
  }

  get awaited(): Expression | undefined {
    return this.#block.steps[this.#at]?.of;
  }

  resume(machine: Machine, value: Value): void {
    this.#block.next(machine, this.#at + 1, new Environment(this.#name, value, this.#scope));
  }
}

/** An update with a handler for its exceptions. */
export class TryForm implements Expression {
  readonly body: Expression;
  readonly name: number;
  readonly handler: Expression;

  constructor(body: Expression, name: number, handler: Expression) {
    this.body = body;
    this.name = name;
    this.handler = handler;
  }

  evaluate(machine: Machine, scope: Scope): void {
    machine.give(new TryUpdate(this, scope));
  }
}

class TryUpdate extends UpdateValue {
  readonly #form: TryForm;
  readonly #scope: Scope;

  constructor(form: TryForm, scope: Scope) {
    super();
    this.#form = form;
    this.#scope = scope;
  }

  perform(machine: Machine): void {
    machine.push(new Trying(this.#form, this.#scope, machine.context.attempt()));
    machine.evaluateAndPerform(this.#form.body, this.#scope);
  }
}

class Trying implements CatchFrame {
  readonly #form: TryForm;
  readonly #scope: Scope;
  readonly #attempt: Attempt;

  constructor(form: TryForm, scope: Scope, attempt: Attempt) {
    this.#form = form;
    this.#scope = scope;
    this.#attempt = attempt;
  }

  get awaited(): Expression {
    return this.#form.body;
  }

  resume(machine: Machine, value: Value): void {
    machine.give(value);
  }

  handle(machine: Machine, failure: DamlFailure): void {
    this.#attempt.rollBack();
    const { exception } = failure;
    if (exception === undefined) throw failure;
    machine.push(new Handling(failure));
    machine.evaluate(this.#form.handler, new Environment(this.#form.name, exception, this.#scope));
  }
}

/** Performs the update that a handler returned. If the handler returned none, rethrows the exception. */
class Handling implements Frame {
  readonly #failure: DamlFailure;

  constructor(failure: DamlFailure) {
    this.#failure = failure;
  }

  resume(machine: Machine, handler: Value): void {
    if (handler === NONE) throw this.#failure;
    if (!(handler instanceof Some)) throw wrongType('an optional');
    machine.perform(handler.value);
  }
}
