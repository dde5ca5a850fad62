import type { ContractView } from '../../../app/ports/views.ts';
import type { Party } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';

export const hasStake = ({ signatories, observers }: ContractView, party: Party): boolean =>
  signatories.includes(party) || observers.includes(party);

/** A contract with the member names of the Ledger API. */
export function contractBody(contract: ContractView, lifecycle: Lifecycle | null): JsonRecord {
  const { archived } = contract;
  return {
    contractId: contract.contractId,
    templateId: `#${contract.templateFqn}`,
    packageId: contract.packageId,
    payload: contract.payload,
    signatories: contract.signatories,
    observers: contract.observers,
    createdAt: contract.createdAt,
    createdAtOffset: Number(contract.createdAtOffset),
    isActive: archived === null,
    ...(archived === null
      ? {}
      : { archivedAt: archived.at, archivedAtOffset: Number(archived.offset) }),
    ...(lifecycle === null
      ? {}
      : { lifecycleId: lifecycle.id, version: lifecycle.version, state: lifecycle.state }),
  };
}
