import { exceeded, Meter } from './engine/bounds.ts';
import { DamlFailure } from './engine/failures.ts';
import type { Attempt } from './engine/updates.ts';
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
  interpretationError,
  notActive,
  notFound,
  shortTypeText,
  traceText,
} from './interpretation-errors.ts';
import {
  authorizationError,
  partySet,
  requireAuthorizers,
  requireSigningMaintainers,
} from './authorization.ts';
import { checksOf } from './choice-checks.ts';
import { contractOf, findChoice, implementationOf } from './choice-lookup.ts';
import type { AnyChoice } from './choice-lookup.ts';
import { Effects } from './effects.ts';
import { ContractKeys } from './contract-keys.ts';
import type { UsedContract } from './contract-keys.ts';
import type { LedgerError } from './ledger-error.ts';
import { UNIT } from './lf-types.ts';
import type { TypeName } from './lf-types.ts';
import { compareValues } from './lf-order.ts';
import { ARCHIVE_CHOICE, runBegun } from './package-definition.ts';
import type {
  BegunExercise,
  ChoiceContext,
  ChoiceTarget,
  ChoiceType,
  InterfaceDefinition,
  KeyedTemplate,
  TemplateDefinition,
} from './package-definition.ts';
import { partiesOf, requirePrecondition } from './payload-versions.ts';
import { rolledBack } from './rollbacks.ts';
import type { InterpreterOptions } from './interpreter-options.ts';
import { requireWritable } from './writable.ts';
import { narrowed } from './transaction-tree.ts';
import type { ExerciseNode, TimeBounds, TransactionTree, TreeNode } from './transaction-tree.ts';

/** The maximum number of nodes of a transaction. It prevents an endless choice from stopping the process. */
const NODES_MAX = 100_000;
/** The maximum nesting of choices. It is needed because transactions are processed recursively. */
const DEPTH_MAX = 1000;
type AnyTemplate = TemplateDefinition;
type AnyInterface = InterfaceDefinition;

/** A position in the transaction tree: its authorizers, and the list to which its nodes are added. */
interface Scope {
  readonly authorizers: ReadonlySet<string>;
  readonly nodes: TreeNode[];
  readonly depth: number;
  /** The running choices, outermost first, for the trace of a failure. */
  readonly trace: readonly string[];
}

/**
 * Runs commands in order and records their effects as a transaction tree. Enforces every rule of the ledger model that
 * one participant can check: activeness of contracts within the transaction, template types, authorization.
 */
export class Interpreter {
  readonly #options: InterpreterOptions;
  readonly #roots: TreeNode[] = [];
  readonly #used = new Map<string, UsedContract>();
  readonly #topScope: Scope;
  readonly #meter: Meter;
  readonly #effects = new Effects(this.#used);
  /** The choices that were running when each failure was raised. */
  readonly #traces = new WeakMap<DamlFailure, readonly string[]>();
  readonly #keys: ContractKeys;
  /** The last line of a failure's trace, which describes the command. */
  #lastCommand = '';
  #nodeCount = 0;
  #timeBounds: TimeBounds = {};

  constructor(options: InterpreterOptions, actAs: Iterable<string>) {
    this.#options = options;
    this.#meter = new Meter(options.bounds);
    this.#topScope = { authorizers: new Set(actAs), nodes: this.#roots, depth: 0, trace: [] };
    this.#keys = new ContractKeys({
      used: this.#used,
      contractsOf: options.contractsOf ?? (() => []),
      meter: this.#meter,
      nameOf: (name) => this.#nameOf(name),
      uncaught: (run) => this.#uncaught(this.#topScope, run),
    });
  }

  /** Creates a contract, and returns its ID. */
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
      this.#exercise(scope, template, this.#keys.find(template, key), choice, of),
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

  /** Runs code whose exceptions are not caught. */
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
    const refusal = damlFailure(place, errorId, text, metadata, failureCategory);
    refusal.cause = failure;
    return refusal;
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
      throw exceeded(`${NODES_MAX} nodes`);
    }
    this.#nodeCount += 1;
    return this.#nodeCount - 1;
  }

  #create(scope: Scope, template: AnyTemplate, packageId: string, payload: unknown): string {
    const nodeId = this.#nextNodeId();
    requireWritable(template.payload, payload);
    const meter = this.#meter;
    const name = typeText(packageId, template.name);
    requirePrecondition(template, name, payload, meter);
    const { signatories, observers } = partiesOf(template, payload, meter);
    const maintainers =
      template.key === undefined
        ? []
        : this.#keys.maintainersOfPayload({ ...template, key: template.key }, payload);
    const createdAt = this.#options.ledgerTime;
    const terms = { template, packageId, payload, signatories, observers, createdAt };
    requireAuthorizers(scope, nodeId, name, signatories, 'signatories');
    requireSigningMaintainers(maintainers, signatories, nodeId, name);
    const { seed, seedOf } = this.#options;
    const contractId = contractIdOf(seedOf?.(nodeId) ?? seed, nodeId, terms);
    const contract: Contract = { contractId, ...terms };
    this.#used.set(contractId, { contract, isLocal: true, isConsumed: false });
    scope.nodes.push({ kind: 'create', nodeId, contract });
    this.#effects.created(contract);
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

  #fetch(scope: Scope, target: AnyTemplate | AnyInterface, contractId: string): Contract {
    const used = this.#use(contractId).contract;
    const nodeId = this.#nextNodeId();
    const contract = this.#uncaught(scope, () => contractOf(used, target, this.#meter));
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

  #exercise(scope: Scope, ...of: Parameters<ChoiceContext['begin']>): unknown {
    return runBegun(this.#begin(scope, ...of));
  }

  #begin(
    scope: Scope,
    ...[target, contractId, choiceName, argument]: Parameters<ChoiceContext['begin']>
  ): BegunExercise {
    if (scope.depth >= DEPTH_MAX) throw interpretationError('choices nest too deeply');
    const used = this.#use(contractId);
    const { contract } = used;
    const { payload } = this.#uncaught(scope, () => contractOf(contract, target, this.#meter));
    const { choice, interfaceName } = findChoice(contract, target, choiceName);
    requireWritable(choice.argument, argument);
    const meter = this.#meter;
    // These functions run outside the choice that exercises this choice, so that choice cannot catch their exceptions.
    const [controllers, observers] = this.#uncaught(scope, () => [
      choice.controllers(payload, argument, meter),
      choice.observers?.(payload, argument, meter) ?? [],
    ]);
    const nodeId = this.#nextNodeId();
    const actors = sortedParties(controllers);
    requireAuthorizers(scope, nodeId, templateText(contract), actors, 'controllers');
    const isConsuming = choice.kind === 'consuming';
    if (isConsuming) {
      used.isConsumed = true;
      this.#effects.archived(used, choiceName);
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
    return this.#begun(scope, node, choice, payload);
  }

  #begun(scope: Scope, node: ExerciseNode, choice: AnyChoice, payload: unknown): BegunExercise {
    const { contract, argument } = node;
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
    return {
      choice,
      context: this.#context(inner),
      self,
      argument,
      end: (result) => {
        node.result = result;
        requireWritable(choice.result, result);
        if (choice.kind === 'postconsuming') {
          this.#archive(inner, contract.template, contract.contractId);
        }
        node.lastDescendantNodeId = this.#nodeCount - 1;
        return result;
      },
      failed: (error) => {
        if (!(error instanceof DamlFailure) || this.#traces.has(error)) return;
        this.#traces.set(error, inner.trace);
      },
    };
  }

  #archive(scope: Scope, template: AnyTemplate, contractId: string): void {
    this.#exercise(scope, template, contractId, ARCHIVE_CHOICE, UNIT);
  }

  /**
   * Finds an active contract by its payload, among the contracts that this transaction created and those that existed
   * before.
   */
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

  #queryByKey(scope: Scope, template: KeyedTemplate, key: unknown, most: number) {
    const maintainers = this.#keys.maintainersOf(template, key);
    const nodeId = this.#nextNodeId();
    requireAuthorizers(scope, nodeId, this.#nameOf(template.name), maintainers);
    const found = this.#keys.contracts(template, key).slice(0, most);
    for (const { contractId } of found) this.#use(contractId);
    return this.#uncaught(scope, () =>
      found.map((contract) => contractOf(contract, template, this.#meter)),
    );
  }

  /**
   * Begins a part of the transaction that is undone if an exception in it is caught. Without `undoesEffects`, only a
   * part without effects can be undone.
   */
  #attempt(scope: Scope): Attempt {
    const [nodes, effects, first] = [scope.nodes.length, this.#effects.count, this.#nodeCount];
    return {
      rollBack: () => {
        this.#effects.undo(effects, this.#options.undoesEffects === true);
        this.#meter.spend(this.#nodeCount - first);
        const undone = rolledBack(scope.nodes.splice(nodes), first);
        for (const node of undone.nodes) scope.nodes.push(node);
        this.#nodeCount = undone.next;
      },
    };
  }

  #narrow(bounds: TimeBounds): void {
    this.#timeBounds = narrowed(this.#timeBounds, bounds);
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
      findByKey: (template, key) => this.#keys.find(template, key),
      attempt: () => this.#attempt(scope),
      meter: this.#meter,
      exercise: <A, R>(
        target: ChoiceTarget,
        contractId: string,
        choice: ChoiceType<A, R>,
        argument: A,
      ) => this.#exercise(scope, target, contractId, choice.name, argument) as R,
      begin: (...of) => this.#begin(scope, ...of),
      archive: (template, contractId) => this.#archive(scope, template, contractId),
      findByPayload: (template, payload) => this.#findByPayload(template, payload),
      ...checksOf(ledgerTime, fail, (bounds) => this.#narrow(bounds)),
      isBefore: (micros) => {
        const isEarlier = ledgerTime < micros;
        this.#narrow(isEarlier ? { max: micros - 1n } : { min: micros });
        return isEarlier;
      },
      fail: (errorId, message, metadata) => fail(errorId, message, metadata),
    };
  }
}
