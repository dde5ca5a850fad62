import type { Attempt, Change } from '../domain/change.ts';
import type { UpdateId } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import { problem } from '../domain/problems.ts';
import { backoffMs } from './decide.ts';
import type { Times } from './lane.ts';
import { finish, outdated } from './lane.ts';
import { KIND_WORD } from './operations.ts';
import { doubt, isUndecided, later, refuseForeign, undecidedUntilMs, waiting } from './outcomes.ts';
import { isOwnEffect, settleCarried, succeed } from './own-effect.ts';
import type { AppliedUpdate, Tx } from './ports.ts';
import type { WorkingSet } from './working-set.ts';

/** Where the streams stand after a batch. */
export interface Progress {
  /** Everything that could have become of attempts up to this offset of the change's participant is applied. */
  hasSettled(change: Change, offset: bigint): boolean;
  /**
   * The update at this offset of the change's participant is applied, if it is visible here at all. Never
   * true for another participant than the projected one: its offsets mean nothing in our update stream.
   */
  hasProjected(change: Change, offset: bigint): boolean;
}

/** Ends an accepted change if its update has been applied, or has been passed without being visible here. */
export async function settleAccepted(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  progress: Progress,
  times: Times,
): Promise<void> {
  const { acceptance } = change;
  if (acceptance === null) return;
  const applied = ws.applied(acceptance.updateId) ?? (await tx.appliedUpdate(acceptance.updateId));
  if (applied === null && !progress.hasProjected(change, acceptance.offset)) return;
  if (acceptance.readBack && applied === null) {
    if (change.state === 'in-doubt') return;
    doubt(ws, change, `update ${acceptance.updateId} was accepted and cannot be read back`, times);
    return;
  }
  const seen = applied ?? unseen(change, acceptance);
  if (acceptance.readBack && !(await isOwnEffect(ws, tx, change, seen))) {
    await refuseForeign(ws, tx, change, times);
    return;
  }
  await succeed(ws, tx, change, seen, times);
}

/**
 * Ends an accepted change whose update the projection will never be told: all that is known is that it took effect.
 * One that has only been read back may not be ours.
 */
export async function settleUnseen(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  times: Times,
): Promise<void> {
  const { acceptance } = change;
  if (acceptance === null) return;
  if (!acceptance.readBack) await succeed(ws, tx, change, unseen(change, acceptance), times);
  else doubt(ws, change, `update ${acceptance.updateId} was pruned before it was read`, times);
}

/** An update that the projection has passed without seeing: nothing is known of what it did. */
const unseen = (change: Change, at: { updateId: UpdateId; offset: bigint }): AppliedUpdate => ({
  ...at,
  commandId: change.commandId,
  workflowId: '',
  created: [],
  exercised: [],
});

/**
 * Goes on with a change that had to make sure: completions have passed the point up to which an earlier
 * attempt could have been accepted, and none was.
 */
export async function settleVerified(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  progress: Progress,
  times: Times,
): Promise<void> {
  if (change.acceptance !== null || change.verifyAt === null) return;
  if (!progress.hasSettled(change, change.verifyAt)) return;
  // Was it our own attempt that archived the contract? Then its update says so, also where its completion was lost.
  if (await settleCarried(ws, tx, change, times)) return;
  const attempts = await ws.attemptsOf(tx, change.id);
  const sinceMs = Date.parse(change.waitingFor?.since ?? times.now);
  if (change.pendingRefusal !== null) {
    const untilMs = undecidedUntilMs(attempts);
    if (untilMs > sinceMs) submitAgain(ws, change, untilMs, times);
    else await endRefused(ws, tx, change, times);
    return;
  }
  await resolveStale(ws, tx, change, attempts, sinceMs, times);
}

/** An attempt was begun that could be sequenced after the point that was passed: the answer to another one will tell. */
function submitAgain(ws: WorkingSet, change: Change, untilMs: number, times: Times): void {
  const dueAt = new Date(Math.max(untilMs, Date.parse(times.now))).toISOString();
  const detail = `an earlier attempt may still take effect until ${dueAt}`;
  ws.putChange({
    ...change,
    verifyAt: null,
    pendingRefusal: null,
    waitingFor: waiting('ledger', detail, times),
  });
  ws.effectDue(change.id, dueAt);
}

async function endRefused(ws: WorkingSet, tx: Tx, change: Change, times: Times): Promise<void> {
  const error = change.pendingRefusal;
  const state = error?.code === 'BUDGET_SPENT' ? 'failed' : 'rejected';
  await finish(ws, tx, change, { state, result: null, error }, times);
}

/**
 * Ends what a policy decided for a contract that is another one by now, so that its lane goes on: at once where nothing of
 * it may take effect. What is still undecided is judged again before it would be submitted.
 */
export async function settleOutdated(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  times: Times,
): Promise<void> {
  if (change.state === 'in-doubt' || change.acceptance !== null || change.verifyAt !== null) return;
  const error = outdated(ws, change, times);
  if (error === null || (await ws.attemptsOf(tx, change.id)).some(isUndecided)) return;
  await finish(ws, tx, change, { state: 'rejected', result: null, error }, times);
}

/** The contract was gone and not by our doing: go on with its successor, or end when there is none. */
async function resolveStale(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  attempts: readonly Attempt[],
  sinceMs: number,
  times: Times,
): Promise<void> {
  const lifecycle = change.lifecycleId === null ? undefined : ws.lifecycle(change.lifecycleId);
  const refused = attempts.findLast(({ answer }) => answer?.verdict === 'refused')?.contractId;
  // While it stands as far as we know, another contract may have been the one that was gone: nothing proves of earlier
  // attempts that they can no longer happen.
  const stands = lifecycle?.endedAt === null && lifecycle.contractId === refused;
  const untilMs = undecidedUntilMs(
    attempts.filter(({ contractId }) => stands || contractId !== refused),
  );
  const outdatedBy = outdated(ws, change, times);
  const ends =
    lifecycle === undefined ||
    lifecycle.endedAt !== null ||
    outdatedBy !== null ||
    change.attempts >= LIMITS.attemptsMax;
  if (ends && untilMs > sinceMs) return submitAgain(ws, change, untilMs, times);
  if (lifecycle === undefined || lifecycle.endedAt !== null) {
    const word = lifecycle === undefined ? 'contract' : KIND_WORD[lifecycle.kind];
    const state = lifecycle?.state ?? 'gone';
    const error = problem('CONTRACT_GONE', `the ${word} is no longer active: it is ${state}`, {
      extra: lifecycle === undefined ? {} : { lifecycleId: lifecycle.id, state },
    });
    return finish(ws, tx, change, { state: 'rejected', result: null, error }, times);
  }
  if (outdatedBy !== null) {
    return finish(ws, tx, change, { state: 'rejected', result: null, error: outdatedBy }, times);
  }
  if (change.attempts >= LIMITS.attemptsMax) {
    const message = `a contract that it needs was gone at each of ${change.attempts} attempts`;
    const error = problem('BUDGET_SPENT', message, { ledgerCode: 'CONTRACT_NOT_FOUND' });
    return finish(ws, tx, change, { state: 'failed', result: null, error }, times);
  }
  const dueAt = later(times, stands ? backoffMs(change.attempts, 1) : 0);
  const detail = stands
    ? `${lifecycle.contractId}, or a contract that it needs, is gone as the ledger says; again at ${dueAt}`
    : `the contract was replaced by ${lifecycle.contractId}; submitting again`;
  const waitingFor = waiting(stands ? 'projection' : 'queue', detail, times);
  ws.putChange({ ...change, verifyAt: null, waitingFor });
  ws.effectDue(change.id, dueAt);
  return undefined;
}
