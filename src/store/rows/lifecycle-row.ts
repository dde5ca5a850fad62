import type { ContractId, LaneId, LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { assert } from '../../domain/unreachable.ts';
import type { Row } from '../../../migrations/schema.ts';

/** The columns that `lifecycleFromRow` reads. */
export const LIFECYCLE_COLUMNS = [
  'id',
  'kind',
  'machine_version',
  'state',
  'context',
  'lane',
  'origin_id',
  'provider',
  'app_user',
  'contract_id',
  'license_num',
  'expires_at',
  'version',
  'created_at',
  'ended_at',
] as const;

export type LifecycleRow = Pick<Row<'lifecycle'>, (typeof LIFECYCLE_COLUMNS)[number]>;

/** The columns of a lifecycle in a row that has other columns as well. */
export type OfLifecycle = {
  readonly [Name in keyof LifecycleRow as `of_lifecycle_${Name}`]: LifecycleRow[Name];
};

/** SQL: selects these columns from the table. */
export const columnsOfLifecycle = (table: string): string =>
  LIFECYCLE_COLUMNS.map((column) => `${table}.${column} as of_lifecycle_${column}`).join(', ');

export function lifecycleOf(row: OfLifecycle): Lifecycle {
  const columns = LIFECYCLE_COLUMNS.map((name) => [name, row[`of_lifecycle_${name}`]]);
  return lifecycleFromRow(Object.fromEntries(columns) as LifecycleRow);
}

/** Checks a lifecycle whenever it is written or read. */
export function assertLifecycle(lifecycle: Lifecycle): void {
  assert(lifecycle.version >= 1, 'versions count from 1');
  assert(lifecycle.provider !== '' && lifecycle.appUser !== '', 'a lifecycle has both its parties');
  assert(lifecycle.contractId !== '', 'a contract stands for every lifecycle');
}

export function lifecycleFromRow(row: LifecycleRow): Lifecycle {
  const lifecycle: Lifecycle = {
    id: trusted<LifecycleId>(row.id),
    kind: row.kind,
    machineVersion: row.machine_version,
    state: row.state,
    context: row.context,
    lane: trusted<LaneId>(row.lane),
    originId: row.origin_id === null ? null : trusted<LifecycleId>(row.origin_id),
    provider: trusted<Party>(row.provider),
    appUser: trusted<Party>(row.app_user),
    contractId: trusted<ContractId>(row.contract_id),
    licenseNum: row.license_num,
    expiresAt: row.expires_at,
    version: row.version,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
  assertLifecycle(lifecycle);
  return lifecycle;
}

/** Returns the lifecycle as an element of a JSON array that a statement unpacks. */
export function lifecycleToJson(lifecycle: Lifecycle): Record<keyof LifecycleRow, Json> {
  assertLifecycle(lifecycle);
  return {
    id: lifecycle.id,
    kind: lifecycle.kind,
    machine_version: lifecycle.machineVersion,
    state: lifecycle.state,
    context: lifecycle.context,
    lane: lifecycle.lane,
    origin_id: lifecycle.originId,
    provider: lifecycle.provider,
    app_user: lifecycle.appUser,
    contract_id: lifecycle.contractId,
    license_num: lifecycle.licenseNum === null ? null : String(lifecycle.licenseNum),
    expires_at: lifecycle.expiresAt,
    version: lifecycle.version,
    created_at: lifecycle.createdAt,
    ended_at: lifecycle.endedAt,
  };
}
