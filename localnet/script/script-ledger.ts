import { randomBytes } from 'node:crypto';
import { contractAs, translatedPayload } from '../ledger/payload-versions.ts';
import { isVisibleTo, sameType, stakeholdersOf } from '../ledger/contract.ts';
import type { Contract } from '../ledger/contract.ts';
import type { Engine } from '../ledger/engine/engine.ts';
import { Meter } from '../ledger/engine/bounds.ts';
import { toEngine, toLedger } from '../ledger/engine/conversion.ts';
import type { Any, Value } from '../ledger/engine/values.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { LfType } from '../ledger/lf-types.ts';
import { compareValues } from '../ledger/lf-order.ts';
import { ARCHIVE_CHOICE, ARCHIVE_TYPE } from '../ledger/package-definition.ts';
import type { TemplateDefinition } from '../ledger/package-definition.ts';
import type { PackageRegistry } from '../ledger/package-registry.ts';
import { interpret } from '../ledger/preprocessing.ts';
import type { LedgerCommand, TypeReference, ValueSource } from '../ledger/submission.ts';
import { nodesOf } from '../ledger/transaction-tree.ts';
import type { TransactionTree, TreeNode } from '../ledger/transaction-tree.ts';
import type { LfPackage } from '../lf/package.ts';
import { compareVersions } from '../lf/versions.ts';
import type { DefinitionId } from '../lf/types.ts';

/** A command of a script. Its values have the types of the package against which the script was compiled. */
export type ScriptCommand = {
  /** The template or interface. */
  readonly target: DefinitionId;
  /** Whether the target's package must not be replaced by another version. */
  readonly isExact: boolean;
} & (
  | { readonly kind: 'create'; readonly payload: Any }
  | { readonly kind: 'exercise'; readonly contractId: string; readonly argument: Any }
  | { readonly kind: 'exerciseByKey'; readonly key: Value; readonly argument: Any }
  | { readonly kind: 'createAndExercise'; readonly payload: Any; readonly argument: Any }
);

export interface ScriptSubmission {
  readonly actAs: readonly string[];
  readonly readAs: readonly string[];
  readonly disclosed: readonly Contract[];
  /** IDs of preferred packages. */
  readonly preferences: readonly string[];
  readonly commands: readonly ScriptCommand[];
}

/** The result of one command: the ID of a created contract, or the result of a choice. */
export type CommandResult = { readonly created: string } | { readonly exercised: Value };

export interface Committed {
  readonly tree: TransactionTree;
  readonly results: readonly CommandResult[];
}

export const idOfType = ({ type }: Any): DefinitionId => {
  if (type.kind === 'con') return type.id;
  throw new TypeError('a command without a template or a choice');
};

const referenceOf = ({ packageId, module, name }: DefinitionId): TypeReference => ({
  packageId,
  module,
  entity: name,
});

const refused = (text: string): LedgerError => new LedgerError('INVALID_ARGUMENT', text);

/** The ledger of one script. It accepts one submission at a time; a refused submission has no effect. */
export class ScriptLedger {
  readonly registry: PackageRegistry;
  readonly packages: readonly LfPackage[];
  readonly parties = new Set<string>();
  /** IDs of the vetted packages. */
  readonly vetted: Set<string>;
  /** Ledger time in microseconds. */
  now = 0n;
  /** The number of accepted submissions. */
  transactions = 0;
  readonly #active = new Map<string, Contract>();
  readonly #archived = new Map<string, Contract>();

  /** @param packages all packages that exist on the ledger. They are vetted at the beginning. */
  constructor(registry: PackageRegistry, packages: readonly LfPackage[]) {
    this.registry = registry;
    this.packages = packages;
    this.vetted = new Set(packages.map(({ id }) => id));
  }

  get #engine(): Engine {
    return this.registry.engine;
  }

  get activeCount(): number {
    return this.#active.size;
  }

  /** Returns a contract, also if it is archived. */
  everCreated(contractId: string): Contract | undefined {
    return this.#active.get(contractId) ?? this.#archived.get(contractId);
  }

  isActive(contractId: string): boolean {
    return this.#active.has(contractId);
  }

  /** Yields the active contracts of which one of the parties is a stakeholder, in order of creation. */
  *visible(parties: readonly string[]): Generator<Contract> {
    const readers = new Set(parties);
    for (const contract of this.#active.values()) {
      if (contract.createdAt <= this.now && isVisibleTo(contract, readers)) yield contract;
    }
  }

  isTemplate(id: DefinitionId): boolean {
    return this.#engine.code.template(id) !== undefined;
  }

  template(id: DefinitionId): TemplateDefinition {
    return this.#engine.template(id);
  }

  /** Returns the payload in the version of the template that a script expects. */
  payloadAs(id: DefinitionId, contract: Contract): Value {
    const meter = new Meter();
    const template = this.template(id);
    return toEngine(template.payload, contractAs(contract, template, meter).payload, meter);
  }

  /** Returns visible contracts of a template, in any version. */
  contractsOf(id: DefinitionId, parties: readonly string[]): readonly Contract[] {
    const { name } = this.template(id);
    return [...this.visible(parties)].filter(({ template }) => sameType(template.name, name));
  }

  /** Returns visible contracts with a key, the latest first. */
  withKey(id: DefinitionId, parties: readonly string[], key: Value): readonly Contract[] {
    const { key: definition } = this.template(id);
    if (definition === undefined) throw refused(`${id.module}:${id.name} has no key`);
    const meter = new Meter();
    const wanted = toLedger(definition.type, key, meter);
    return this.contractsOf(id, parties)
      .filter(({ template, payload }) => {
        const own = template.key?.of(payload, meter);
        return own !== undefined && compareValues(definition.type, own, wanted) === 0;
      })
      .toReversed();
  }

  /** Interprets commands and commits the transaction. Throws LedgerError. */
  submit(submission: ScriptSubmission): Committed {
    const { actAs, readAs, disclosed, commands, preferences } = submission;
    this.#requireAllocated([...actAs, ...readAs]);
    const readers = [...actAs, ...readAs];
    const shown = new Set(readers);
    const explicit = new Map(disclosed.map((contract) => [contract.contractId, contract]));
    const tree = interpret(
      commands.map((command) => this.#commandOf(command, preferences)),
      actAs,
      {
        registry: this.registry,
        lookUp: (contractId) => {
          const contract = this.#active.get(contractId);
          if (contract === undefined || contract.createdAt > this.now) return undefined;
          return explicit.has(contractId) || isVisibleTo(contract, shown) ? contract : undefined;
        },
        lookUpByPayload: () => [],
        contractsOf: ({ name }) =>
          [...this.visible(readers)].filter(({ template }) => sameType(template.name, name)),
        undoesEffects: true,
        ledgerTime: this.now,
        seed: randomBytes(32),
      },
    );
    const inactive = disclosed.find(({ contractId }) => !this.isActive(contractId));
    if (inactive !== undefined) {
      throw new LedgerError(
        'CONTRACT_NOT_FOUND',
        `Contract could not be found with id ${inactive.contractId}`,
        { resources: [{ type: 'CONTRACT_ID', name: inactive.contractId }] },
      );
    }
    const results = this.#resultsOf(commands, tree.roots);
    this.#commit(tree);
    return { tree, results };
  }

  #requireAllocated(parties: readonly string[]): void {
    const missing = parties.filter((party) => !this.parties.has(party));
    if (missing.length > 0) throw refused(`parties are not allocated: ${missing.join(', ')}`);
  }

  #commit(tree: TransactionTree): void {
    const nodes = [...nodesOf(tree.roots)];
    for (const node of nodes) {
      if (node.kind === 'create') this.#requireAllocated(stakeholdersOf(node.contract));
    }
    for (const { kind, contract, ...node } of nodes) {
      const { contractId } = contract;
      if (kind === 'create') this.#active.set(contractId, contract);
      if (kind === 'exercise' && 'consuming' in node && node.consuming) {
        this.#active.delete(contractId);
        this.#archived.set(contractId, contract);
      }
    }
    this.transactions += 1;
  }

  /** Returns the vetted package that a package name means: a preferred version, otherwise the latest. */
  #packageFor(packageId: string, preferences: readonly string[]): string {
    const name = this.registry.uploaded.find(packageId)?.name;
    const candidates = this.packages
      .filter((one) => one.name === name && this.vetted.has(one.id))
      .toSorted((a, b) => compareVersions(b.version, a.version));
    const chosen = candidates.find(({ id }) => preferences.includes(id)) ?? candidates[0];
    if (chosen !== undefined) return chosen.id;
    throw new LedgerError('PACKAGE_SELECTION_FAILED', `no version of ${name} is vetted`);
  }

  #commandOf(command: ScriptCommand, preferences: readonly string[]): LedgerCommand {
    const { target, isExact } = command;
    const packageId = isExact ? target.packageId : this.#packageFor(target.packageId, preferences);
    const templateId = referenceOf({ ...target, packageId });
    if (command.kind === 'create') {
      return { kind: 'create', templateId, argument: this.#source(command.payload) };
    }
    const choice = idOfType(command.argument).name;
    const argument = this.#source(command.argument);
    if (command.kind === 'exercise') {
      return { kind: 'exercise', templateId, contractId: command.contractId, choice, argument };
    }
    if (command.kind === 'createAndExercise') {
      const createArgument = this.#source(command.payload);
      return { kind: 'createAndExercise', templateId, createArgument, choice, argument };
    }
    const { key } = command;
    return {
      kind: 'exerciseByKey',
      templateId,
      key: <T>(type: LfType<T>) => toLedger(type, key, new Meter()) as T,
      choice,
      argument,
    };
  }

  /** Returns a function that reads a value in another version of its type. */
  #source(any: Any): ValueSource {
    return <T>(wanted: LfType<T>) => {
      const type = this.#engine.type(any.type);
      const { module, name } = idOfType(any);
      const payload = toLedger(type, any.value, new Meter());
      return translatedPayload(
        { type, name, payload },
        wanted,
        `${module}:${name}`,
        'a value',
      ) as T;
    };
  }

  #resultsOf(
    commands: readonly ScriptCommand[],
    roots: readonly TreeNode[],
  ): readonly CommandResult[] {
    let at = 0;
    return commands.flatMap((command) => {
      const expected = command.kind === 'createAndExercise' ? 2 : 1;
      const nodes = roots.slice(at, at + expected);
      at += expected;
      return nodes.map((node) => {
        if (node.kind === 'create') return { created: node.contract.contractId };
        if (node.kind !== 'exercise') throw new TypeError(`a command whose root is ${node.kind}`);
        const { result: payload, resultType: type, choice } = node;
        const wanted = this.#resultTypeOf(command.target, choice);
        const translated = translatedPayload(
          { type, name: choice, payload },
          wanted,
          choice,
          'a result',
        );
        return { exercised: toEngine(wanted, translated, new Meter()) };
      });
    });
  }

  #resultTypeOf(target: DefinitionId, choice: string): LfType {
    if (choice === ARCHIVE_CHOICE) return ARCHIVE_TYPE.result;
    const definition = this.registry.find(referenceOf(target))?.definition;
    const found = definition?.choices.find(({ name }) => name === choice);
    if (found === undefined) throw new TypeError(`no choice ${choice} of ${target.name}`);
    return found.result;
  }
}
