import { expect } from 'vitest';
import type { Contract } from '../../../localnet/ledger/contract.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import type { ErrorCode } from '../../../localnet/ledger/ledger-error.ts';
import { jsonSource } from '../../../localnet/ledger/lf-json.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { PackageRegistry } from '../../../localnet/ledger/package-registry.ts';
import { interpret } from '../../../localnet/ledger/preprocessing.ts';
import type { LedgerCommand, TypeReference } from '../../../localnet/ledger/submission.ts';
import { nodesOf } from '../../../localnet/ledger/transaction-tree.ts';
import type {
  ExerciseNode,
  TransactionNode,
  TransactionTree,
} from '../../../localnet/ledger/transaction-tree.ts';
import { shopPackage } from './shop-package.ts';

export const NOW = 1_800_000_000_000_000n;
export const registry = new PackageRegistry([shopPackage]);

export const shop = (entity: string): TypeReference => ({
  packageId: '#shop',
  module: 'Shop',
  entity,
});

export const create = (entity: string, argument: Json): LedgerCommand => ({
  kind: 'create',
  templateId: shop(entity),
  argument: jsonSource(argument),
});

export const exercise = (
  entity: string,
  contractId: string,
  choice: string,
  argument: Json = {},
): LedgerCommand => ({
  kind: 'exercise',
  templateId: shop(entity),
  contractId,
  choice,
  argument: jsonSource(argument),
});

let seeds = 0;

/**
 * A ledger with one interpreter. Contracts that a transaction creates and leaves active can be used by the next one.
 */
export class Bench {
  readonly contracts = new Map<string, Contract>();
  now = NOW;

  run(actAs: readonly string[], ...commands: LedgerCommand[]): TransactionTree {
    seeds += 1;
    const tree = interpret(commands, actAs, {
      registry,
      lookUp: (contractId) => this.contracts.get(contractId),
      lookUpByPayload: () => [],
      ledgerTime: this.now,
      seed: Buffer.alloc(32, seeds),
    });
    for (const node of nodesOf(tree.roots)) {
      const { contractId } = node.contract;
      if (node.kind === 'create') this.contracts.set(contractId, node.contract);
      if (node.kind === 'exercise' && node.consuming) this.contracts.delete(contractId);
    }
    return tree;
  }

  /** Creates one contract and returns its ID. */
  create(actAs: readonly string[], entity: string, argument: Json): string {
    return onlyRoot(this.run(actAs, create(entity, argument))).contract.contractId;
  }
}

export function onlyRoot(tree: TransactionTree): TransactionNode {
  expect(tree.roots).toHaveLength(1);
  return nodesOf(tree.roots).next().value!;
}

export function rootExercise(tree: TransactionTree): ExerciseNode {
  const root = onlyRoot(tree);
  if (root.kind !== 'exercise') throw new Error(`root is a ${root.kind}`);
  return root;
}

/** Runs code that must be refused. @returns the refusal */
export function refusal(run: () => unknown): LedgerError {
  try {
    run();
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

export const refusedAs = (run: () => unknown): ErrorCode => refusal(run).code;
