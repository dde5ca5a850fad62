import { interpretationError } from '../interpretation-errors.ts';
import { LedgerError } from '../ledger-error.ts';
import { exceeded } from './bounds.ts';
import type { Meter } from './bounds.ts';
import type { Code } from './code.ts';
import type { Expression, Frame } from './expression.ts';
import { DamlFailure } from './failures.ts';
import { Closure, Environment, Partial } from './functions.ts';
import type { Scope } from './functions.ts';
import { noteExpressions } from './places.ts';
import type { RecentCalls } from './recent-calls.ts';
import type { Call, EngineContext } from './updates.ts';
import { Performing, UpdateValue } from './updates.ts';
import { UNIT, wrongType } from './values.ts';
import type { Value } from './values.ts';

/** A frame that may catch an exception. */
export interface CatchFrame extends Frame {
  handle(machine: Machine, failure: DamlFailure): void;
}

/** A frame of a running choice. */
interface ChoiceFrame extends Frame {
  leave(machine: Machine, failure: DamlFailure): void;
}

/**
 * The number of steps that a trace message costs. It is high because messages are written to the log: a submission can
 * write at most 2,000 messages.
 */
const TRACE_STEPS = 10_000;
const TRACE_CHARS_MAX = 4096;

const isOfChoice = (frame: Frame): frame is ChoiceFrame => 'leave' in frame;
const catches = (frame: Frame): frame is CatchFrame => 'handle' in frame;

/** Arguments that wait for the value of their function. */
class ApplyTo implements Frame {
  readonly #args: readonly Value[];

  constructor(args: readonly Value[]) {
    this.#args = args;
  }

  resume(machine: Machine, fun: Value): void {
    machine.apply(fun, this.#args);
  }
}

/** A frame that returns from an exercised choice to the calling choice, and restores the calling choice's context. */
class Leaving implements ChoiceFrame {
  readonly #call: Call;
  readonly #context: EngineContext;

  constructor(call: Call, context: EngineContext) {
    this.#call = call;
    this.#context = context;
  }

  get awaited(): Expression {
    return this.#call.body.update;
  }

  resume(machine: Machine, result: Value): void {
    machine.context = this.#context;
    machine.give(this.#call.end(result));
  }

  leave(machine: Machine, failure: DamlFailure): void {
    machine.context = this.#context;
    this.#call.failed(failure);
  }
}

const PERFORM = new Performing();

/**
 * Evaluates expressions with a stack of its own, so that the meter limits the depth of contract code, not the stack of
 * the process. One machine evaluates one expression at a time.
 */
export class Machine {
  readonly code: Code;
  readonly meter: Meter;
  #context: EngineContext | undefined;
  readonly #stack: Frame[] = [];
  #expression: Expression | undefined;
  #scope: Scope;
  #value: Value = UNIT;
  readonly #calls: RecentCalls;

  /** @param context the ledger on which updates act; absent if the code is pure */
  constructor(code: Code, meter: Meter, context?: EngineContext) {
    this.code = code;
    this.#calls = code.calls;
    this.meter = meter;
    this.#context = context;
  }

  get context(): EngineContext {
    if (this.#context === undefined) throw wrongType('no update');
    return this.#context;
  }

  set context(context: EngineContext) {
    this.#context = context;
  }

  /** Runs the body of a choice that the current choice has exercised. */
  enter(call: Call): void {
    this.push(new Leaving(call, this.context));
    this.context = call.body.context;
    this.evaluateAndPerform(call.body.update, call.body.scope);
  }

  /** Passes on a trace message of contract code. */
  trace(message: string): void {
    this.meter.spend(TRACE_STEPS);
    this.code.trace(message.slice(0, TRACE_CHARS_MAX));
  }

  /** Passes a value to the frame that waits for a value. */
  give(value: Value): void {
    this.#value = value;
  }

  evaluate(expression: Expression, scope: Scope): void {
    this.#expression = expression;
    this.#scope = scope;
  }

  push(frame: Frame): void {
    if (this.#stack.length >= this.meter.framesMax) {
      throw exceeded(`${this.meter.framesMax} nested evaluations`);
    }
    this.#stack.push(frame);
  }

  /** @param from the application that has evaluated the function and its arguments */
  apply(fun: Value, args: readonly Value[], from?: Expression): void {
    if (fun instanceof Closure) {
      let { scope } = fun;
      const { params, body } = fun;
      const count = Math.min(params.length, args.length);
      if (params.length !== args.length) this.meter.copy(params.length + args.length);
      for (let at = 0; at < count; at += 1) {
        scope = new Environment(params[at] ?? 0, args[at] ?? UNIT, scope);
      }
      if (args.length < params.length) {
        this.give(new Closure(params.slice(args.length), body, scope));
        return;
      }
      if (args.length > params.length) this.push(new ApplyTo(args.slice(params.length)));
      if (from !== undefined) {
        this.#calls.add(from, this.#calls.base + this.#stack.length);
      }
      this.evaluate(body, scope);
    } else if (fun instanceof Partial) {
      const { builtin } = fun;
      const all = fun.args.length === 0 ? args : [...fun.args, ...args];
      if (all.length !== builtin.arity) this.meter.copy(all.length);
      if (all.length < builtin.arity) {
        this.give(new Partial(builtin, all));
        return;
      }
      if (all.length > builtin.arity) this.push(new ApplyTo(all.slice(builtin.arity)));
      builtin.execute(this, all);
    } else throw wrongType('a function');
  }

  /** Evaluates an expression to an update, and performs it. */
  evaluateAndPerform(expression: Expression, scope: Scope, performing = PERFORM): void {
    this.push(performing);
    this.evaluate(expression, scope);
  }

  perform(update: Value): void {
    if (!(update instanceof UpdateValue)) throw wrongType('an update');
    update.perform(this);
  }

  /** Evaluates an expression, applies its value to arguments if there are any, and performs the resulting update. */
  runUpdate(expression: Expression, scope: Scope): Value {
    return this.#run(expression, () => this.evaluateAndPerform(expression, scope));
  }

  run(expression: Expression, scope: Scope, args: readonly Value[] = []): Value {
    return this.#run(expression, () => {
      if (args.length > 0) this.push(new ApplyTo(args));
      this.evaluate(expression, scope);
    });
  }

  #run(root: Expression, begin: () => void): Value {
    try {
      begin();
    } catch (error) {
      throw readable(error);
    }
    return this.#calls.nested(() => {
      for (;;) {
        const value = this.#loop(root);
        if (value !== undefined) return value;
      }
    });
  }

  /** Returns the result, or nothing if code has caught an exception and continues. */
  #loop(root: Expression): Value | undefined {
    const { meter } = this;
    const stack = this.#stack;
    const calls = this.#calls;
    const { base } = calls;
    let running: Expression | Frame | undefined;
    try {
      for (;;) {
        meter.spend(1);
        const expression = this.#expression;
        if (expression !== undefined) {
          this.#expression = undefined;
          running = expression;
          expression.evaluate(this, this.#scope);
          continue;
        }
        const frame = stack.pop();
        if (frame === undefined) return this.#value;
        const depth = base + stack.length;
        if (depth < calls.lowest) calls.lowest = depth;
        running = frame;
        frame.resume(this, this.#value);
      }
    } catch (error) {
      const failure = readable(error);
      if (failure instanceof Error)
        noteExpressions(failure, this, root, () => this.#running(running));
      this.#unwind(failure);
      return undefined;
    }
  }

  /** Yields the expressions that are being evaluated, innermost first. */
  *#running(now: Expression | Frame | undefined): Generator<Expression> {
    const stack = this.#stack;
    const { base } = this.#calls;
    const calls = this.#calls.open();
    const innermost = now && 'resume' in now ? now.awaited : now;
    if (innermost !== undefined) yield innermost;
    for (let depth = stack.length; depth >= 0; depth -= 1) {
      yield* calls.filter((call) => call.depth === base + depth).map((call) => call.expression);
      const awaited = stack[depth - 1]?.awaited;
      if (awaited !== undefined) yield awaited;
    }
  }

  /** Continues at the innermost handler of an exception. Rethrows errors that cannot be caught. */
  #unwind(error: unknown): void {
    this.#expression = undefined;
    if (!(error instanceof DamlFailure)) throw error;
    for (;;) {
      const frame = this.#stack.pop();
      if (frame === undefined) throw error;
      if (isOfChoice(frame)) frame.leave(this, error);
      if (error.exception === undefined || !catches(frame)) continue;
      try {
        frame.handle(this, error);
      } catch (other) {
        this.#unwind(readable(other));
      }
      return;
    }
  }
}

/** Runs code and reads its result. Throws DAML_INTERPRETATION_ERROR if the code or the result is not well typed. */
export function typed<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw readable(error);
  }
}

/**
 * Converts an error of badly typed code to a ledger error, so that the error ends only the submission that ran this
 * code.
 */
function readable(error: unknown): unknown {
  if (error instanceof LedgerError || error instanceof DamlFailure) return error;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) {
    const refusal = interpretationError(error.message);
    refusal.cause = error;
    return refusal;
  }
  return error;
}
