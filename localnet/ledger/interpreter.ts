import { Meter } from '../engine/bounds.ts';
import { DamlFailure } from '../engine/failures.ts';
import type { Attempt } from '../engine/updates.ts';
import {
  contractIdOf,
  sameType,
  sortedParties,
  stakeholdersOf,
  templateText,
  typeText,
} from './contract.ts';
import type { Contract } from './contract.ts';
import {
  SHOWN_ID_CHARS,
  damlFailure,
  deadlineFailure,
  interpretationError,
  notActive,
  notFound,
  shortTypeText,
  traceText,
} from './interpretation-errors.ts';
import { LedgerError } from './ledger-error.ts';
import { UNIT } from './lf-types.ts';
import type { TypeName } from './lf-types.ts';
import { compareValues } from './lf-order.ts';
import { show } from './lf-show.ts';
import { ARCHIVE_CHOICE, archiveChoice } from './package-definition.ts';
import type {
  ChoiceContext,
  ChoiceDefinition,
  ChoiceTarget,
  ChoiceType,
  InterfaceDefinition,
  KeyedTemplate,
  TemplateDefinition,
} from './package-definition.ts';
import { contractAs } from './payload-versions.ts';
import type { PackageRegistry } from './package-registry.ts';
import { requireWritable } from './writable.ts';
import type { ExerciseNode, TimeBounds, TransactionTree, TreeNode } from './transaction-tree.ts';

/** Transactions with more nodes than this are refused: a choice that never ends must not stop the process. */
const NODES_MAX = 100_000;
/** Choices nested deeper than this are refused. */
const DEPTH_MAX = 200;
const ASSERTION_FAILED = 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed';
type AnyTemplate = TemplateDefinition;
type AnyInterface = InterfaceDefinition;
type AnyChoice = ChoiceDefinition<unknown>;

export interface InterpreterOptions {
  readonly registry: PackageRegistry;
  /** Contracts of the ledger that this submission may use: active, and visible to its readers or disclosed. */
  readonly lookUp: (contractId: string) => Contract | undefined;
  /** Contracts that the submission's readers see, of a template that is found by payload. */
  readonly lookUpByPayload: (template: TemplateDefinition, payload: unknown) => Iterable<Contract>;
  /** Contracts of a template that the submission's readers see, the latest last. @default none */
  readonly contractsOf?: (template: Pick<TemplateDefinition, 'name'>) => Iterable<Contract>;
  /** Microseconds. */
  readonly ledgerTime: bigint;
  /** 32 unpredictable bytes; the contract IDs come from it. */
  readonly seed: Uint8Array;
  /** The seed of one node, where what is interpreted must come out the same again. @default `seed` for all */
  readonly seedOf?: (nodeId: number) => Uint8Array;
}

/** Who has agreed to what happens at one place of the tree, and where its nodes go. */
interface Scope {
  readonly authorizers: ReadonlySet<string>;
  readonly nodes: TreeNode[];
  readonly depth: number;
  /** Choices that are running, outermost first: the trace of a failure. */
  readonly trace: readonly string[];
}

interface UsedContract {
  readonly contract: Contract;
  readonly isLocal: boolean;
  isConsumed: boolean;
}

/** The choice that an exercise means, and whether it is an interface's. */
interface FoundChoice {
  readonly choice: AnyChoice;
  readonly interfaceName: TypeName | undefined;
}

/**
 * Runs commands one after the other and records what they do as a transaction tree. Every rule of the ledger model
 * that needs no other participant is enforced here: activeness inside the transaction, template types, authorization.
 */
export class Interpreter {
  readonly #options: InterpreterOptions;
  readonly #roots: TreeNode[] = [];
  readonly #used = new Map<string, UsedContract>();
  readonly #topScope: Scope;
  readonly #meter = new Meter();
  /** Contracts that were created or archived, in order, as errors name them. */
  readonly #effects: string[] = [];
  /** The choices that were running when a failure was raised. */
  readonly #traces = new WeakMap<DamlFailure, readonly string[]>();
  /** As the trace of a failure ends. */
  #lastCommand = '';
  #nodeCount = 0;
  #timeBounds: TimeBounds = {};

  constructor(options: InterpreterOptions, actAs: Iterable<string>) {
    this.#options = options;
    this.#topScope = { authorizers: new Set(actAs), nodes: this.#roots, depth: 0, trace: [] };
  }

  /** Gives the contract ID. */
  create(template: AnyTemplate, packageId: string, payload: unknown): string {
    this.#lastCommand = `in create command ${shortTypeText(packageId, template.name)}.`;
    return this.#uncaught(this.#topScope, () =>
      this.#create(this.#topScope, template, packageId, payload),
    );
  }

  exercise(
    target: ChoiceTarget,
    contractId: string,
    choiceName: string,
    argument: unknown,
  ): unknown {
    const on = contractId.slice(0, SHOWN_ID_CHARS);
    const choice = `${this.#nameOf(target.name)}:${choiceName}`;
    this.#lastCommand = `in exercise command ${choice} on contract ${on}.`;
    return this.#uncaught(this.#topScope, () =>
      this.#exercise(this.#topScope, target, contractId, choiceName, argument),
    );
  }

  exerciseByKey(
    template: AnyTemplate & KeyedTemplate,
    key: unknown,
    choice: string,
    of: unknown,
  ): unknown {
    const name = `${this.#nameOf(template.name)}:${choice}`;
    this.#lastCommand = `in exercise-by-key command ${name}.`;
    const scope = this.#topScope;
    return this.#uncaught(scope, () =>
      this.#exercise(scope, template, this.#findByKey(template, key), choice, of),
    );
  }

  createAndExercise(
    template: AnyTemplate,
    packageId: string,
    payload: unknown,
    choiceName: string,
    argument: unknown,
  ): unknown {
    const choice = `${shortTypeText(packageId, template.name)}:${choiceName}`;
    this.#lastCommand = `in create-and-exercise command ${choice}.`;
    return this.#uncaught(this.#topScope, () => {
      const contractId = this.#create(this.#topScope, template, packageId, payload);
      return this.#exercise(this.#topScope, template, contractId, choiceName, argument);
    });
  }

  /** Runs code whose exceptions nothing catches. */
  #uncaught<T>(scope: Scope, run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof DamlFailure) throw this.#failureOf(error, scope);
      throw error;
    }
  }

  #failureOf(failure: DamlFailure, { trace }: Scope): LedgerError {
    const { errorId, text, metadata, failureCategory } = failure;
    const place = traceText(this.#traces.get(failure) ?? trace, this.#lastCommand);
    return damlFailure(place, errorId, text, metadata, failureCategory);
  }

  finish(): TransactionTree {
    const inputs = new Map<string, Contract>();
    const consumed = new Set<string>();
    for (const [contractId, { contract, isLocal, isConsumed }] of this.#used) {
      if (isLocal) continue;
      inputs.set(contractId, contract);
      if (isConsumed) consumed.add(contractId);
    }
    return { roots: this.#roots, inputs, consumed, timeBounds: this.#timeBounds };
  }

  #nameOf(name: TypeName): string {
    return shortTypeText(this.#options.registry.idOf(name.packageName), name);
  }

  #nextNodeId(): number {
    if (this.#nodeCount >= NODES_MAX) {
      throw interpretationError(`transaction has more than ${NODES_MAX} nodes`);
    }
    this.#nodeCount += 1;
    return this.#nodeCount - 1;
  }

  #create(scope: Scope, template: AnyTemplate, packageId: string, payload: unknown): string {
    const nodeId = this.#nextNodeId();
    requireWritable(template.payload, payload);
    const meter = this.#meter;
    if (template.ensure !== undefined && !template.ensure(payload, meter)) {
      throw new LedgerError(
        'TEMPLATE_PRECONDITION_VIOLATED',
        `Interpretation error: Error: Template precondition violated: ${typeText(packageId, template.name)}`,
      );
    }
    const signatories = sortedParties(template.signatories(payload, meter));
    const observers = sortedParties(template.observers(payload, meter)).filter(
      (party) => !signatories.includes(party),
    );
    if (template.key !== undefined)
      this.#requireMaintainers({ ...template, key: template.key }, payload);
    const createdAt = this.#options.ledgerTime;
    const terms = { template, packageId, payload, signatories, observers, createdAt };
    requireAuthorizers(scope, nodeId, typeText(packageId, template.name), signatories);
    const { seed, seedOf } = this.#options;
    const contractId = contractIdOf(seedOf?.(nodeId) ?? seed, nodeId, terms);
    const contract: Contract = { contractId, ...terms };
    this.#used.set(contractId, { contract, isLocal: true, isConsumed: false });
    scope.nodes.push({ kind: 'create', nodeId, contract });
    this.#effects.push(`Create of ${templateText(contract)}(${contractId})`);
    return contractId;
  }

  #requireMaintainers(template: KeyedTemplate, payload: unknown): void {
    const { of, maintainers } = template.key;
    const parties = this.#uncaught(this.#topScope, () =>
      maintainers(of(payload, this.#meter), this.#meter),
    );
    if (parties.length > 0) return;
    throw new LedgerError(
      'CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS',
      `Interpretation error: Error: Update failed due to a contract key with an empty set of maintainers when creating ${this.#nameOf(template.name)}`,
    );
  }

  #use(contractId: string): UsedContract {
    const known = this.#used.get(contractId);
    if (known !== undefined) {
      if (known.isConsumed) throw notActive(known.contract);
      return known;
    }
    const contract = this.#options.lookUp(contractId);
    if (contract === undefined) throw notFound(contractId);
    const used: UsedContract = { contract, isLocal: false, isConsumed: false };
    this.#used.set(contractId, used);
    return used;
  }

  #fetch(scope: Scope, target: AnyTemplate | AnyInterface, contractId: string): Contract {
    const used = this.#use(contractId).contract;
    const nodeId = this.#nextNodeId();
    const contract = contractOf(used, target, this.#meter);
    const actors = stakeholdersOf(contract).filter((party) => scope.authorizers.has(party));
    if (actors.length === 0) {
      throw authorizationError(
        `node NodeId(${nodeId}) (${templateText(contract)}) requires one of the stakeholders ${partySet(stakeholdersOf(contract))} of the fetched contract to be an authorizer, but authorizers were ${partySet(scope.authorizers)}`,
      );
    }
    const interfaceName = target.kind === 'interface' ? target.name : undefined;
    scope.nodes.push({ kind: 'fetch', nodeId, contract: used, interfaceName, actors });
    return contract;
  }

  #exercise(
    scope: Scope,
    target: ChoiceTarget,
    contractId: string,
    choiceName: string,
    argument: unknown,
  ): unknown {
    if (scope.depth >= DEPTH_MAX) throw interpretationError('choices nest too deeply');
    const used = this.#use(contractId);
    const { contract } = used;
    const { payload } = contractOf(contract, target, this.#meter);
    const { choice, interfaceName } = findChoice(contract, target, choiceName);
    requireWritable(choice.argument, argument);
    const meter = this.#meter;
    // An exception in them is not for the code that exercises the choice.
    const [controllers, observers] = this.#uncaught(scope, () => [
      choice.controllers(payload, argument, meter),
      choice.observers?.(payload, argument, meter) ?? [],
    ]);
    const nodeId = this.#nextNodeId();
    const actors = sortedParties(controllers);
    requireAuthorizers(scope, nodeId, templateText(contract), actors);
    const isConsuming = choice.kind === 'consuming';
    if (isConsuming) {
      used.isConsumed = true;
      this.#effects.push(
        `Consuming exercise of ${choiceName} on ${templateText(contract)}(${contractId})`,
      );
    }
    const node: ExerciseNode = {
      kind: 'exercise',
      nodeId,
      contract,
      interfaceName,
      choice: choiceName,
      argumentType: choice.argument,
      argument,
      resultType: choice.result,
      result: undefined,
      actors,
      choiceObservers: sortedParties(observers),
      consuming: isConsuming,
      children: [],
      lastDescendantNodeId: nodeId,
    };
    scope.nodes.push(node);
    this.#runBody(scope, node, choice, payload);
    return node.result;
  }

  #runBody(scope: Scope, node: ExerciseNode, choice: AnyChoice, payload: unknown): void {
    const { contract } = node;
    const type =
      node.interfaceName === undefined
        ? shortTypeText(contract.packageId, contract.template.name)
        : this.#nameOf(node.interfaceName);
    const on = contract.contractId.slice(0, SHOWN_ID_CHARS);
    const place = `in choice ${type}:${node.choice} on contract ${on} (#${node.nodeId})`;
    const inner: Scope = {
      authorizers: new Set([...contract.signatories, ...node.actors]),
      nodes: node.children,
      depth: scope.depth + 1,
      trace: [...scope.trace, place],
    };
    const self = { contractId: contract.contractId, payload };
    try {
      node.result = choice.exercise(this.#context(inner), self, node.argument);
    } catch (error) {
      if (error instanceof DamlFailure && !this.#traces.has(error)) {
        this.#traces.set(error, inner.trace);
      }
      throw error;
    }
    requireWritable(choice.result, node.result);
    if (choice.kind === 'postconsuming')
      this.#archive(inner, contract.template, contract.contractId);
    node.lastDescendantNodeId = this.#nodeCount - 1;
  }

  #archive(scope: Scope, template: AnyTemplate, contractId: string): void {
    this.#exercise(scope, template, contractId, ARCHIVE_CHOICE, UNIT);
  }

  /** Of this transaction or from outside it, and archived by nothing so far. */
  #findByPayload(template: AnyTemplate, payload: unknown): string | undefined {
    const isWanted = ({ contract, isLocal }: UsedContract) =>
      isLocal &&
      sameType(contract.template.name, template.name) &&
      compareValues(template.payload, contract.payload, payload) === 0;
    const own = Array.from(this.#used.values()).filter(isWanted);
    const others = Array.from(
      this.#options.lookUpByPayload(template, payload),
      ({ contractId }) => ({
        contract: { contractId },
        isConsumed: this.#used.get(contractId)?.isConsumed === true,
      }),
    );
    return [...own, ...others].find(({ isConsumed }) => !isConsumed)?.contract.contractId;
  }

  /** Active contracts with a key, those of this transaction first, the latest of each first. */
  #contractsWithKey(template: KeyedTemplate, key: unknown): readonly Contract[] {
    const { name, key: definition } = template;
    const isWanted = (contract: Contract): boolean => {
      const of = contract.template.key;
      if (of === undefined || !sameType(contract.template.name, name)) return false;
      this.#meter.spend(1);
      return compareValues(definition.type, of.of(contract.payload, this.#meter), key) === 0;
    };
    const own = Array.from(this.#used.values()).flatMap(({ contract, isLocal, isConsumed }) =>
      isLocal && !isConsumed ? [contract] : [],
    );
    const others = [...(this.#options.contractsOf?.(template) ?? [])].filter(
      ({ contractId }) => this.#used.get(contractId)?.isConsumed !== true,
    );
    return [...others, ...own].filter(isWanted).toReversed();
  }

  #maintainersOf({ name, key: { maintainers } }: KeyedTemplate, key: unknown): readonly string[] {
    const parties = sortedParties(
      this.#uncaught(this.#topScope, () => maintainers(key, this.#meter)),
    );
    if (parties.length > 0) return parties;
    throw new LedgerError(
      'FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS',
      `Interpretation error: Error: Update failed due to a contract key with an empty set of maintainers when fetching or looking up by key ${this.#nameOf(name)}`,
    );
  }

  #findByKey(template: KeyedTemplate, key: unknown): string {
    this.#maintainersOf(template, key);
    const [found] = this.#contractsWithKey(template, key);
    if (found !== undefined) return found.contractId;
    throw new LedgerError(
      'CONTRACT_KEY_NOT_FOUND',
      `Interpretation error: Error: Update failed due to fetch-by-key or exercise-by-key which did not find a contract with key ${show(template.key.type, key)} (${this.#nameOf(template.name)})`,
    );
  }

  #queryByKey(scope: Scope, template: KeyedTemplate, key: unknown, most: number) {
    const maintainers = this.#maintainersOf(template, key);
    const nodeId = this.#nextNodeId();
    requireAuthorizers(scope, nodeId, this.#nameOf(template.name), maintainers);
    const found = this.#contractsWithKey(template, key).slice(0, most);
    for (const { contractId } of found) this.#use(contractId);
    return found;
  }

  /** Begins what is undone when an exception is caught. Only what has no effect can be undone. */
  #attempt(scope: Scope): Attempt {
    const nodeId = this.#nextNodeId();
    const [nodes, effects] = [scope.nodes.length, this.#effects.length];
    return {
      rollBack: () => {
        const undone = this.#effects.slice(effects);
        if (undone.length > 0) {
          throw new LedgerError(
            'DAML_EFFECTFUL_ROLLBACK_ERROR',
            `Interpretation error: Error: Tried to rollback side-effectful node(s): ${undone.join(',\n ')}`,
          );
        }
        const children = scope.nodes.splice(nodes);
        if (children.length > 0) scope.nodes.push({ kind: 'rollback', nodeId, children });
      },
    };
  }

  #narrow({ min, max }: TimeBounds): void {
    const { min: least, max: most } = this.#timeBounds;
    if (min !== undefined && (least === undefined || min > least)) {
      this.#timeBounds = { ...this.#timeBounds, min };
    }
    if (max !== undefined && (most === undefined || max < most)) {
      this.#timeBounds = { ...this.#timeBounds, max };
    }
  }

  #context(scope: Scope): ChoiceContext {
    const { ledgerTime, registry } = this.#options;
    const fail = (
      errorId: string,
      message: string,
      metadata?: Readonly<Record<string, string>>,
    ) => {
      const trace = traceText(scope.trace, this.#lastCommand);
      throw damlFailure(trace, errorId, message, metadata);
    };
    return {
      getTime: () => {
        this.#timeBounds = { min: ledgerTime, max: ledgerTime };
        return ledgerTime;
      },
      create: (template, payload) =>
        this.#create(
          scope,
          template,
          template.packageId ?? registry.idOf(template.name.packageName),
          payload,
        ),
      fetch: <P>(template: TemplateDefinition<P>, contractId: string) =>
        this.#fetch(scope, template, contractId).payload as P,
      fetchInterface: <V>(iface: InterfaceDefinition<V>, contractId: string) => {
        const contract = this.#fetch(scope, iface, contractId);
        return implementationOf(contract, iface).view(contract.payload, this.#meter) as V;
      },
      fetchContract: (iface, contractId) => this.#fetch(scope, iface, contractId),
      queryByKey: (template, key, most) => this.#queryByKey(scope, template, key, most),
      findByKey: (template, key) => this.#findByKey(template, key),
      attempt: () => this.#attempt(scope),
      meter: this.#meter,
      exercise: <A, R>(
        target: ChoiceTarget,
        contractId: string,
        choice: ChoiceType<A, R>,
        argument: A,
      ) => this.#exercise(scope, target, contractId, choice.name, argument) as R,
      archive: (template, contractId) => this.#archive(scope, template, contractId),
      findByPayload: (template, payload) => this.#findByPayload(template, payload),
      require: (description, condition) => {
        if (!condition) fail(ASSERTION_FAILED, `The requirement '${description}' was not met.`);
      },
      requireEqual: (left, right, type) => {
        if (compareValues(type, left, right) === 0) return;
        fail(ASSERTION_FAILED, `Failure, expected ${show(type, left)} == ${show(type, right)}`);
      },
      isBefore: (micros) => {
        const isEarlier = ledgerTime < micros;
        this.#narrow(isEarlier ? { max: micros - 1n } : { min: micros });
        return isEarlier;
      },
      requireWithinDeadline: (name, deadline) => {
        if (ledgerTime >= deadline) {
          fail(...deadlineFailure('exceeded', 'at or past', name, deadline));
        }
        this.#narrow({ max: deadline - 1n });
      },
      requireDeadlineExceeded: (name, deadline) => {
        if (ledgerTime < deadline) {
          fail(...deadlineFailure('not-exceeded', 'strictly before', name, deadline));
        }
        this.#narrow({ min: deadline });
      },
      fail: (errorId, message, metadata) => fail(errorId, message, metadata),
    };
  }
}

/** A contract as the version of its template that is meant, or as it is if an interface is. */
function contractOf(contract: Contract, target: ChoiceTarget, meter: Meter): Contract {
  if (target.kind === 'interface') {
    implementationOf(contract, target);
    return contract;
  }
  requireTemplate(contract, target);
  return isWhole(target) ? contractAs(contract, target, meter) : contract;
}

const isWhole = (target: ChoiceTarget): target is TemplateDefinition => 'payload' in target;

function findChoice(contract: Contract, target: ChoiceTarget, choiceName: string): FoundChoice {
  const { template: created } = contract;
  if (target.kind === 'template') {
    const template = isWhole(target) && target.packageId !== undefined ? target : created;
    const choice =
      choiceName === ARCHIVE_CHOICE
        ? (archiveChoice(template) as AnyChoice)
        : template.choices.find(({ name }) => name === choiceName);
    if (choice !== undefined) return { choice, interfaceName: undefined };
  } else {
    const implementation = implementationOf(contract, target);
    const choice =
      choiceName === ARCHIVE_CHOICE
        ? (archiveChoice(created) as AnyChoice)
        : implementation.choices[choiceName];
    if (choice !== undefined) return { choice, interfaceName: target.name };
  }
  throw new LedgerError(
    'COMMAND_PREPROCESSING_FAILED',
    `unknown choice ${target.name.module}:${target.name.entity}:${choiceName}`,
  );
}

function requireTemplate(contract: Contract, expected: ChoiceTarget): void {
  if (sameType(contract.template.name, expected.name)) return;
  const { module, entity } = expected.name;
  throw new LedgerError(
    'WRONGLY_TYPED_CONTRACT',
    `Interpretation error: Error: wrongly typed contract id: expected template type ${module}:${entity}, but ${contract.contractId} is of ${templateText(contract)}`,
    {
      resources: [
        { type: 'CONTRACT_ID', name: contract.contractId },
        { type: 'TEMPLATE_ID', name: typeText(contract.packageId, expected.name) },
        { type: 'TEMPLATE_ID', name: templateText(contract) },
      ],
    },
  );
}

function implementationOf(contract: Contract, iface: ChoiceTarget) {
  const found = contract.template.implements.find((it) => sameType(it.iface.name, iface.name));
  if (found !== undefined) return found;
  throw new LedgerError(
    'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    `Interpretation error: Error: contract ${contract.contractId} of ${templateText(contract)} does not implement interface ${iface.name.module}:${iface.name.entity}`,
    { resources: [{ type: 'CONTRACT_ID', name: contract.contractId }] },
  );
}

const partySet = (parties: Iterable<string>) => [...parties].sort().join(',');

const authorizationError = (text: string) =>
  new LedgerError('DAML_AUTHORIZATION_ERROR', `Interpretation error: Error: ${text}`);

function requireAuthorizers(
  scope: Scope,
  nodeId: number,
  typeOfNode: string,
  required: readonly string[],
): void {
  const place = `node NodeId(${nodeId}) (${typeOfNode})`;
  if (required.length === 0) throw authorizationError(`${place} has no authorizers`);
  if (required.every((party) => scope.authorizers.has(party))) return;
  throw authorizationError(
    `${place} requires authorizers ${partySet(required)}, but only ${partySet(scope.authorizers)} were given`,
  );
}
