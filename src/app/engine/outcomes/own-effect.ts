import type { Change } from '../../../domain/change.ts';
import type { ContractId } from '../../../domain/ids.ts';
import { workflowIdOf } from '../../../domain/ids.ts';
import { lifecycleIdOf } from '../lanes/facts.ts';
import type { Times } from '../lanes/lane.ts';
import { finish, leave } from '../lanes/lane.ts';
import type { AppliedUpdate, Tx } from '../../ports/transaction.ts';
import { begunBy, chosenBy, isEffectOf, resultOf } from '../lanes/results.ts';
import type { WorkingSet } from '../lanes/working-set.ts';

/**
 * Ends a change with the result of its update. In a restored database, a change that has taken effect may still wait in
 * its mailbox; such a change leaves the mailbox.
 */
export async function succeed(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  applied: AppliedUpdate,
  times: Times,
): Promise<void> {
  await loadCreated(ws, tx, applied);
  const begun = begunBy(ws.model, change, applied);
  const lifecycleId =
    begun === null
      ? change.lifecycleId
      : (ws.lifecycleIdOfContract(begun.contractId) ?? lifecycleIdOf(begun.kind, begun.contractId));
  const result = resultOf(change, applied, ws);
  const settled = { ...change, lifecycleId };
  const ending = { state: 'succeeded', result, error: null } as const;
  if (change.state === 'queued') leave(ws, settled, ending, times);
  else await finish(ws, tx, settled, ending, times);
}

/**
 * Ends a change whose effect is known without a completion: an update carries the change's workflow ID and did what the
 * change requested.
 *
 * @returns whether there is such an update
 */
export async function settleCarried(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  times: Times,
): Promise<boolean> {
  const applied = await carriedEffect(ws, tx, change);
  if (applied === null) return false;
  await succeed(ws, tx, change, applied, times);
  return true;
}

/**
 * Returns the update that carries the change's workflow ID and is its effect, or `null`. Other clients that know the
 * change's ID may put it into their own updates, even earlier ones: the first update that is the effect counts.
 */
export async function carriedEffect(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
): Promise<AppliedUpdate | null> {
  const now = ws.appliedFor(change.id);
  if (now !== null && (await isOwnEffect(ws, tx, change, now))) return now;
  for (const updateId of await tx.updatesCarrying(change)) {
    const applied = await tx.appliedUpdate(updateId);
    if (applied !== null && (await isOwnEffect(ws, tx, change, applied))) return applied;
  }
  return null;
}

/** Loads the lifecycles that the update began in an earlier transaction, because answers name them. */
async function loadCreated(ws: WorkingSet, tx: Tx, applied: AppliedUpdate): Promise<void> {
  for (const { contractId } of applied.created) {
    if (ws.lifecycleOfContract(contractId) !== undefined) continue;
    const found = await tx.findLifecycle(contractId);
    if (found === null) continue;
    ws.addSeen(found);
    ws.addLineage([{ contractId, lifecycleId: found.id, lane: found.lane }]);
  }
}

/**
 * Returns whether an update is the effect of a change: it carries the change's workflow ID and no other command ID, was
 * made by the change's party, and did to the change's lifecycle what the change requested. A restored database lacks
 * the attempts made after its backup, so any contract of the lifecycle counts. Another client's update can be equal in
 * everything but the workflow ID: a request for the same install with the same command ID.
 */
export async function isOwnEffect(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  applied: AppliedUpdate,
): Promise<boolean> {
  if (applied.workflowId !== workflowIdOf(change.id)) return false;
  // Only a participant of the acting party shows the command ID; elsewhere it is empty.
  if (applied.commandId !== '' && applied.commandId !== change.commandId) return false;
  const own: ContractId[] = [];
  for (const contractId of chosenBy(ws.model, change, applied)) {
    if (await isOfLifecycle(ws, tx, change, contractId)) own.push(contractId);
  }
  return isEffectOf(ws.model, change, applied, own);
}

/** Returns whether an attempt of the change names the contract, or the lineage of its lifecycle contains it. */
async function isOfLifecycle(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  contractId: ContractId,
): Promise<boolean> {
  const attempts = await ws.attemptsOf(tx, change.id);
  if (attempts.some((attempt) => attempt.contractId === contractId)) return true;
  const id = ws.lifecycleIdOfContract(contractId) ?? (await tx.findLifecycle(contractId))?.id;
  return id !== undefined && id === change.lifecycleId;
}
