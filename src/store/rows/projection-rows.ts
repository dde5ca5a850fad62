import type { Json, JsonRecord } from '../../domain/json.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerTransaction,
  TemplateName,
} from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { assert } from '../../domain/unreachable.ts';
import type { Row } from '../../../migrations/schema.ts';

/*
 * Converts ledger events into elements of the JSON arrays that statements unpack. Times keep their original text,
 * because a Date would lose the microseconds.
 */

type Columns<
  Table extends 'ledger_update' | 'contract' | 'exercise',
  Without extends string = never,
> = Record<Exclude<keyof Row<Table>, Without>, Json>;

/** The offset and the time at which a contract was created. */
export interface Origin {
  readonly offset: bigint;
  /** ISO 8601 with microseconds. */
  readonly effectiveAt: string;
}

export function updateToJson(update: LedgerTransaction): Columns<'ledger_update'> {
  assert(update.offset > 0n, 'offset 0 is the ledger begin, never an update');
  return {
    offset: String(update.offset),
    update_id: update.updateId,
    record_time: update.recordTime,
    effective_at: update.effectiveAt,
    workflow_id: update.workflowId === '' ? null : update.workflowId,
    command_id: update.commandId === '' ? null : update.commandId,
    synchronizer_id: update.synchronizerId,
  };
}

/** The columns that are written only after the creation of a contract. */
type LaterColumn =
  | 'archived_at_offset'
  | 'archived_node_id'
  | 'archived_effective_at'
  | 'origin_id';

/**
 * Returns a contract as one row by its template, if that was requested, and one row for each of its interface views.
 */
export function contractToJson(
  created: CreatedEvent,
  origin: Origin,
  divulgedOnly: boolean,
): Columns<'contract', LaterColumn | 'created_event_blob'>[] {
  assert(origin.offset > 0n, 'offset 0 is the ledger begin, never a contract');
  assert(created.signatories.length > 0, 'somebody has signed every contract');
  const shared = {
    contract_id: created.contractId,
    signatories: created.signatories,
    observers: created.observers,
    witnesses: created.witnesses,
    divulged_only: divulgedOnly,
    created_at_offset: String(origin.offset),
    created_node_id: created.nodeId,
    created_effective_at: origin.effectiveAt,
  };
  const row = (type: TemplateName, packageId: string, payload: JsonRecord) => ({
    ...shared,
    template_fqn: templateFqn(type),
    package_id: packageId,
    package_name: type.packageName,
    payload,
  });
  const views = created.views.map((view) => row(view.interface, view.packageId, view.value));
  if (created.payload === null) return views;
  return [row(created.template, created.packageId, created.payload), ...views];
}

export function exerciseToJson(
  exercised: ExercisedEvent,
  update: LedgerTransaction,
): Columns<'exercise'> {
  assert(
    exercised.lastDescendantNodeId >= exercised.nodeId,
    'an exercise ends with or after its own node',
  );
  return {
    offset: String(update.offset),
    node_id: exercised.nodeId,
    contract_id: exercised.contractId,
    template_fqn: templateFqn(exercised.template),
    choice: exercised.choice,
    argument: exercised.argument,
    result: exercised.result,
    controllers: exercised.actingParties,
    consuming: exercised.consuming,
    last_descendant_node_id: exercised.lastDescendantNodeId,
    effective_at: update.effectiveAt,
    package_name: exercised.template.packageName,
    witnesses: exercised.witnesses,
  };
}

export const archiveToJson = (
  exercised: ExercisedEvent,
  update: LedgerTransaction,
): Record<'contract_id' | 'offset' | 'node_id' | 'effective_at', Json> => ({
  contract_id: exercised.contractId,
  offset: String(update.offset),
  node_id: exercised.nodeId,
  effective_at: update.effectiveAt,
});
