import type { ContractId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import type { LedgerTransaction } from '../../domain/ledger.ts';
import type { Row } from '../../../migrations/schema.ts';
import { membersOf } from '../sql/statement.ts';

/* Whole rows, which the code does not check, for comparing the store with the ledger. */

export const ATTEMPT_COLUMNS = [
  'change_id',
  'n',
  'submission_id',
  'participant',
  'ledger_user',
  'act_as',
  'contract_id',
  'at',
  'answered_at',
  'verdict',
  'ledger_code',
  'explanation',
  'answer_offset',
  'cost',
  'over_at',
  'proven_at',
  'unsent',
  'unsent_tries',
  'unsent_since',
] as const satisfies readonly (keyof Row<'attempt'>)[];

export const CONTRACT_ROW_COLUMNS = [
  'contract_id',
  'template_fqn',
  'package_id',
  'payload',
  'signatories',
  'observers',
  'divulged_only',
  'created_at_offset',
  'created_node_id',
  'created_effective_at',
  'archived_at_offset',
  'archived_node_id',
  'archived_effective_at',
] as const satisfies readonly (keyof Row<'contract'>)[];

export type ContractColumns = Pick<Row<'contract'>, (typeof CONTRACT_ROW_COLUMNS)[number]>;

/** An update. A text that is empty on the ledger is empty here, too. */
export type UpdateRow = Pick<
  LedgerTransaction,
  'offset' | 'updateId' | 'recordTime' | 'effectiveAt' | 'workflowId' | 'commandId'
>;

export const UPDATE = `${membersOf('u', ['offset', 'update_id', 'record_time'])},
  coalesce(u.effective_at, u.record_time) as "effectiveAt", coalesce(u.workflow_id, '') as "workflowId",
  coalesce(u.command_id, '') as "commandId"`;

export interface ExerciseRow {
  readonly offset: bigint;
  readonly nodeId: number;
  readonly contractId: ContractId;
  readonly templateFqn: string;
  readonly choice: string;
  readonly argument: Json;
  readonly result: Json;
  readonly consuming: boolean;
  readonly lastDescendantNodeId: number;
  readonly controllers: readonly string[];
}

export const EXERCISE = membersOf('e', [
  'offset',
  'node_id',
  'contract_id',
  'template_fqn',
  'choice',
  'argument',
  'result',
  'consuming',
  'last_descendant_node_id',
  'controllers',
]);

export const contractOf = (row: ContractColumns) => ({
  contractId: trusted<ContractId>(row.contract_id),
  templateFqn: row.template_fqn,
  packageId: row.package_id,
  payload: row.payload,
  signatories: row.signatories,
  observers: row.observers,
  divulgedOnly: row.divulged_only,
  createdAtOffset: row.created_at_offset,
  createdNodeId: row.created_node_id,
  createdAt: row.created_effective_at,
  archived:
    row.archived_at_offset === null ||
    row.archived_node_id === null ||
    row.archived_effective_at === null
      ? null
      : {
          offset: row.archived_at_offset,
          nodeId: row.archived_node_id,
          at: row.archived_effective_at,
        },
});
