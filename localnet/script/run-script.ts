import { Meter } from '../ledger/engine/bounds.ts';
import { as } from '../ledger/engine/builtin.ts';
import type { Code } from '../ledger/engine/code.ts';
import { toEngine, toLedger } from '../ledger/engine/conversion.ts';
import { DamlFailure } from '../ledger/engine/failures.ts';
import { Constant, fieldsOf } from '../ledger/engine/forms.ts';
import { Partial } from '../ledger/engine/functions.ts';
import { Machine } from '../ledger/engine/machine.ts';
import { itemsOf, UNIT, Variant, wrongType } from '../ledger/engine/values.ts';
import type { Value } from '../ledger/engine/values.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { fromJson, toJson } from '../ledger/lf-json.ts';
import type { Json } from '../ledger/lf-json.ts';
import { PackageRegistry } from '../ledger/package-registry.ts';
import type { Dar } from '../lf/dar.ts';
import type { LfPackage } from '../lf/package.ts';
import type { DefinitionId, Type } from '../lf/types.ts';
import { answer } from './questions.ts';
import type { Asked } from './questions.ts';
import { ScriptLedger } from './script-ledger.ts';
import { ScriptTypes } from './script-types.ts';
import { ScriptUsers } from './script-users.ts';

/** Limits of a script's own code. Each submission has the limits of a submission, in addition. */
const BOUNDS = { steps: 2_000_000_000, milliseconds: 60_000 };
/** A function of the library that stands for the identity, and that the runner must replace. */
const CAST = 'dangerousCast';
const SCRIPT_MODULES = ['Daml.Script.Internal.LowLevel', 'Daml.Script.Internal'];

/** A script of a package. */
export interface Script {
  readonly id: DefinitionId;
  /** The package of the Daml Script library against which the script was compiled. */
  readonly library: LfPackage;
  /** The type of the script's argument, if it is a function. */
  readonly input: Type | undefined;
  readonly result: Type;
}

export type Outcome =
  | {
      readonly ok: true;
      readonly activeContracts: number;
      readonly transactions: number;
      /** The result as JSON; absent if its type has no JSON encoding. */
      readonly result?: Json;
    }
  | { readonly ok: false; readonly reason: string; readonly trace: readonly string[] };

export const scriptText = ({ id: { module, name } }: Script): string => `${module}:${name}`;

/** Runs the scripts of a DAR, each on a ledger of its own, in this process. */
export class ScriptRunner {
  readonly scripts: readonly Script[];
  readonly #dar: Dar;
  readonly #registry = new PackageRegistry([]);

  /** @param trace receives messages of `debug` and `trace` */
  constructor(dar: Dar, trace: (message: string) => void) {
    this.#dar = dar;
    this.#registry.trace = trace;
    const { uploaded } = this.#registry;
    for (const lf of this.#packages) {
      const { id, name, version, payload } = lf;
      uploaded.add({ id, name, version, payload: () => payload });
      uploaded.keep(lf);
    }
    this.scripts = [...this.#find()].toSorted((a, b) => (scriptText(a) < scriptText(b) ? -1 : 1));
    for (const library of new Set(this.scripts.map((script) => script.library))) {
      replaceCasts(library, this.#code);
    }
  }

  get #packages(): readonly LfPackage[] {
    return [this.#dar.main, ...this.#dar.dependencies];
  }

  get #code(): Code {
    return this.#registry.engine.code;
  }

  *#find(): Generator<Script> {
    const { main } = this.#dar;
    for (const { module, name, type } of this.#code.valuesIn(main.id)) {
      // The compiler generates names that begin with `$`.
      if (name.startsWith('$')) continue;
      const { input, result } = signatureOf(type);
      const script = this.#scriptOf(result);
      if (script === undefined) continue;
      yield { id: { packageId: main.id, module, name }, input, ...script };
    }
  }

  #scriptOf(type: Type): Pick<Script, 'library' | 'result'> | undefined {
    if (type.kind !== 'app' || type.fun.kind !== 'con') return undefined;
    const { packageId, module, name } = type.fun.id;
    if (name !== 'Script' || !SCRIPT_MODULES.includes(module)) return undefined;
    const library = this.#packages.find(({ id }) => id === packageId);
    return library && { library, result: type.arg };
  }

  /** Runs a script on a new ledger. @param input the argument of a script that is a function */
  run(script: Script, input?: Json): Outcome {
    const ledger = new ScriptLedger(this.#registry, this.#packages);
    const run = new ScriptRun(script, ledger);
    try {
      const result = this.#resultOf(script, run.start(this.#inputOf(script, input)));
      const { activeCount: activeContracts, transactions } = ledger;
      return { ok: true, activeContracts, transactions, ...result };
    } catch (error) {
      return { ok: false, ...reasonOf(error), trace: [...traceOf(error), ...run.places()] };
    }
  }

  #inputOf({ input: type }: Script, json: Json | undefined): Value | undefined {
    if (type === undefined) {
      if (json === undefined) return undefined;
      throw new TypeError('the script takes no input');
    }
    if (json === undefined) throw new TypeError('the script takes an input');
    const ledgerType = this.#registry.engine.type(type);
    return toEngine(ledgerType, fromJson(ledgerType, json), new Meter());
  }

  #resultOf({ result }: Script, value: Value): { readonly result?: Json } {
    let type;
    try {
      type = this.#registry.engine.type(result);
    } catch {
      // Values of such a type cannot be stored, so they have no JSON encoding.
      return {};
    }
    return { result: toJson(type, toLedger(type, value, new Meter())) };
  }
}

function replaceCasts(library: LfPackage, code: Code): void {
  const identity = { name: CAST, arity: 1, execute: castExecute };
  for (const module of SCRIPT_MODULES) {
    const id = { packageId: library.id, module, name: CAST };
    code.replace(id, new Constant(new Partial(identity, [])));
  }
}

const castExecute = (machine: Machine, [value]: readonly Value[]): void =>
  machine.give(as.value(value));

/** Separates the argument of a function from its result. */
function signatureOf(type: Type): { readonly input: Type | undefined; readonly result: Type } {
  if (type.kind === 'app' && type.fun.kind === 'app') {
    const { fun, arg } = type.fun;
    if (fun.kind === 'builtin' && fun.builtin === 'Arrow') return { input: arg, result: type.arg };
  }
  return { input: undefined, result: type };
}

/** One run of a script. */
class ScriptRun {
  readonly #script: Script;
  readonly #code: Code;
  readonly #meter = new Meter(BOUNDS);
  readonly #asked: Asked;
  /** The calls in the script that led to the last question. */
  #calls: Value | undefined;

  constructor(script: Script, ledger: ScriptLedger) {
    this.#script = script;
    this.#code = ledger.registry.engine.code;
    const types = new ScriptTypes(script.library, this.#code);
    this.#asked = {
      ledger,
      types,
      users: new ScriptUsers(types),
      meter: this.#meter,
      runDelayed: (script) => this.#run(this.#apply(script, UNIT)),
      run: (script) => this.#run(script),
      failureOf: (exception) => this.#code.failureOf(exception, this.#meter),
    };
  }

  start(input: Value | undefined): Value {
    const value = this.#code.value(this.#script.id);
    const args: readonly Value[] = input === undefined ? [] : [input];
    return this.#run(new Machine(this.#code, this.#meter).run(value, undefined, args));
  }

  #apply(fun: Value | undefined, ...args: readonly Value[]): Value {
    const constant = new Constant(as.value(fun));
    return new Machine(this.#code, this.#meter).run(constant, undefined, args);
  }

  /** Answers the questions of a script until it has a result. */
  #run(script: Value): Value {
    let step = this.#apply(fieldsOf(script)[0], UNIT);
    for (;;) {
      if (!(step instanceof Variant)) throw wrongType('a script');
      if (step.tag === 'Pure') return as.value(fieldsOf(step.value)[0]);
      const [question] = fieldsOf(step.value);
      const [name, , payload, calls, proceed] = fieldsOf(as.value(question));
      this.#calls = calls;
      step = this.#apply(proceed, answer(this.#asked, as.text(name), as.value(payload)));
    }
  }

  /** Returns the calls that led to the last question, the innermost first. */
  places(): readonly string[] {
    if (this.#calls === undefined) return [];
    return Array.from(itemsOf(as.list(this.#calls)), (call) => {
      const [name, place] = fieldsOf(call);
      const [, module, , line] = fieldsOf(as.value(place));
      // Lines count from 0.
      return `at ${as.text(name)}, called in ${as.text(module)}:${as.integer(line) + 1n}`;
    });
  }
}

function reasonOf(error: unknown): { readonly reason: string } {
  if (error instanceof LedgerError) return { reason: `${error.code}: ${error.text}` };
  if (error instanceof DamlFailure) return { reason: `${error.errorId}: ${error.text}` };
  return { reason: error instanceof Error ? error.message : String(error) };
}

const traceOf = (error: unknown): readonly string[] =>
  error instanceof LedgerError
    ? (error.metadata['exercise_trace'] ?? '')
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    : [];
