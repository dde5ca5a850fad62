import type {
  DamlTransaction,
  DamlTransaction_Node as NodeMessage,
  Metadata_InputContract as InputContract,
} from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type {
  Create,
  Node as NodeV1,
} from '../../proto/gen/com/daml/ledger/api/v2/interactive/transaction/v1/interactive_submission_data.ts';
import type { Value } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { encodeValue, identifier } from '../messages/values.ts';
import { stakeholdersOf } from '../ledger/contract.ts';
import type { Contract } from '../ledger/contract.ts';
import { encodeBlob } from '../ledger/created-event-blob.ts';
import type { LfType, TypeName } from '../ledger/lf-types.ts';
import { allNodesOf, nodesOf } from '../ledger/transaction-tree.ts';
import type { ExerciseNode, TransactionTree, TreeNode } from '../ledger/transaction-tree.ts';

/** The version of transactions without contract keys. The transaction names it, and so does each of its nodes. */
const LF_VERSION = '2.1';
/** The length of a contract ID without its suffix: `00` and 64 hex digits. */
const BARE_ID_CHARS = 66;

/** Converts a transaction tree to the messages that its parties sign. */
export class PreparedTransactionEncoder {
  readonly #packageIdOf: (packageName: string) => string;
  /** IDs of the contracts that the transaction creates. Their suffixes are added when the transaction is sequenced. */
  readonly #local = new Set<string>();
  readonly #tree: TransactionTree;
  readonly #seedOf: (nodeId: number) => Uint8Array;

  constructor(
    tree: TransactionTree,
    seedOf: (nodeId: number) => Uint8Array,
    packageIdOf: (packageName: string) => string,
  ) {
    this.#tree = tree;
    this.#seedOf = seedOf;
    this.#packageIdOf = packageIdOf;
    for (const node of nodesOf(tree.roots)) {
      if (node.kind === 'create') this.#local.add(node.contract.contractId);
    }
  }

  transaction(): DamlTransaction {
    const nodes = [...allNodesOf(this.#tree.roots)];
    return {
      version: LF_VERSION,
      roots: idsOf(this.#tree.roots),
      nodes: nodes.map((node) => this.#node(node)),
      nodeSeeds: nodes
        .filter(({ kind }) => kind === 'create' || kind === 'exercise')
        .map(({ nodeId }) => ({ nodeId, seed: this.#seedOf(nodeId) })),
    };
  }

  /** Returns the contracts that the transaction uses and does not create, in order of contract ID. */
  inputContracts(): InputContract[] {
    return [...this.#tree.inputs.values()]
      .sort((a, b) => (a.contractId < b.contractId ? -1 : 1))
      .map((contract) => ({
        contract: { $case: 'v1', value: this.#create(contract) },
        createdAt: contract.createdAt,
        eventBlob: encodeBlob(contract),
      }));
  }

  #node(node: TreeNode): NodeMessage {
    return {
      nodeId: node.nodeId.toString(),
      versionedNode: { $case: 'v1', value: { nodeType: this.#nodeType(node) } },
    };
  }

  #nodeType(node: TreeNode): NonNullable<NodeV1['nodeType']> {
    switch (node.kind) {
      case 'create':
        return { $case: 'create', value: this.#create(node.contract) };
      case 'fetch': {
        const value = {
          ...this.#target(node.contract),
          actingParties: [...node.actors].sort(),
          interfaceId: this.#typeId(node.interfaceName),
        };
        return { $case: 'fetch', value };
      }
      case 'exercise':
        return { $case: 'exercise', value: this.#exercise(node) };
      case 'rollback':
        return { $case: 'rollback', value: { children: idsOf(node.children) } };
      default:
        return node satisfies never;
    }
  }

  #exercise(node: ExerciseNode) {
    return {
      ...this.#target(node.contract),
      actingParties: [...node.actors].sort(),
      interfaceId: this.#typeId(node.interfaceName),
      choiceId: node.choice,
      chosenValue: this.#value(node.argumentType, node.argument),
      consuming: node.consuming,
      children: idsOf(node.children),
      // An exercise that ended with an exception has no result.
      exerciseResult:
        node.result === undefined ? undefined : this.#value(node.resultType, node.result),
      choiceObservers: [...node.choiceObservers].sort(),
    };
  }

  #create(contract: Contract): Create {
    const { byKey: _byKey, ...terms } = this.#target(contract);
    return { ...terms, argument: this.#value(contract.template.payload, contract.payload) };
  }

  /** Returns the fields of the contract that create, fetch and exercise nodes have in common. */
  #target(contract: Contract) {
    const { contractId, packageId, template, signatories } = contract;
    return {
      lfVersion: LF_VERSION,
      contractId: this.#bare(contractId),
      packageName: template.name.packageName,
      templateId: identifier(packageId, template.name),
      signatories: [...signatories].sort(),
      stakeholders: [...stakeholdersOf(contract)].sort(),
      key: undefined,
      byKey: false,
    };
  }

  #typeId(name: TypeName | undefined) {
    return name === undefined ? undefined : identifier(this.#packageIdOf(name.packageName), name);
  }

  #bare(contractId: string): string {
    return this.#local.has(contractId) ? contractId.slice(0, BARE_ID_CHARS) : contractId;
  }

  #value(type: LfType, value: unknown): Value {
    const encoded = encodeValue(type, value, { verbose: true, packageIdOf: this.#packageIdOf });
    this.#shorten(encoded);
    return encoded;
  }

  /** Removes the suffixes of contract IDs in a value. The value is changed in place and must not be shared. */
  #shorten(value: Value | undefined): void {
    const sum = value?.sum;
    if (sum?.$case === 'contractId') sum.value = this.#bare(sum.value);
    else if (sum !== undefined) for (const part of partsOf(sum)) this.#shorten(part);
  }
}

/** Returns the direct parts of a value. */
function partsOf(sum: NonNullable<Value['sum']>): readonly (Value | undefined)[] {
  if (sum.$case === 'optional' || sum.$case === 'variant') return [sum.value.value];
  if (sum.$case === 'list') return sum.value.elements;
  if (sum.$case === 'textMap') return sum.value.entries.map((entry) => entry.value);
  if (sum.$case === 'genMap') return sum.value.entries.flatMap(({ key, value }) => [key, value]);
  return sum.$case === 'record' ? sum.value.fields.map((field) => field.value) : [];
}

const idsOf = (nodes: readonly TreeNode[]): string[] =>
  nodes.map(({ nodeId }) => nodeId.toString());
