import type { Attempt, AttemptAnswer, Change } from '../../../domain/change.ts';
import { NOT_VERIFYING } from '../../../domain/change.ts';
import type { ContractId, UpdateId } from '../../../domain/ids.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ProblemDetails } from '../../../domain/problems.ts';
import { problem } from '../../../domain/problems.ts';
import { CODES } from '../../../domain/ledger-codes.ts';
import { backoffMs, freeBackoffMs } from './decide.ts';
import type { Times } from '../lanes/lane.ts';
import { finish, outdated } from '../lanes/lane.ts';
import { repeatOfLost } from './lost-repeats.ts';
import {
  awaitProof,
  doubt,
  later,
  refuseOnceOver,
  renew,
  timesInARow,
  waiting,
} from './outcomes.ts';
import { isOwnEffect, settleCarried, succeed } from './own-effect.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { AppliedUpdate, Tx } from '../../ports/transaction.ts';
import { isProven, isUndecided, isVerifying, proofOf, settleProven } from '../doubts/proof.ts';
import type { WorkingSet } from '../lanes/working-set.ts';

/** How far the streams have been applied after a batch. */
export interface Progress {
  /** Returns whether all outcomes of attempts are applied up to this offset of the change's participant. */
  hasSettled(change: Change, offset: bigint): boolean;
  /**
   * Returns whether updates are applied up to this offset of the change's participant, so that its update has been
   * applied if it is visible here. Never true for a participant other than the projected one: its offsets mean nothing
   * in our update stream.
   */
  hasProjected(change: Change, offset: bigint): boolean;
  /** Returns whether the replay of a restored database may still deliver the outcome of the change. */
  isReplaying(change: Change): boolean;
  /** Returns whether the clocks agree, so that record times of the change's participant can be trusted. */
  isBelieved(change: Change): boolean;
}

/** Ends an accepted change if the streams have passed its update, whether or not the update was visible here. */
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
    const error = await repeatOfLost(tx, change, seen);
    if (error !== null) {
      const others = await ws.attemptsOf(tx, change.id);
      const why = `a lost operation made update ${seen.updateId} with the same command ID`;
      await refuseOnceOver(ws, tx, { ...change, acceptance: null }, { error, others, why }, times);
      return;
    }
    if (change.state === 'in-doubt') return;
    const why = `update ${acceptance.updateId} has the workflow ID of the operation but did not do what the operation requested`;
    doubt(ws, change, why, times);
    return;
  }
  await succeed(ws, tx, change, seen, times);
}

/**
 * Ends an accepted change whose update the projection will never receive, so that only its success is known. If the
 * update was only read back from the ledger, it may be another client's, so the change is put in doubt instead.
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
  else doubt(ws, change, `update ${acceptance.updateId} was pruned before Tenure read it`, times);
}

/** An update that the projection has passed without receiving it: its contents are unknown. */
const unseen = (change: Change, at: { updateId: UpdateId; offset: bigint }): AppliedUpdate => ({
  ...at,
  commandId: change.commandId,
  workflowId: '',
  created: [],
  exercised: [],
});

/**
 * Continues a change after its verification: the streams have passed every point at which an earlier attempt could have
 * been accepted, and none was.
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
  const attempts = await ws.attemptsOf(tx, change.id);
  const proofAt = change.proofAt === null ? null : proofOf(attempts);
  if (proofAt !== null) {
    if (!progress.isBelieved(change)) return;
    if (!isProven(proofAt, await tx.provenTime(change.submitter.participant))) return;
  }
  // If our own attempt archived the contract, its update shows this, even if the completion was lost.
  if (await settleCarried(ws, tx, change, times)) return;
  if (change.proofAt === null) {
    await resolveStale(ws, tx, change, attempts, times);
    return;
  }
  settleProven(ws, attempts, times);
  if (change.pendingRefusal !== null) await endRefused(ws, tx, change, times);
  else
    await renew(
      ws,
      tx,
      change,
      'the ledger has reported every possible effect of the attempts',
      times,
    );
}

async function endRefused(ws: WorkingSet, tx: Tx, change: Change, times: Times): Promise<void> {
  const error = change.pendingRefusal;
  const state = error?.code === 'BUDGET_SPENT' ? 'failed' : 'rejected';
  await finish(ws, tx, change, { state, result: null, error }, times);
}

/**
 * Ends a policy's change whose contract has been replaced, so that its lane continues. A change without an undecided
 * attempt ends at once; any other change is judged again before its next submission.
 */
export async function settleOutdated(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  times: Times,
): Promise<void> {
  if (change.state === 'in-doubt' || change.acceptance !== null || isVerifying(change)) return;
  const error = outdated(ws, change, times);
  if (error === null || (await ws.attemptsOf(tx, change.id)).some(isUndecided)) return;
  await finish(ws, tx, change, { state: 'rejected', result: null, error }, times);
}

/** Returns why a change whose contract was archived is not submitted again, or `null`. */
function endOf(
  model: ContractModel,
  change: Change,
  lifecycle: Lifecycle | undefined,
): ProblemDetails | null {
  if (lifecycle === undefined || lifecycle.endedAt !== null) {
    const word = lifecycle === undefined ? 'contract' : model.lifecycle(lifecycle.kind).word;
    const state = lifecycle?.state ?? 'gone';
    return problem('CONTRACT_GONE', `the ${word} is no longer active: it is ${state}`, {
      extra: lifecycle === undefined ? {} : { lifecycleId: lifecycle.id, state },
    });
  }
  if (change.attempts < LIMITS.attemptsMax) return null;
  const message = `a contract that the command needs was archived at each of ${change.attempts} attempts`;
  return problem('BUDGET_SPENT', message, { ledgerCode: CODES.contractGone });
}

/**
 * Handles a contract that another client's update archived: submits the change on the successor, or ends it if there is
 * none.
 */
async function resolveStale(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  attempts: readonly Attempt[],
  times: Times,
): Promise<void> {
  const lifecycle = change.lifecycleId === null ? undefined : ws.lifecycle(change.lifecycleId);
  const refused = attempts.findLast(({ answer }) => answer?.verdict === 'refused')?.contractId;
  // If the named contract is still active in the store, the missing contract may have been another one, so nothing
  // proves that earlier attempts can no longer take effect.
  const stands = lifecycle?.endedAt === null && lifecycle.contractId === refused;
  if (stands && (await isUnknownYet(tx, change, lifecycle.contractId))) {
    awaitContract(ws, change, attempts, times);
    return;
  }
  const error = endOf(ws.model, change, lifecycle) ?? outdated(ws, change, times);
  if (error === null && lifecycle !== undefined) {
    goOn(ws, change, lifecycle, stands, times);
    return;
  }
  const open = attempts.filter(({ contractId }) => stands || contractId !== refused);
  if (open.some(isUndecided)) {
    awaitProof(ws, change, error, open, error?.message ?? '', times);
    return;
  }
  for (const { submissionId } of attempts.filter(isUndecided)) {
    ws.answerAttempt(submissionId, goneBefore(times.now));
  }
  await endRefused(ws, tx, { ...change, pendingRefusal: error }, times);
}

/** The answer for attempts on a contract that another update has archived. */
const goneBefore = (now: string): AttemptAnswer => ({
  at: now,
  verdict: 'refused',
  ledgerCode: null,
  explanation: 'the attempt took no effect: another update archived the contract',
  offset: null,
});

/** Submits the change on the current contract. If the refusal named that same contract, the submission is delayed. */
function goOn(
  ws: WorkingSet,
  change: Change,
  lifecycle: Lifecycle,
  stands: boolean,
  times: Times,
): void {
  const inMs = stands ? backoffMs(change.attempts, 1) : 0;
  const dueAt = later(times, inMs);
  const detail = stands
    ? `the ledger reports that ${lifecycle.contractId}, or a contract that the command needs, is archived; the next attempt is at ${dueAt}`
    : `the contract was replaced by ${lifecycle.contractId}; Tenure submits the command again`;
  const waitingFor = waiting(stands ? 'projection' : 'queue', detail, times);
  ws.putChange({ ...change, ...NOT_VERIFYING, waitingFor });
  ws.effectDue(change.id, inMs);
}

/**
 * Returns whether the submitting participant has not yet reported everything up to the creation of the contract, which
 * the query store knows. Only the synchronizer on which the contract was created counts.
 */
async function isUnknownYet(tx: Tx, change: Change, contractId: ContractId): Promise<boolean> {
  const created = await tx.creationOf(contractId);
  if (created === null) return false;
  const { participant } = change.submitter;
  if (created.synchronizer === null) {
    return !isProven(created.at, await tx.toldTime(participant));
  }
  const known = await tx.synchronizersOf(participant);
  const there = known.find(({ synchronizer }) => synchronizer === created.synchronizer);
  return there?.isGivenUp !== true && !isProven(created.at, there?.toldAt ?? null);
}

/**
 * Retries later because the participant is behind the query store. This is not a refusal: it does not count against the
 * budget. The delay grows, because each attempt adds a row.
 */
function awaitContract(
  ws: WorkingSet,
  change: Change,
  attempts: readonly Attempt[],
  times: Times,
): void {
  const code = attempts.at(-1)?.answer?.ledgerCode ?? '';
  const again = { timesInARow: timesInARow(attempts.slice(0, -1), code), random: 1 };
  const inMs = freeBackoffMs(again);
  const dueAt = later(times, inMs);
  const detail = `${change.submitter.participant} is behind and does not know the contract yet; the next attempt is at ${dueAt}`;
  const waitingFor = { ...waiting('behind', detail, times, change.waitingFor), until: dueAt };
  const counted = Math.max(0, change.attempts - 1);
  ws.putChange({ ...change, ...NOT_VERIFYING, attempts: counted, waitingFor });
  ws.effectDue(change.id, inMs);
}
