import { createHash } from 'node:crypto';
import type {
  DamlTransaction_Node as NodeMessage,
  Metadata,
  Metadata_InputContract as InputContract,
  PreparedTransaction,
} from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type {
  Create,
  Exercise,
  Fetch,
  Node as NodeV1,
  Rollback,
} from '../../proto/gen/com/daml/ledger/api/v2/interactive/transaction/v1/interactive_submission_data.ts';
import { HASH_PURPOSE, int32 } from '../topology/canton-hash.ts';
import {
  bool,
  hexString,
  identifier,
  int64,
  optional,
  repeated,
  string,
  value,
} from './hash-encoding.ts';

/*
 * Computes the hash that an external party's key signs. Any client can compute it from the message of the prepared
 * transaction alone. Versions 2 and 3 differ in prefixes, and in how they hash keys and the maximum record time.
 */

export type HashingVersion = 2 | 3;

/** Thrown if a transaction cannot be hashed, because a node or a seed is missing. */
export class Unhashable extends Error {
  override readonly name = 'Unhashable';
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const PURPOSE = int32(HASH_PURPOSE.preparedTransaction);
/** The maximum nesting of nodes, because each level takes several stack frames. A single command needs far less. */
const NESTING_MAX = 200;
const byte = (number: number): Buffer => Buffer.from([number]);
const TAG = { create: byte(0), exercise: byte(1), fetch: byte(2), rollback: byte(3) } as const;

/** Hashes the nodes of one transaction. */
class NodeHasher {
  readonly #nodes: ReadonlyMap<string, NodeMessage>;
  readonly #seeds: ReadonlyMap<string, Uint8Array>;
  readonly #version: HashingVersion;
  #left: number;
  #depth = 0;

  constructor(
    version: HashingVersion,
    nodes: readonly NodeMessage[],
    seeds: [string, Uint8Array][],
  ) {
    this.#version = version;
    this.#nodes = new Map(nodes.map((node) => [node.nodeId, node]));
    this.#seeds = new Map(seeds);
    this.#left = nodes.length;
  }

  hashes(nodeIds: readonly string[]): Buffer {
    return repeated(nodeIds, (nodeId) => this.#hash(nodeId));
  }

  create(create: Create, seed: Uint8Array | undefined): Buffer {
    requireKeyless(create.key !== undefined);
    return Buffer.concat([
      this.#prefix(),
      string(create.lfVersion),
      TAG.create,
      optional(seed, (bytes) => Buffer.from(bytes)),
      hexString(create.contractId),
      string(create.packageName),
      identifier(create.templateId),
      value(create.argument),
      repeated(create.signatories, string),
      repeated(create.stakeholders, string),
      this.#version === 3 ? byte(0) : byteless,
    ]);
  }

  #prefix(): Buffer {
    return this.#version === 2 ? byte(1) : byteless;
  }

  #hash(nodeId: string): Buffer {
    const node = this.#nodes.get(nodeId)?.versionedNode?.value.nodeType;
    // The number of hashed nodes is limited. Otherwise a node that is its own child would be hashed forever.
    this.#left -= 1;
    if (node === undefined || this.#left < 0)
      throw new Unhashable(`IncompleteTransactionTree(${nodeId})`);
    this.#depth += 1;
    if (this.#depth > NESTING_MAX) throw new Unhashable(`more than ${NESTING_MAX} nested nodes`);
    const hash = this.#hashOf(nodeId, node);
    this.#depth -= 1;
    return hash;
  }

  #hashOf(nodeId: string, node: NonNullable<NodeV1['nodeType']>): Buffer {
    switch (node.$case) {
      case 'create':
        return sha256(this.create(node.value, this.#seed(nodeId)));
      case 'exercise':
        return sha256(this.#exercise(node.value, this.#seed(nodeId)));
      case 'fetch':
        return sha256(this.#fetch(node.value));
      case 'rollback':
        return sha256(this.#rollback(node.value));
      case 'queryByKey':
        throw new Unhashable('query by key nodes are not of this transaction version');
      default:
        return node satisfies never;
    }
  }

  #seed(nodeId: string): Uint8Array {
    const seed = this.#seeds.get(nodeId);
    if (seed === undefined) throw new Unhashable(`Missing node seed for node ${nodeId}`);
    return seed;
  }

  #exercise(exercise: Exercise, seed: Uint8Array): Buffer {
    requireKeyless(exercise.key !== undefined || exercise.byKey);
    return Buffer.concat([
      this.#prefix(),
      string(exercise.lfVersion),
      TAG.exercise,
      seed,
      hexString(exercise.contractId),
      string(exercise.packageName),
      identifier(exercise.templateId),
      repeated(exercise.signatories, string),
      repeated(exercise.stakeholders, string),
      repeated(exercise.actingParties, string),
      optional(exercise.interfaceId, identifier),
      string(exercise.choiceId),
      value(exercise.chosenValue),
      bool(exercise.consuming),
      optional(exercise.exerciseResult, value),
      repeated(exercise.choiceObservers, string),
      // Version 3 hashes two absent fields: `byKey` and the key.
      this.#version === 3 ? Buffer.from([0, 0]) : byteless,
      this.hashes(exercise.children),
    ]);
  }

  #fetch(fetch: Fetch): Buffer {
    requireKeyless(fetch.key !== undefined || fetch.byKey);
    return Buffer.concat([
      this.#prefix(),
      string(fetch.lfVersion),
      TAG.fetch,
      hexString(fetch.contractId),
      string(fetch.packageName),
      identifier(fetch.templateId),
      repeated(fetch.signatories, string),
      repeated(fetch.stakeholders, string),
      optional(fetch.interfaceId, identifier),
      repeated(fetch.actingParties, string),
      this.#version === 3 ? Buffer.from([0, 0]) : byteless,
    ]);
  }

  #rollback(rollback: Rollback): Buffer {
    return Buffer.concat([this.#prefix(), TAG.rollback, this.hashes(rollback.children)]);
  }
}

const byteless = Buffer.alloc(0);

function requireKeyless(hasKey: boolean): void {
  if (hasKey) throw new Unhashable('contract keys are not of this transaction version');
}

function inputContract(input: InputContract, hasher: NodeHasher): Buffer {
  const create = input.contract?.value;
  if (create === undefined) throw new Unhashable('an input contract is empty');
  return Buffer.concat([int64(input.createdAt), sha256(hasher.create(create, undefined))]);
}

function metadataBytes(metadata: Metadata, version: HashingVersion, hasher: NodeHasher): Buffer {
  const { submitterInfo } = metadata;
  return Buffer.concat([
    version === 2 ? byte(1) : byteless,
    repeated(submitterInfo?.actAs ?? [], string),
    string(submitterInfo?.commandId ?? ''),
    string(metadata.transactionUuid),
    int32(metadata.mediatorGroup),
    string(metadata.synchronizerId),
    optional(metadata.minLedgerEffectiveTime, int64),
    optional(metadata.maxLedgerEffectiveTime, int64),
    int64(metadata.preparationTime),
    repeated(metadata.inputContracts, (input) => inputContract(input, hasher)),
    version === 3 ? optional(metadata.maxRecordTime, int64) : byteless,
  ]);
}

/** The parts of a prepared transaction's hash, 32 bytes each. */
export interface PreparedHashes {
  readonly transaction: Buffer;
  readonly metadata: Buffer;
  /** The hash that the parties sign. */
  readonly whole: Buffer;
}

/** Throws {@link Unhashable}. */
export function hashesOf(prepared: PreparedTransaction, version: HashingVersion): PreparedHashes {
  const { transaction, metadata } = prepared;
  if (transaction === undefined || metadata === undefined) {
    throw new Unhashable('a prepared transaction has a transaction and metadata');
  }
  const seeds = transaction.nodeSeeds.map(({ nodeId, seed }): [string, Uint8Array] => [
    nodeId.toString(),
    seed,
  ]);
  const hasher = new NodeHasher(version, transaction.nodes, seeds);
  const transactionHash = sha256(
    PURPOSE,
    string(transaction.version),
    hasher.hashes(transaction.roots),
  );
  const metadataHash = sha256(PURPOSE, metadataBytes(metadata, version, hasher));
  return {
    transaction: transactionHash,
    metadata: metadataHash,
    whole: sha256(PURPOSE, byte(version), transactionHash, metadataHash),
  };
}
