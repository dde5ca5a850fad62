import type { Change } from '../../domain/change.ts';
import type { ContractId } from '../../domain/ids.ts';
import { workflowIdOf } from '../../domain/ids.ts';
import { lifecycleIdOf } from './facts.ts';
import type { Times } from './lane.ts';
import { finish, leave } from './lane.ts';
import type { AppliedUpdate, Tx } from '../ports/transaction.ts';
import { begunBy, chosenBy, isEffectOf, resultOf } from './results.ts';
import type { WorkingSet } from './working-set.ts';

/**
 * Ends a change with what its update did. A change of a restored database can still wait in its mailbox although it has
 * taken effect: it leaves from there.
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
 * Ends a change whose update is known although no completion told of it: the update carries the change's workflow ID,
 * and did what the change asked for.
 *
 * @returns whether it did.
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
 * What the change did, if an update says so that carries its workflow ID. Whoever knows the change may have put that
 * into updates of their own, also before it: the first that is its effect counts.
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

/** The lifecycles that the update began, where an earlier transaction applied it: answers name them. */
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
 * Whether an update is what the change asked for. The update carries the change's workflow ID, carries no other command
 * ID, was made by the change's party, and did to the change's lifecycle what the change asked for. A restored database
 * has no row of an attempt that came after its copy, so any contract of the lifecycle counts. An update of another
 * client can look the same in all but the workflow ID: a request for the same install with the same command ID.
 */
export async function isOwnEffect(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  applied: AppliedUpdate,
): Promise<boolean> {
  if (applied.workflowId !== workflowIdOf(change.id)) return false;
  // Only a participant of the acting party shows the command ID.
  if (applied.commandId !== '' && applied.commandId !== change.commandId) return false;
  const own: ContractId[] = [];
  for (const contractId of chosenBy(ws.model, change, applied)) {
    if (await isOfLifecycle(ws, tx, change, contractId)) own.push(contractId);
  }
  return isEffectOf(ws.model, change, applied, own);
}

/** Whether an attempt of the change names the contract, or the contract belongs to the lineage of its lifecycle. */
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
