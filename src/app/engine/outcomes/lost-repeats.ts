import type { Change } from '../../../domain/change.ts';
import type { CommandId, UpdateId } from '../../../domain/ids.ts';
import { changeOfWorkflow } from '../../../domain/ids.ts';
import type { ProblemDetails } from '../../../domain/problems.ts';
import { problem } from '../../../domain/problems.ts';
import type { AppliedUpdate, Tx } from '../../ports/transaction.ts';

/*
 * A caller may repeat a command whose operation the database has lost while the lost submission is still under way. The
 * ledger accepts the command once, and the accepted update carries the workflow ID of the lost operation.
 */

/** Returns the problem for a repeated command that has already taken effect; it names the update. */
export const tookEffect = (commandId: CommandId, updateId: UpdateId): ProblemDetails =>
  problem(
    'COMMAND_TOOK_EFFECT',
    `commandId ${commandId} took effect on the ledger as update ${updateId}; a restore or failover has removed its operation from the database`,
    { extra: { updateId } },
  );

/** Returns whether the workflow ID of an update is that of an operation that the store does not have. */
export async function isOfLost(tx: Tx, workflowId: string): Promise<boolean> {
  const id = changeOfWorkflow(workflowId);
  return id !== null && (await tx.change(id)) === null;
}

/**
 * Returns the refusal of a change whose command a lost operation has carried out, and stores the tombstone of that
 * operation; `null` if no lost operation made the update. The change does not succeed with the update, because the lost
 * request may have had another body.
 *
 * @param accepted the update that the ledger accepted under the change's command ID
 */
export async function repeatOfLost(
  tx: Tx,
  { commandId, submitter }: Change,
  { updateId, workflowId }: Pick<AppliedUpdate, 'updateId' | 'workflowId'>,
): Promise<ProblemDetails | null> {
  if (!(await isOfLost(tx, workflowId))) return null;
  await tx.bury([{ commandId, actAs: [submitter.actAs], updateId }]);
  return tookEffect(commandId, updateId);
}
