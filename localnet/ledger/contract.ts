import { createHash } from 'node:crypto';
import { toJson } from './lf-json.ts';
import type { TypeName } from './lf-types.ts';
import type { TemplateDefinition } from './package-definition.ts';

/** A contract as it was created. It never changes. */
export interface Contract {
  /** `00`, 64 hex digits that are unique to the contract, and a suffix: a hash of all fields below. */
  readonly contractId: string;
  readonly template: TemplateDefinition;
  /** The ID of the package in which the contract was created. */
  readonly packageId: string;
  readonly payload: unknown;
  /** The signatories, sorted. */
  readonly signatories: readonly string[];
  /** The observers, sorted, without the signatories. */
  readonly observers: readonly string[];
  /** The ledger time of the creation, in microseconds. */
  readonly createdAt: bigint;
}

export type ContractTerms = Omit<Contract, 'contractId'>;

/** Version prefix of contract IDs that end with a SHA-256 multihash. */
const SUFFIX_PREFIX = 'ca121220';
const DISCRIMINATOR_CHARS = 66;

/**
 * Computes a contract's ID. Because of the random seed, the ID cannot be predicted before the transaction is
 * interpreted. The suffix is a hash of the contract's data, so an existing ID cannot be used for other data.
 */
export function contractIdOf(seed: Uint8Array, nodeId: number, terms: ContractTerms): string {
  const discriminator = createHash('sha256').update(seed).update(`/${nodeId}`).digest('hex');
  const prefix = `00${discriminator}`;
  return `${prefix}${suffixOf(prefix, terms)}`;
}

function suffixOf(prefix: string, terms: ContractTerms): string {
  const text = JSON.stringify([
    prefix,
    terms.packageId,
    terms.template.name,
    toJson(terms.template.payload, terms.payload),
    terms.signatories,
    terms.observers,
    terms.createdAt.toString(),
  ]);
  return `${SUFFIX_PREFIX}${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * Returns whether the hash in the contract's ID matches its data. This is false for a disclosed contract that was
 * altered.
 */
export function isAuthentic(contract: Contract): boolean {
  const prefix = contract.contractId.slice(0, DISCRIMINATOR_CHARS);
  return contract.contractId === `${prefix}${suffixOf(prefix, contract)}`;
}

export const sortedParties = (parties: Iterable<string>): readonly string[] =>
  [...new Set(parties)].sort();

/** Returns `packageId:Module:Entity`, the form in which error texts and resources show a type. */
export const typeText = (packageId: string, name: TypeName): string =>
  `${packageId}:${name.module}:${name.entity}`;

export const templateText = (contract: Contract): string =>
  typeText(contract.packageId, contract.template.name);

/** Returns the signatories and the observers; no party is in both lists. */
export const stakeholdersOf = (contract: Contract): readonly string[] => [
  ...contract.signatories,
  ...contract.observers,
];

export const sameType = (left: TypeName, right: TypeName): boolean =>
  left === right ||
  (left.entity === right.entity &&
    left.module === right.module &&
    left.packageName === right.packageName);

/** Returns whether one of the readers is a stakeholder of the contract. */
export const isVisibleTo = (
  { signatories, observers }: Contract,
  readers: ReadonlySet<string>,
): boolean =>
  signatories.some((party) => readers.has(party)) || observers.some((party) => readers.has(party));
