import { damlFailure } from '../interpretation-errors.ts';
import type { LfType } from '../lf-types.ts';
import { ARCHIVE_CHOICE } from '../package-definition.ts';
import type {
  ChoiceDefinition,
  InterfaceDefinition,
  InterfaceImplementation,
  KeyDefinition,
  TemplateDefinition,
} from '../package-definition.ts';
import type { DefinitionId, Type } from '../../lf/types.ts';
import type { Meter } from './bounds.ts';
import { as, itemsIn } from './builtin.ts';
import type { Code } from './code.ts';
import { toEngine, toLedger } from './conversion.ts';
import type { Expression } from './expression.ts';
import { DamlFailure } from './failures.ts';
import { Environment } from './functions.ts';
import type { Scope } from './functions.ts';
import { LedgerContext } from './ledger-context.ts';
import { Machine, typed } from './machine.ts';
import type { ChoiceCode, InstanceCode, KeyCode, TemplateCode } from './package-code.ts';
import { InterfaceValue } from './values.ts';
import type { Value } from './values.ts';

type RecordType = LfType & { readonly kind: 'record' };

/** Gives packages access to each other's definitions. */
export interface Definitions {
  readonly code: Code;
  type(type: Type): LfType;
  template(id: DefinitionId): TemplateDefinition;
  interface(id: DefinitionId): InterfaceDefinition;
}

/** Evaluates the code of one template. */
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

  /**
   * Converts a payload to an engine value. The result is cached, because a transaction needs the same payload several
   * times.
   */
  value(payload: unknown, meter: Meter): Value {
    const key = payload as object;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = toEngine(this.#payload, payload, meter);
    this.#known.set(key, value);
    return value;
  }

  scope(payload: unknown, meter: Meter): Scope {
    return new Environment(this.#template.param, this.value(payload, meter), undefined);
  }

  run(expression: Expression, scope: Scope, meter: Meter): Value {
    return new Machine(this.definitions.code, meter).run(expression, scope);
  }

  /** Evaluates an expression to a ledger value. */
  ledgerValue(type: LfType, expression: Expression, scope: Scope, meter: Meter): unknown {
    return typed(() => toLedger(type, this.run(expression, scope, meter), meter));
  }

  parties(expression: Expression, scope: Scope, meter: Meter): readonly string[] {
    return typed(() => partiesIn(this.run(expression, scope, meter), meter));
  }

  /** Evaluates a function that returns parties. */
  partiesOf(fun: Expression, arg: Value, meter: Meter): readonly string[] {
    const machine = new Machine(this.definitions.code, meter);
    return typed(() => partiesIn(machine.run(fun, undefined, [arg]), meter));
  }
}

const partiesIn = (list: Value, meter: Meter): readonly string[] =>
  Array.from(itemsIn(as.list(list), meter), (party) => as.text(party));

/** Returns a template with Daml-LF code, in the form in which the ledger runs templates. */
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
          ensure: (of: unknown, meter: Meter) =>
            runner.run(precondition, runner.scope(of, meter), meter) === true,
        }),
    signatories: (of, meter) => runner.parties(code.signatories, runner.scope(of, meter), meter),
    observers: (of, meter) => runner.parties(code.observers, runner.scope(of, meter), meter),
    choices: choicesOf(runner, code.choices, (of, meter) => runner.scope(of, meter)),
    implements: code.instances.map((instance) => implementation(runner, instance)),
    ...(key === undefined ? {} : { key: keyOf(runner, key) }),
  };
}

function keyOf(runner: TemplateRunner, code: KeyCode): KeyDefinition {
  const type = runner.definitions.type(code.type);
  return {
    type,
    of: (payload, meter) => runner.ledgerValue(type, code.key, runner.scope(payload, meter), meter),
    maintainers: (key, meter) =>
      runner.partiesOf(code.maintainers, toEngine(type, key, meter), meter),
  };
}

/** @param scopeOf returns the variables that are in scope in every choice, for a payload */
function choicesOf(
  runner: TemplateRunner,
  choices: ReadonlyMap<string, ChoiceCode>,
  scopeOf: (payload: unknown, meter: Meter) => Scope,
): readonly ChoiceDefinition<unknown>[] {
  return Array.from(choices.values())
    .filter(({ name }) => name !== ARCHIVE_CHOICE)
    .map((code) => choiceOf(runner, code, scopeOf));
}

function choiceOf(
  runner: TemplateRunner,
  code: ChoiceCode,
  scopeOf: (payload: unknown, meter: Meter) => Scope,
): ChoiceDefinition<unknown> {
  const { definitions } = runner;
  const argumentType = definitions.type(code.argument);
  const resultType = definitions.type(code.result);
  const { observers } = code;
  const scope = (payload: unknown, argument: unknown, meter: Meter): Scope =>
    new Environment(
      code.argumentName,
      toEngine(argumentType, argument, meter),
      scopeOf(payload, meter),
    );
  const body: NonNullable<ChoiceDefinition<unknown>['body']> = (ledger, self, argument) => {
    const outer = scope(self.payload, argument, ledger.meter);
    return {
      update: code.update,
      scope: new Environment(code.selfName, self.contractId, outer),
      context: new LedgerContext(definitions, ledger),
    };
  };
  return {
    name: code.name,
    kind: code.isConsuming ? 'consuming' : 'nonconsuming',
    argument: argumentType,
    result: resultType,
    controllers: (payload, argument, meter) =>
      runner.parties(code.controllers, scope(payload, argument, meter), meter),
    ...(observers === undefined
      ? {}
      : {
          observers: (payload: unknown, argument: unknown, meter: Meter) =>
            runner.parties(observers, scope(payload, argument, meter), meter),
        }),
    body,
    exercise: (ledger, self, argument) => {
      const { update, scope: inner, context } = body(ledger, self, argument);
      const machine = new Machine(definitions.code, ledger.meter, context);
      return typed(() => toLedger(resultType, machine.runUpdate(update, inner), ledger.meter));
    },
  };
}

/**
 * Returns a template's implementation of an interface: the interface's choices, and the template's own methods and
 * view.
 */
function implementation(
  runner: TemplateRunner,
  instance: InstanceCode,
): InterfaceImplementation<unknown> {
  const { definitions, templateId } = runner;
  const code = definitions.code.interface(instance.iface);
  const iface = definitions.interface(instance.iface);
  const scopeOf = (payload: unknown, meter: Meter): Scope => {
    const value = new InterfaceValue(templateId, runner.value(payload, meter));
    return new Environment(code.param, value, undefined);
  };
  const choices = choicesOf(runner, code.choices, scopeOf);
  return {
    iface,
    view: (payload, meter) => {
      try {
        return runner.ledgerValue(iface.view, instance.view, runner.scope(payload, meter), meter);
      } catch (error) {
        if (!(error instanceof DamlFailure)) throw error;
        throw damlFailure('', error.errorId, error.text, error.metadata, error.failureCategory);
      }
    },
    choices: Object.fromEntries(choices.map((choice) => [choice.name, choice])),
  };
}

/** Returns an interface with Daml-LF code. */
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
