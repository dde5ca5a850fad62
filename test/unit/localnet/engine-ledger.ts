import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import type { Contract } from '../../../localnet/ledger/contract.ts';
import { sameType } from '../../../localnet/ledger/contract.ts';
import { jsonSource, toJson } from '../../../localnet/ledger/lf-json.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import type { PackageDefinition } from '../../../localnet/ledger/package-definition.ts';
import { PackageRegistry } from '../../../localnet/ledger/package-registry.ts';
import { interpret } from '../../../localnet/ledger/preprocessing.ts';
import type { LedgerCommand } from '../../../localnet/ledger/submission.ts';
import { nodesOf } from '../../../localnet/ledger/transaction-tree.ts';
import type { TransactionTree, TreeNode } from '../../../localnet/ledger/transaction-tree.ts';
import { lfPackage } from '../../../localnet/lf/build/package.ts';
import type { LfSource } from '../../../localnet/lf/build/package.ts';

export const NOW = 1_800_000_000_000_000n;

/** A ledger with uploaded packages. It runs one submission at a time. */
export class EngineLedger {
  readonly registry: PackageRegistry;
  readonly contracts = new Map<string, Contract>();
  readonly traced: string[] = [];
  /** The IDs of all contracts that have ever existed, in order of creation. */
  readonly created: string[] = [];
  now = NOW;
  #seeds = 0;

  constructor(natives: readonly PackageDefinition[] = []) {
    this.registry = new PackageRegistry(natives);
    this.registry.trace = (message) => this.traced.push(message);
  }

  /** @returns the ID of the package */
  upload(source: LfSource): string {
    const { id, payload } = lfPackage(source);
    const { name, version } = source;
    this.registry.uploaded.add({ id, name, version, payload: () => payload });
    return id;
  }

  submit(actAs: readonly string[], ...commands: LedgerCommand[]): TransactionTree {
    this.#seeds += 1;
    const tree = interpret(commands, actAs, {
      registry: this.registry,
      lookUp: (contractId) => this.contracts.get(contractId),
      lookUpByPayload: () => [],
      contractsOf: ({ name }) =>
        [...this.contracts.values()].filter(({ template }) => sameType(template.name, name)),
      ledgerTime: this.now,
      // The number of steps is lower than the default, so that endless code ends soon.
      bounds: { steps: 200_000 },
      seed: Buffer.alloc(32, this.#seeds),
    });
    for (const node of nodesOf(tree.roots)) {
      const { contractId } = node.contract;
      if (node.kind === 'create') {
        this.contracts.set(contractId, node.contract);
        this.created.push(contractId);
      }
      if (node.kind === 'exercise' && node.consuming) this.contracts.delete(contractId);
    }
    return tree;
  }

  create(actAs: readonly string[], type: string, argument: Json): string {
    const tree = this.submit(actAs, create(type, argument));
    return nodesOf(tree.roots).next().value!.contract.contractId;
  }
}

function typeOf(type: string) {
  const [packageId = '', module = '', entity = ''] = type.split(':');
  return { packageId, module, entity };
}

export const create = (type: string, argument: Json): LedgerCommand => ({
  kind: 'create',
  templateId: typeOf(type),
  argument: jsonSource(argument),
});

export const exercise = (
  type: string,
  contractId: string,
  choice: string,
  argument: Json = {},
): LedgerCommand => ({
  kind: 'exercise',
  templateId: typeOf(type),
  contractId,
  choice,
  argument: jsonSource(argument),
});

export const exerciseByKey = (
  type: string,
  key: Json,
  choice: string,
  argument: Json = {},
): LedgerCommand => ({
  kind: 'exerciseByKey',
  templateId: typeOf(type),
  key: jsonSource(key),
  choice,
  argument: jsonSource(argument),
});

/** Returns a transaction in a readable form: its nodes, nested as they were executed. */
export const treeOf = (nodes: readonly TreeNode[]): unknown[] =>
  nodes.map((node) => {
    switch (node.kind) {
      case 'create': {
        const { template, payload } = node.contract;
        return { create: template.name.entity, of: toJson(template.payload, payload) };
      }
      case 'fetch':
        return { fetch: node.contract.template.name.entity, as: node.interfaceName?.entity };
      case 'rollback':
        return { rollback: treeOf(node.children) };
      case 'exercise':
        return {
          exercise: node.choice,
          ...(node.result === undefined ? {} : { result: toJson(node.resultType, node.result) }),
          inside: treeOf(node.children),
        };
      default:
        return node satisfies never;
    }
  });

/** Returns the refusal of a submission: its code, text and trace. */
export function refusalOf(run: () => unknown): Pick<LedgerError, 'code' | 'text' | 'metadata'> {
  try {
    run();
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
