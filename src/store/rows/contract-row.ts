import type { ContractView } from '../../app/ports/views.ts';
import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Row } from '../../../migrations/schema.ts';

export const CONTRACT_COLUMNS = [
  'contract_id',
  'template_fqn',
  'package_id',
  'payload',
  'signatories',
  'observers',
  'created_effective_at',
  'created_at_offset',
  'archived_effective_at',
  'archived_at_offset',
  'origin_id',
] as const;

export type ContractRow = Pick<Row<'contract'>, (typeof CONTRACT_COLUMNS)[number]>;

export const contractFromRow = (row: ContractRow): ContractView => ({
  contractId: trusted<ContractId>(row.contract_id),
  templateFqn: row.template_fqn,
  packageId: row.package_id,
  payload: row.payload,
  signatories: row.signatories.map((party) => trusted<Party>(party)),
  observers: row.observers.map((party) => trusted<Party>(party)),
  createdAt: row.created_effective_at,
  createdAtOffset: row.created_at_offset,
  archived:
    row.archived_effective_at === null || row.archived_at_offset === null
      ? null
      : { at: row.archived_effective_at, offset: row.archived_at_offset },
  originId: row.origin_id === null ? null : trusted<LifecycleId>(row.origin_id),
});
