import type {
  DamlTransaction,
  Metadata,
} from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import { typeReference, valueSource } from '../messages/values.ts';
import { sameType } from '../ledger/contract.ts';
import type { Contract } from '../ledger/contract.ts';
import { decodeBlob } from '../ledger/created-event-blob.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { compareValues } from '../ledger/lf-order.ts';
import type { PackageRegistry } from '../ledger/package-registry.ts';
import { interpret } from '../ledger/preprocessing.ts';
import type { LedgerCommand } from '../ledger/submission.ts';
import type { TransactionTree } from '../ledger/transaction-tree.ts';
import { notExecuted } from './refusals.ts';

const SEED_BYTES = 32;

/** The input contracts that a transaction contains, by ID. */
export type InputContracts = ReadonlyMap<string, Contract>;

const notTransaction = (reason: string) =>
  notExecuted(`Failed to deserialize transaction: ${reason}`);

/** Returns the command of a transaction's root node. Throws FAILED_TO_EXECUTE_TRANSACTION. */
export function rootCommand(transaction: DamlTransaction): LedgerCommand {
  const [rootId, ...others] = transaction.roots;
  if (rootId === undefined || others.length > 0) {
    throw notExecuted('Transaction with multiple root nodes are not supported');
  }
  const root = transaction.nodes.find(({ nodeId }) => nodeId === rootId)?.versionedNode?.value
    .nodeType;
  try {
    if (root?.$case === 'create') {
      const argument = valueSource(root.value.argument, 'argument');
      return { kind: 'create', templateId: typeReference(root.value.templateId), argument };
    }
    if (root?.$case === 'exercise') {
      const { interfaceId, templateId, contractId, choiceId: choice, chosenValue } = root.value;
      const target = typeReference(interfaceId ?? templateId);
      const argument = valueSource(chosenValue, 'chosen_value');
      return { kind: 'exercise', templateId: target, contractId, choice, argument };
    }
    throw notTransaction('Cannot decode empty transaction node');
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code === 'FAILED_TO_EXECUTE_TRANSACTION') {
      throw error;
    }
    throw notTransaction(error.text);
  }
}

/** Returns the seeds of the nodes. Throws FAILED_TO_EXECUTE_TRANSACTION. */
export function readSeeds({ nodeSeeds }: DamlTransaction): ReadonlyMap<number, Uint8Array> {
  for (const { seed } of nodeSeeds) {
    if (seed.length !== SEED_BYTES) throw notTransaction('hash should have 32 bytes');
  }
  return new Map(nodeSeeds.map(({ nodeId, seed }) => [nodeId, seed]));
}

/** Returns the IDs of the contracts that the nodes use and do not create. */
function usedBy({ nodes }: DamlTransaction): ReadonlySet<string> {
  const used = new Set<string>();
  const created = new Set<string>();
  for (const { versionedNode } of nodes) {
    const node = versionedNode?.value.nodeType;
    if (node?.$case === 'create') created.add(node.value.contractId);
    if (node?.$case === 'exercise' || node?.$case === 'fetch') used.add(node.value.contractId);
  }
  return without(used, created);
}

/**
 * Reads a transaction's input contracts, all of which must be used. Throws FAILED_TO_EXECUTE_TRANSACTION. Contracts
 * with keys may be unused here, because nodes do not show which contracts were found by key. Only the replay checks
 * them.
 */
export function readInputContracts(
  { inputContracts }: Metadata,
  transaction: DamlTransaction,
  registry: PackageRegistry,
): InputContracts {
  const contracts = new Map<string, Contract>();
  for (const { contract: message, createdAt, eventBlob } of inputContracts) {
    const failed = (reason: string) =>
      notExecuted(`Failed to deserialize input contracts: ${reason}`);
    if (message === undefined) throw failed('Cannot decode empty disclosed contract');
    const contract = decodeBlob(eventBlob, registry);
    if (contract === undefined) throw failed('the event blob is no contract');
    if (contract.createdAt !== createdAt) {
      throw failed(
        'Creation time of the original contract does not match the create time of the input contract',
      );
    }
    contracts.set(contract.contractId, contract);
  }
  const used = usedBy(transaction);
  const given = new Set(contracts.keys());
  requireNone('Missing', without(used, given));
  const keyless = [...given].filter((id) => contracts.get(id)?.template.key === undefined);
  requireNone('Superfluous', without(new Set(keyless), used));
  return contracts;
}

const without = (some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...some].filter((one) => !others.has(one)));

function requireNone(what: string, contractIds: ReadonlySet<string>): void {
  if (contractIds.size === 0) return;
  throw notExecuted(
    `Provided input contracts do not match the input contracts in the transaction: ${what} input contracts: ${[...contractIds].join(',')}`,
  );
}

/** The inputs of an interpretation. */
export interface ReplayOptions {
  readonly registry: PackageRegistry;
  readonly actAs: readonly string[];
  readonly inputs: InputContracts;
  readonly seeds: ReadonlyMap<number, Uint8Array>;
  readonly ledgerTime: bigint;
}

/**
 * Returns the inputs in order of creation. Of inputs that were created at the same time, an interpretation finds the
 * last one in this order first.
 */
const oldestFirst = (inputs: InputContracts): readonly Contract[] =>
  [...inputs.values()]
    .toReversed()
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));

/** Interprets a transaction's root again with its input contracts, as confirming participants do. */
export function replay(command: LedgerCommand, options: ReplayOptions): TransactionTree {
  const { registry, actAs, inputs, seeds, ledgerTime } = options;
  return interpret([command], actAs, {
    registry,
    ledgerTime,
    seed: new Uint8Array(SEED_BYTES),
    seedOf: (nodeId) => seeds.get(nodeId) ?? new Uint8Array(SEED_BYTES),
    lookUp: (contractId) => inputs.get(contractId),
    contractsOf: ({ name }) =>
      oldestFirst(inputs).filter(({ template }) => sameType(template.name, name)),
    lookUpByPayload: (template, payload) =>
      [...inputs.values()].filter(
        (contract) =>
          sameType(contract.template.name, template.name) &&
          compareValues(template.payload, contract.payload, payload) === 0,
      ),
  });
}
