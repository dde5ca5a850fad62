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
  TemplateDefinition,
} from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';
import { requireWritable } from './writable.ts';
import type {
  ExerciseNode,
  TimeBounds,
  TransactionNode,
  TransactionTree,
} from './transaction-tree.ts';

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
  readonly nodes: TransactionNode[];
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
  readonly #roots: TransactionNode[] = [];
  readonly #used = new Map<string, UsedContract>();
  readonly #topScope: Scope;
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
    this.#lastCommand = `in create command ${this.#nameOf(template.name)}.`;
    return this.#create(this.#topScope, template, packageId, payload);
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
    return this.#exercise(this.#topScope, target, contractId, choiceName, argument);
  }

  createAndExercise(
    template: AnyTemplate,
    packageId: string,
    payload: unknown,
    choiceName: string,
    argument: unknown,
  ): unknown {
    const choice = `${this.#nameOf(template.name)}:${choiceName}`;
    this.#lastCommand = `in create-and-exercise command ${choice}.`;
    const contractId = this.#create(this.#topScope, template, packageId, payload);
    return this.#exercise(this.#topScope, template, contractId, choiceName, argument);
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
    if (template.ensure !== undefined && !template.ensure(payload)) {
      throw new LedgerError(
        'TEMPLATE_PRECONDITION_VIOLATED',
        `Interpretation error: Error: Template precondition violated: ${typeText(packageId, template.name)}`,
      );
    }
    const signatories = sortedParties(template.signatories(payload));
    const observers = sortedParties(template.observers(payload)).filter(
      (party) => !signatories.includes(party),
    );
    const createdAt = this.#options.ledgerTime;
    const terms = { template, packageId, payload, signatories, observers, createdAt };
    requireAuthorizers(scope, nodeId, typeText(packageId, template.name), signatories);
    const { seed, seedOf } = this.#options;
    const contractId = contractIdOf(seedOf?.(nodeId) ?? seed, nodeId, terms);
    const contract: Contract = { contractId, ...terms };
    this.#used.set(contractId, { contract, isLocal: true, isConsumed: false });
    scope.nodes.push({ kind: 'create', nodeId, contract });
    return contractId;
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

  #fetch(scope: Scope, target: AnyTemplate | AnyInterface, contractId: string): unknown {
    const { contract } = this.#use(contractId);
    const nodeId = this.#nextNodeId();
    const view = viewAs(contract, target);
    const actors = stakeholdersOf(contract).filter((party) => scope.authorizers.has(party));
    if (actors.length === 0) {
      throw authorizationError(
        `node NodeId(${nodeId}) (${templateText(contract)}) requires one of the stakeholders ${partySet(stakeholdersOf(contract))} of the fetched contract to be an authorizer, but authorizers were ${partySet(scope.authorizers)}`,
      );
    }
    const interfaceName = target.kind === 'interface' ? target.name : undefined;
    scope.nodes.push({ kind: 'fetch', nodeId, contract, interfaceName, actors });
    return view;
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
    const { choice, interfaceName } = findChoice(contract, target, choiceName);
    const nodeId = this.#nextNodeId();
    requireWritable(choice.argument, argument);
    const actors = sortedParties(choice.controllers(contract.payload, argument));
    requireAuthorizers(scope, nodeId, templateText(contract), actors);
    const isConsuming = choice.kind === 'consuming';
    if (isConsuming) used.isConsumed = true;
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
      choiceObservers: sortedParties(choice.observers?.(contract.payload, argument) ?? []),
      consuming: isConsuming,
      children: [],
      lastDescendantNodeId: nodeId,
    };
    scope.nodes.push(node);
    this.#runBody(scope, node, choice);
    return node.result;
  }

  #runBody(scope: Scope, node: ExerciseNode, choice: AnyChoice): void {
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
    const self = { contractId: contract.contractId, payload: contract.payload };
    node.result = choice.exercise(this.#context(inner), self, node.argument);
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
        this.#create(scope, template, registry.idOf(template.name.packageName), payload),
      fetch: <P>(template: TemplateDefinition<P>, contractId: string) =>
        this.#fetch(scope, template, contractId) as P,
      fetchInterface: <V>(iface: InterfaceDefinition<V>, contractId: string) =>
        this.#fetch(scope, iface, contractId) as V,
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

function findChoice(contract: Contract, target: ChoiceTarget, choiceName: string): FoundChoice {
  const { template } = contract;
  if (target.kind === 'template') {
    requireTemplate(contract, target);
    const choice =
      choiceName === ARCHIVE_CHOICE
        ? (archiveChoice(template) as AnyChoice)
        : template.choices.find(({ name }) => name === choiceName);
    if (choice !== undefined) return { choice, interfaceName: undefined };
  } else {
    const implementation = implementationOf(contract, target);
    const choice =
      choiceName === ARCHIVE_CHOICE
        ? (archiveChoice(template) as AnyChoice)
        : implementation.choices[choiceName];
    if (choice !== undefined) return { choice, interfaceName: target.name };
  }
  throw new LedgerError(
    'COMMAND_PREPROCESSING_FAILED',
    `unknown choice ${target.name.module}:${target.name.entity}:${choiceName}`,
  );
}

function viewAs(contract: Contract, target: AnyTemplate | AnyInterface): unknown {
  if (target.kind === 'interface') return implementationOf(contract, target).view(contract.payload);
  requireTemplate(contract, target);
  return contract.payload;
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
