import type { AppliedUpdate, Tx } from '../../../src/app/ports/transaction.ts';
import type { ChangeId, UpdateId } from '../../../src/domain/ids.ts';
import { workflowIdOf } from '../../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { isTemplate } from './find.ts';
import type { Reader } from './table.ts';
import type { Tables } from './tables.ts';

/*
 * Finds the effects of updates, and the updates that carry the workflow ID of a change.
 */

export function findAppliedUpdate(
  tables: Tables,
  reader: Reader,
  updateId: UpdateId,
): AppliedUpdate | null {
  const [update] = tables.updates.find(reader, 'id', updateId);
  if (update === undefined) return null;
  const at = String(update.offset);
  const created = tables.contracts
    .find(reader, 'offset', at)
    .filter((row) => isTemplate(tables, reader, row))
    .toSorted((a, b) => a.createdNodeId - b.createdNodeId)
    .map(({ contractId, templateFqn, payload, signatories }) => ({
      contractId,
      templateFqn,
      payload,
      signatories,
    }));
  const exercised = tables.exercises
    .find(reader, 'offset', at)
    .toSorted((a, b) => a.nodeId - b.nodeId)
    .map(({ contractId, choice, result, actingParties }) => ({
      contractId,
      choice,
      result,
      actingParties,
    }));
  return {
    updateId,
    offset: update.offset,
    commandId: update.commandId,
    workflowId: update.workflowId,
    created,
    exercised,
  };
}

/** Returns the oldest update that carries the change's workflow ID. */
export const findUpdatesCarrying = (
  tables: Tables,
  reader: Reader,
  change: ChangeId,
): readonly UpdateId[] =>
  tables.updates
    .find(reader, 'workflow', workflowIdOf(change))
    .toSorted((a, b) => Number(a.offset - b.offset))
    .map(({ updateId }) => updateId);

/** See `Tx.updatesCarrying`. */
export const findOwnCarrying = (
  tables: Tables,
  reader: Reader,
  { id, commandId, submitter }: Parameters<Tx['updatesCarrying']>[0],
): readonly UpdateId[] =>
  findUpdatesCarrying(tables, reader, id)
    .filter((updateId) => {
      const applied = findAppliedUpdate(tables, reader, updateId);
      if (applied === null || !['', commandId].includes(applied.commandId)) return false;
      const parties = [
        ...applied.exercised.map(({ actingParties }) => actingParties),
        ...applied.created.map(({ signatories }) => signatories),
      ];
      return parties.some((of) => of.length === 0 || of.includes(submitter.actAs));
    })
    .slice(0, STORE_LIMITS.updatesCarryingMax);
