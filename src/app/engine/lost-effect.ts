import type { Change } from '../../domain/change.ts';
import type { CommandId, UpdateId } from '../../domain/ids.ts';
import { changeOfWorkflow } from '../../domain/ids.ts';
import type { ProblemDetails } from '../../domain/problems.ts';
import { problem } from '../../domain/problems.ts';
import type { Followed, Tx } from '../ports/transaction.ts';
import type { CommandKey } from '../ports/writes.ts';
import type { Times } from './lane.ts';
import { finish } from './lane.ts';
import { undecidedRows } from './proof.ts';
import type { WorkingSet } from './working-set.ts';

/*
 * The effect of an operation that a restore or failover has lost. The caller that repeats its command ID learns the
 * update, before the repeat is accepted or afterwards.
 */

/** Nothing is done a second time: the caller learns which update did it. */
export const tookEffect = (commandId: CommandId, updateId: UpdateId): ProblemDetails =>
  problem(
    'COMMAND_TOOK_EFFECT',
    `commandId ${commandId} took effect on the ledger as update ${updateId}; the database has lost its operation in a restore or failover`,
    { extra: { updateId } },
  );

/** The update that a command of a lost operation has made. */
export const lostEffect = (
  { tombstones }: Pick<Followed, 'tombstones'>,
  { commandId, actAs }: CommandKey,
): UpdateId | null =>
  tombstones.find((found) => found.commandId === commandId && found.actAs.includes(actAs))
    ?.updateId ?? null;

/** Whether an update was made for an operation that the store does not have. */
export async function isOfLost(tx: Tx, change: Change, workflowId: string): Promise<boolean> {
  const id = changeOfWorkflow(workflowId);
  return id !== null && id !== change.id && (await tx.change(id)) === null;
}

/**
 * Ends the repeat of a lost operation, which was accepted before the effect of that operation was told. A ledger takes
 * a command ID once, so nothing of the repeat takes effect.
 */
export async function endWithLost(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  updateId: UpdateId,
  times: Times,
): Promise<void> {
  const { commandId, submitter } = change;
  await tx.bury([{ commandId, actAs: [submitter.actAs], updateId }]);
  for (const { submissionId } of undecidedRows(await ws.attemptsOf(tx, change.id))) {
    ws.answerAttempt(submissionId, {
      at: times.now,
      verdict: 'refused',
      ledgerCode: null,
      explanation: `it took no effect: its command ID took effect once, by update ${updateId}`,
      offset: null,
    });
  }
  const error = tookEffect(commandId, updateId);
  await finish(ws, tx, change, { state: 'rejected', result: null, error }, times);
}

/**
 * Ends a change whose command ID has a tombstone: the effect was told while the change was being accepted.
 *
 * @returns whether it has ended
 */
export async function settleBuried(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  times: Times,
): Promise<boolean> {
  const { commandId, submitter } = change;
  const key = { commandId, actAs: submitter.actAs };
  const updateId = lostEffect(await tx.followed([commandId]), key);
  if (updateId === null) return false;
  await endWithLost(ws, tx, change, updateId, times);
  return true;
}
