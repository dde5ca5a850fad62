import { isAuthentic, templateText } from './contract.ts';
import type { Contract } from './contract.ts';
import { decodeBlob } from './created-event-blob.ts';
import { LedgerError } from './ledger-error.ts';
import type { PackageRegistry } from './package-registry.ts';
import { invalidArgument } from './submission-checks.ts';
import type { Submission, TypeReference } from './submission.ts';

const referenceText = ({ packageId, module, entity }: TypeReference): string =>
  `${packageId}:${module}:${entity}`;

/**
 * Returns whether the template that was stated for a disclosed contract is the template in its blob. An empty name is
 * accepted.
 */
function isTypeOf(reference: TypeReference, { packageId, template: { name } }: Contract): boolean {
  const text = referenceText(reference);
  const isNamed = (id: string) => text === `${id}:${name.module}:${name.entity}`;
  return text === '::' || isNamed(packageId) || isNamed(`#${name.packageName}`);
}

/**
 * The contracts that a submission discloses. Records which of them are used, and the synchronizers that the submission
 * states for those.
 */
export class DisclosedContracts {
  readonly #contracts: ReadonlyMap<string, Contract>;
  readonly #synchronizers: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();

  constructor(
    contracts: ReadonlyMap<string, Contract>,
    synchronizers: ReadonlyMap<string, string>,
  ) {
    this.#contracts = contracts;
    this.#synchronizers = synchronizers;
  }

  /** @param here the contract, if the participant itself knows it */
  lookUp(contractId: string, here: Contract | undefined): Contract | undefined {
    const found = this.#contracts.get(contractId);
    if (found !== undefined) this.#used.add(contractId);
    return here ?? found;
  }

  /** The synchronizers that the submission states for those disclosed contracts that were used. */
  get synchronizers(): readonly string[] {
    return [...new Set([...this.#used].flatMap((id) => this.#synchronizers.get(id) ?? []))];
  }
}

/** Reads the contracts that a submission discloses, by ID. Each contract must match the hash in its ID. */
export function readDisclosed(
  submission: Submission,
  registry: PackageRegistry,
): DisclosedContracts {
  const contracts = new Map<string, Contract>();
  const synchronizers = new Map<string, string>();
  for (const disclosed of submission.disclosedContracts) {
    const contract = decodeBlob(disclosed.createdEventBlob, registry);
    if (contract === undefined) {
      throw invalidArgument(
        'Unable to decode disclosed contract event payload: DecodeError(not a created event)',
      );
    }
    const { contractId } = contract;
    if (disclosed.contractId !== '' && disclosed.contractId !== contractId) {
      throw invalidArgument(
        `Mismatch between DisclosedContract.contract_id (${disclosed.contractId}) and contract_id from decoded DisclosedContract.created_event_blob (${contractId})`,
      );
    }
    const { templateId } = disclosed;
    if (templateId !== undefined && !isTypeOf(templateId, contract)) {
      throw invalidArgument(
        `Mismatch between DisclosedContract.template_id (${referenceText(templateId)}) and template_id from decoded DisclosedContract.created_event_blob (${templateText(contract)})`,
      );
    }
    if (!isAuthentic(contract)) {
      throw new LedgerError(
        'DISCLOSED_CONTRACT_AUTHENTICATION_FAILED',
        `Disclosed contract authentication failed for contract ${contractId}`,
        { resources: [{ type: 'CONTRACT_ID', name: contractId }] },
      );
    }
    contracts.set(contractId, contract);
    if (disclosed.synchronizerId !== '') synchronizers.set(contractId, disclosed.synchronizerId);
  }
  return new DisclosedContracts(contracts, synchronizers);
}
