import type { Party } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import type {
  CreatedEvent,
  FollowedType,
  LedgerCommand,
  TemplateName,
} from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { assert } from '../../domain/unreachable.ts';
import type { LfRecord } from './lf.ts';
import { record } from './lf.ts';
import type { OperationDefinition } from './operation.ts';
import { endsItsContract } from './operation.ts';
import type { Ending, LifecycleDefinition, TemplateDefinition } from './template.ts';

/** The choice that every template has. Only all signatories together can exercise it. */
export const ARCHIVE = 'Archive';

/** The argument types of a template's commands. A template that Tenure never creates has no `create`. */
export interface TemplateArguments {
  readonly create?: LfRecord;
  readonly choices: Readonly<Record<string, LfRecord>>;
}

/** An interface whose views of contracts are followed. */
export interface FollowedInterface {
  readonly name: TemplateName;
  /** Whether a policy may wait for a contract with this interface. */
  readonly wakesPolicies: boolean;
}

/** The definition of a contract package. */
export interface ContractDefinition {
  readonly templates: readonly TemplateDefinition<unknown>[];
  readonly operations: readonly OperationDefinition[];
  readonly interfaces?: readonly FollowedInterface[];
  /**
   * A contract that a user creates and archives in one transaction, so that a synchronizer's time advances.
   * Participants report the transaction to the user and the provider.
   */
  readonly tick: {
    readonly template: TemplateName;
    readonly argument: (user: Party, provider: Party) => JsonRecord;
  };
  /** Returns the reason in a choice's argument; absent if arguments have no field for a reason. */
  readonly reasonIn?: (argument: Json) => string | null;
  /** Features that operations need, as far as the ledger's version of the package has them. */
  readonly features: ReadonlySet<string>;
}

/** A contract package as the engine uses it, derived from its definitions. */
export interface ContractModel {
  readonly operations: readonly OperationDefinition[];
  readonly names: readonly string[];
  /** The templates whose contracts are followed. */
  readonly templates: readonly TemplateName[];
  readonly interfaces: readonly FollowedInterface[];
  /** Full names of the interfaces whose contracts a policy may wait for. */
  readonly awaited: ReadonlySet<string>;
  /** @throws Error if no operation has this name */
  operation(name: string): OperationDefinition;
  /** Returns the operation that a machine's action requests. */
  operationOf(kind: string, action: string): OperationDefinition | undefined;
  /** Names of operations that archive their contract, so that at most one attempt on a contract can succeed. */
  readonly ending: readonly string[];
  /** @throws Error if no template has this kind */
  lifecycle(kind: string): LifecycleDefinition;
  /** Returns the template whose contracts are lifecycles of this kind. */
  templateOf(kind: string): TemplateName;
  /** Returns the definition of a template, or `null`. */
  template(name: TemplateName): TemplateDefinition<unknown> | null;
  /** Returns the machine event and the final state of a lifecycle that ends by this choice. */
  endingBy(kind: string, choice: string): Ending;
  /** Returns the reason in a choice's argument, or `null`. */
  reasonIn(argument: Json): string | null;
  /** Names of the concurrent operations: comments. */
  readonly comments: readonly string[];
  /** Returns whether an operation is concurrent, so that it leaves its lifecycle as it is: see `LifecycleAction`. */
  isAside(operation: string): boolean;
  /** Returns why the ledger's package lacks the operation; `undefined` if the package has it. */
  missing(operation: string): string | undefined;
  has(feature: string): boolean;
  /** Returns the argument types of a template's commands; `undefined` for a template of another package. */
  readonly argumentsOf: (template: TemplateName) => TemplateArguments | undefined;
  /** Returns a command that only advances the time of a synchronizer: see {@link ContractDefinition}. */
  tick(user: Party, provider: Party): LedgerCommand;
}

/** The end of a contract by a choice that this version does not know, or that could not be read. */
export const GONE: Ending = { event: 'ledger.gone', state: 'gone' };

const byName = <T>(entries: readonly (readonly [string, T])[], what: string) => {
  const found = new Map(entries);
  assert(found.size === entries.length, `every ${what} is defined once`);
  return found;
};

function endingsOf(
  { description: { kind }, endings }: LifecycleDefinition,
  operations: readonly OperationDefinition[],
): ReadonlyMap<string, Ending> {
  const ofOperations = operations.flatMap(({ kind: of, command }) =>
    of === kind && command.kind === 'choice' && command.consequence.kind === 'ends'
      ? [[command.name, command.consequence] as const]
      : [],
  );
  return byName([...Object.entries(endings), ...ofOperations], `ending of ${kind}`);
}

function argumentsByTemplate({
  templates,
  operations,
}: ContractDefinition): ReadonlyMap<string, TemplateArguments> {
  const known = new Map<string, TemplateArguments>(
    templates.map(({ name }) => [templateFqn(name), { choices: { [ARCHIVE]: record({}) } }]),
  );
  for (const { command } of operations) {
    const fqn = templateFqn(command.template);
    const before = known.get(fqn) ?? { choices: {} };
    known.set(
      fqn,
      command.kind === 'create'
        ? { ...before, create: command.argument }
        : { ...before, choices: { ...before.choices, [command.name]: command.argument } },
    );
  }
  return known;
}

/**
 * Checks rules that types cannot express: the machine has the operation's action, and submits the operation when it
 * accepts the action. An operation that keeps its contract defines `isEffect`, because another client may exercise the
 * same choice.
 */
function checkOperation(
  definition: OperationDefinition,
  of: LifecycleDefinition | undefined,
): void {
  const { name, kind, action, command } = definition;
  const isTold = command.kind !== 'choice' || command.consequence.kind !== 'keeps';
  assert(isTold || definition.isEffect !== undefined, `${name} says what is its effect`);
  if (kind === null) return;
  assert(of !== undefined, `${name} is of ${kind}, which no template has`);
  const asked = of.description.actions.find((found) => found.name === action);
  assert(asked !== undefined, `${name} asks for ${action}, which the machine of ${kind} lacks`);
  const { machine } = of.description;
  const submits = [machine.root, ...Object.values(machine.states)].some((node) =>
    [...node.transitions.values()]
      .flat()
      .some(
        ({ eventType, actions }) =>
          eventType === asked.event && actions.some((each) => each === name || typeIs(each, name)),
      ),
  );
  assert(submits, `the machine of ${kind} submits ${name} when it takes ${asked.event}`);
}

const typeIs = (action: unknown, name: string): boolean =>
  typeof action === 'object' && action !== null && 'type' in action && action.type === name;

/** Checks a rule that types cannot express: the event ends the lifecycle in the final state of the given name. */
function checkEndings(
  { description: { kind, machine } }: LifecycleDefinition,
  endings: ReadonlyMap<string, Ending>,
): void {
  for (const { event, state } of [...endings.values(), GONE]) {
    const ends = [machine.root, ...Object.values(machine.states)].some((node) =>
      [...node.transitions.values()]
        .flat()
        .some(
          ({ eventType, target }) =>
            eventType === event &&
            target?.some(({ key, type }) => key === state && type === 'final'),
        ),
    );
    assert(ends, `${event} ends no ${kind} as ${state}: its machine has no such final state`);
  }
}

/** Returns the definitions of templates and operations in maps, one for each of their keys. */
function indexed({ templates, operations }: ContractDefinition) {
  const lifecycles = templates.flatMap(({ lifecycle }) => lifecycle ?? []);
  const byKind = byName(
    lifecycles.map((lifecycle) => [lifecycle.description.kind, lifecycle] as const),
    'kind of lifecycle',
  );
  for (const operation of operations) {
    checkOperation(operation, operation.kind === null ? undefined : byKind.get(operation.kind));
  }
  const endings = new Map(
    lifecycles.map((each) => [each.description.kind, endingsOf(each, operations)]),
  );
  for (const each of lifecycles) {
    checkEndings(each, endings.get(each.description.kind) ?? new Map());
  }
  const isAside = ({ kind, action }: OperationDefinition): boolean =>
    byKind
      .get(kind ?? '')
      ?.description.actions.some((each) => each.name === action && each.isAside) ?? false;
  return {
    byKind,
    byTemplate: byName(
      templates.map((template) => [templateFqn(template.name), template] as const),
      'template',
    ),
    templateByKind: new Map(
      templates.flatMap(({ name, lifecycle }) =>
        lifecycle === null ? [] : [[lifecycle.description.kind, name] as const],
      ),
    ),
    byOperation: byName(
      operations.map((operation) => [operation.name, operation] as const),
      'operation',
    ),
    byAction: byName(
      operations.flatMap((operation) =>
        operation.kind === null
          ? []
          : [[`${operation.kind}:${operation.action}`, operation] as const],
      ),
      'action',
    ),
    endings,
    aside: new Set(operations.filter(isAside).map(({ name }) => name)),
  };
}

function found<T>(entries: ReadonlyMap<string, T>, name: string, what: string): T {
  const entry = entries.get(name);
  assert(entry !== undefined, `no ${what} is called ${name}`);
  return entry;
}

/**
 * Builds the model of a package from its definitions.
 *
 * @example
 * export const shop = defineModel({
 *   templates: [Voucher],
 *   operations: [redeemVoucher],
 *   tick: {
 *     template: Voucher.name,
 *     argument: (user, provider) => ({ issuer: provider, holder: user, validUntil: '2030-01-01T00:00:00Z' }),
 *   },
 *   features: new Set(),
 * });
 *
 * @throws Error that names a definition which contradicts another one
 */
export function defineModel(definition: ContractDefinition): ContractModel {
  const { templates, operations, interfaces = [], tick, features } = definition;
  const by = indexed(definition);
  const taken = argumentsByTemplate(definition);
  const operation = (name: string) => found(by.byOperation, name, 'operation');
  return {
    operations,
    names: operations.map(({ name }) => name),
    templates: templates.map(({ name }) => name),
    interfaces,
    awaited: new Set(
      interfaces.flatMap((each) => (each.wakesPolicies ? templateFqn(each.name) : [])),
    ),
    operation,
    operationOf: (kind, action) => by.byAction.get(`${kind}:${action}`),
    ending: operations.filter(endsItsContract).map(({ name }) => name),
    lifecycle: (kind) => found(by.byKind, kind, 'lifecycle'),
    templateOf: (kind) => found(by.templateByKind, kind, 'lifecycle'),
    template: (name) => by.byTemplate.get(templateFqn(name)) ?? null,
    endingBy: (kind, choice) => by.endings.get(kind)?.get(choice) ?? GONE,
    reasonIn: definition.reasonIn ?? (() => null),
    comments: [...by.aside],
    isAside: (name) => by.aside.has(name),
    missing: (name) => {
      const { needs } = operation(name);
      return needs === undefined || features.has(needs.feature) ? undefined : needs.missing;
    },
    has: (feature) => features.has(feature),
    argumentsOf: (template) => taken.get(templateFqn(template)),
    tick: (user, provider) => ({
      kind: 'create-and-archive',
      template: tick.template,
      argument: tick.argument(user, provider),
    }),
  };
}

/** Returns the definition of the lifecycle that a created contract belongs to, or `null`. */
export const lifecycleOf = (
  model: ContractModel,
  { template }: Pick<CreatedEvent, 'template'>,
): LifecycleDefinition | null => model.template(template)?.lifecycle ?? null;

/** Returns the types whose contracts are followed if the participant knows the types. */
export const typesOf = ({ templates, interfaces }: ContractModel) => ({
  templates,
  interfaces: interfaces.map(({ name }) => name),
});

/**
 * Returns the types of a stream, each marked as a template or an interface. A type that is no interface of the model is
 * a template.
 */
export function followedIn(
  { interfaces }: ContractModel,
  types: readonly string[],
): readonly FollowedType[] {
  const names = new Set(interfaces.map(({ name }) => templateFqn(name)));
  return types.map((fqn) => ({ fqn, kind: names.has(fqn) ? 'interface' : 'template' }));
}
