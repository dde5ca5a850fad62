import { damlFailure } from '../interpretation-errors.ts';
import type { LfType } from '../lf-types.ts';
import { ARCHIVE_CHOICE } from '../package-definition.ts';
import type {
  ChoiceContext,
  ChoiceDefinition,
  InterfaceDefinition,
  InterfaceImplementation,
  KeyDefinition,
  TemplateDefinition,
} from '../package-definition.ts';
import type { DefinitionId, Type } from '../../lf/types.ts';
import { Meter } from './bounds.ts';
import { as } from './builtin.ts';
import type { Code } from './code.ts';
import { toEngine, toLedger } from './conversion.ts';
import type { Expression } from './expression.ts';
import { DamlFailure } from './failures.ts';
import { Environment } from './functions.ts';
import type { Scope } from './functions.ts';
import { LedgerContext } from './ledger-context.ts';
import { Machine } from './machine.ts';
import type { ChoiceCode, InstanceCode, KeyCode, TemplateCode } from './package-code.ts';
import { InterfaceValue, itemsOf } from './values.ts';
import type { Value } from './values.ts';

type RecordType = LfType & { readonly kind: 'record' };

/** Gives definitions of packages to each other. */
export interface Definitions {
  readonly code: Code;
  type(type: Type): LfType;
  template(id: DefinitionId): TemplateDefinition;
  interface(id: DefinitionId): InterfaceDefinition;
}

/** Evaluates code of one template. */
class TemplateRunner {
  readonly definitions: Definitions;
  readonly #template: TemplateCode;
  readonly #payload: LfType;
  readonly #known = new WeakMap<object, Value>();

  constructor(definitions: Definitions, template: TemplateCode, payload: LfType) {
    this.definitions = definitions;
    this.#template = template;
    this.#payload = payload;
  }

  get templateId(): DefinitionId {
    return this.#template.id;
  }

  /** The same payload is asked about several times. */
  value(payload: unknown): Value {
    const key = payload as object;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = toEngine(this.#payload, payload);
    this.#known.set(key, value);
    return value;
  }

  scope(payload: unknown): Scope {
    return new Environment(this.#template.param, this.value(payload), undefined);
  }

  run(expression: Expression, scope: Scope, meter = new Meter()): Value {
    return new Machine(this.definitions.code, meter).run(expression, scope);
  }

  apply(fun: Expression, args: readonly Value[], meter = new Meter()): Value {
    return new Machine(this.definitions.code, meter).run(fun, undefined, args);
  }
}

const partiesIn = (list: Value): readonly string[] =>
  Array.from(itemsOf(as.list(list)), (party) => as.text(party));

/** A template whose code is Daml-LF, as the ledger runs templates. */
export function engineTemplate(
  definitions: Definitions,
  code: TemplateCode,
  name: TemplateDefinition['name'],
): TemplateDefinition {
  const payload = definitions.type({ kind: 'con', id: code.id }) as RecordType;
  const runner = new TemplateRunner(definitions, code, payload);
  const { precondition, key } = code;
  return {
    kind: 'template',
    name,
    packageId: code.id.packageId,
    payload,
    ...(precondition === undefined
      ? {}
      : {
          ensure: (of: unknown, meter?: Meter) =>
            runner.run(precondition, runner.scope(of), meter) === true,
        }),
    signatories: (of, meter) => partiesIn(runner.run(code.signatories, runner.scope(of), meter)),
    observers: (of, meter) => partiesIn(runner.run(code.observers, runner.scope(of), meter)),
    choices: choicesOf(runner, code.choices, (of) => runner.scope(of)),
    implements: code.instances.map((instance) => implementation(runner, instance)),
    ...(key === undefined ? {} : { key: keyOf(runner, key) }),
  };
}

function keyOf(runner: TemplateRunner, code: KeyCode): KeyDefinition {
  const type = runner.definitions.type(code.type);
  return {
    type,
    of: (payload, meter) => toLedger(type, runner.run(code.key, runner.scope(payload), meter)),
    maintainers: (key, meter) =>
      partiesIn(runner.apply(code.maintainers, [toEngine(type, key)], meter)),
  };
}

/** @param scopeOf what is in scope in every choice, from the payload */
function choicesOf(
  runner: TemplateRunner,
  choices: ReadonlyMap<string, ChoiceCode>,
  scopeOf: (payload: unknown) => Scope,
): readonly ChoiceDefinition<unknown>[] {
  return Array.from(choices.values())
    .filter(({ name }) => name !== ARCHIVE_CHOICE)
    .map((code) => choiceOf(runner, code, scopeOf));
}

function choiceOf(
  runner: TemplateRunner,
  code: ChoiceCode,
  scopeOf: (payload: unknown) => Scope,
): ChoiceDefinition<unknown> {
  const { definitions } = runner;
  const argumentType = definitions.type(code.argument);
  const resultType = definitions.type(code.result);
  const { observers } = code;
  const scope = (payload: unknown, argument: unknown): Scope =>
    new Environment(code.argumentName, toEngine(argumentType, argument), scopeOf(payload));
  return {
    name: code.name,
    kind: code.isConsuming ? 'consuming' : 'nonconsuming',
    argument: argumentType,
    result: resultType,
    controllers: (payload, argument, meter) =>
      partiesIn(runner.run(code.controllers, scope(payload, argument), meter)),
    ...(observers === undefined
      ? {}
      : {
          observers: (payload: unknown, argument: unknown, meter?: Meter) =>
            partiesIn(runner.run(observers, scope(payload, argument), meter)),
        }),
    exercise: (ledger: ChoiceContext, self, argument) => {
      const context = new LedgerContext(definitions, ledger);
      const machine = new Machine(definitions.code, ledger.meter, context);
      const inner = new Environment(code.selfName, self.contractId, scope(self.payload, argument));
      return toLedger(resultType, machine.runUpdate(code.update, inner));
    },
  };
}

/** How a template answers for an interface: with the interface's choices, and with methods and a view of its own. */
function implementation(
  runner: TemplateRunner,
  instance: InstanceCode,
): InterfaceImplementation<unknown> {
  const { definitions, templateId } = runner;
  const code = definitions.code.interface(instance.iface);
  const iface = definitions.interface(instance.iface);
  const scopeOf = (payload: unknown): Scope =>
    new Environment(code.param, new InterfaceValue(templateId, runner.value(payload)), undefined);
  const choices = choicesOf(runner, code.choices, scopeOf);
  return {
    iface,
    view: (payload, meter) => {
      try {
        return toLedger(iface.view, runner.run(instance.view, runner.scope(payload), meter));
      } catch (error) {
        if (!(error instanceof DamlFailure)) throw error;
        throw damlFailure('', error.errorId, error.text, error.metadata, error.failureCategory);
      }
    },
    choices: Object.fromEntries(choices.map((choice) => [choice.name, choice])),
  };
}

/** An interface whose code is Daml-LF. */
export function engineInterface(
  definitions: Definitions,
  id: DefinitionId,
  name: InterfaceDefinition['name'],
): InterfaceDefinition {
  const code = definitions.code.interface(id);
  return {
    kind: 'interface',
    name,
    view: definitions.type(code.view),
    choices: Array.from(code.choices.values())
      .filter((choice) => choice.name !== ARCHIVE_CHOICE)
      .map((choice) => ({
        name: choice.name,
        kind: choice.isConsuming ? 'consuming' : 'nonconsuming',
        argument: definitions.type(choice.argument),
        result: definitions.type(choice.result),
      })),
  };
}
