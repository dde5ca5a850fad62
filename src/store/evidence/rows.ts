import type { Effect } from '../../domain/change.ts';
import type { ChangeId, ContractId, EffectId, UpdateId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Row } from '../../../migrations/schema.ts';

/* Whole rows without assumptions, for the checks that compare the store with the ledger. */

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

export const UPDATE_COLUMNS = [
  'offset',
  'update_id',
  'record_time',
  'effective_at',
  'workflow_id',
  'command_id',
] as const satisfies readonly (keyof Row<'ledger_update'>)[];

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

export const EXERCISE_COLUMNS = [
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
] as const satisfies readonly (keyof Row<'exercise'>)[];

/** `c."offset", c.update_id`: quoted, because `offset` is a word of SQL. */
export const quoted = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}."${column}"`).join(', ');

export type EffectColumns = Omit<Row<'effect'>, 'put_off_by' | 'provider' | 'party'>;
export type UpdateColumns = Pick<Row<'ledger_update'>, (typeof UPDATE_COLUMNS)[number]>;
export type ContractColumns = Pick<Row<'contract'>, (typeof CONTRACT_ROW_COLUMNS)[number]>;
export type ExerciseColumns = Pick<Row<'exercise'>, (typeof EXERCISE_COLUMNS)[number]>;

export const updateOf = (row: UpdateColumns) => ({
  offset: row.offset,
  updateId: trusted<UpdateId>(row.update_id),
  recordTime: row.record_time,
  effectiveAt: row.effective_at ?? row.record_time,
  workflowId: row.workflow_id ?? '',
  commandId: row.command_id ?? '',
});

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

export const exerciseOf = (row: ExerciseColumns) => ({
  offset: row.offset,
  nodeId: row.node_id,
  contractId: trusted<ContractId>(row.contract_id),
  templateFqn: row.template_fqn,
  choice: row.choice,
  argument: row.argument,
  result: row.result,
  consuming: row.consuming,
  lastDescendantNodeId: row.last_descendant_node_id,
  controllers: row.controllers,
});

export const effectOf = (row: EffectColumns): Effect => ({
  id: trusted<EffectId>(row.id),
  changeId: trusted<ChangeId>(row.change_id),
  dueAt: row.due_at,
  dispatchNo: row.dispatch_no,
  doneAt: row.done_at,
  madeAt: row.made_at,
  heldAt: row.held_at,
});
