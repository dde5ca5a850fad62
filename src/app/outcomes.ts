import type { LedgerAnswer } from '../domain/answer.ts';
import type { Attempt, AttemptAnswer, Change, WaitingFor } from '../domain/change.ts';
import { isOpen } from '../domain/change.ts';
import type { SubmissionId, UpdateId } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import { problem } from '../domain/problems.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Decision } from './decide.ts';
import { decide } from './decide.ts';
import { lifecycleIdOf } from './facts.ts';
import type { Times } from './lane.ts';
import { finish } from './lane.ts';
import { KIND_WORD } from './operations.ts';
import type { AppliedUpdate, Tx } from './ports.ts';
import { createdContract, isEffectOf, resultOf } from './results.ts';
import type { WorkingSet } from './working-set.ts';

/** One answer to one attempt, with what had to be asked of the ledger to judge it. */
export interface AnsweredAttempt {
  readonly submissionId: SubmissionId;
  readonly answer: LedgerAnswer;
  /** The offset of the answer, where it came by completion. */
  readonly offset: bigint | null;
  /** A position on the change's participant at or after the answer. */
  readonly ledgerEnd: bigint;
  /** For a duplicate of something accepted: the update at that offset, or `null` when we may not see it. */
  readonly duplicate: { readonly updateId: UpdateId; readonly offset: bigint } | null;
}

const isUndecided = (attempt: Attempt): boolean =>
  attempt.answer === null || attempt.answer.verdict === 'unknown';

/** Until then an undecided attempt may still be sequenced. */
const boundMs = (attempt: Attempt): number =>
  Date.parse(attempt.at) + LIMITS.submitDeadlineMs + LIMITS.attemptBoundMs;

const waiting = (kind: WaitingFor['kind'], detail: string, times: Times): WaitingFor => ({
  kind,
  detail,
  since: times.now,
});

const later = (times: Times, delayMs: number): string =>
  new Date(Date.parse(times.now) + delayMs).toISOString();

/** Nothing certain is known: it was sent, and what came back does not say that it was refused. */
const isUndecidedAnswer = ({ class: kind, unsent, code }: LedgerAnswer): boolean =>
  kind === 'unknown' && !unsent && code !== 'INVALID_DEDUPLICATION_PERIOD';

const answerRow = (from: AnsweredAttempt, times: Times): AttemptAnswer => ({
  at: times.now,
  verdict: isUndecidedAnswer(from.answer) ? 'unknown' : 'refused',
  ledgerCode: from.answer.code,
  explanation: from.answer.explanation,
  offset: from.offset,
});

/** The ledger accepted an attempt of ours: the answer waits for the projection. */
export function recordAcceptance(
  ws: WorkingSet,
  change: Change,
  submissionId: SubmissionId,
  update: { readonly updateId: UpdateId; readonly offset: bigint },
  times: Times,
): void {
  ws.answerAttempt(submissionId, {
    at: times.now,
    verdict: 'accepted',
    ledgerCode: null,
    explanation: 'the ledger accepted it',
    offset: update.offset,
  });
  if (!isOpen(change.state)) return;
  ws.putChange({
    ...change,
    acceptance: { ...update, readBack: false },
    verifyAt: null,
    pendingRefusal: null,
    waitingFor: waiting('projection', `the query store has not seen ${update.updateId} yet`, times),
  });
  ws.effectDone(change.id);
}

/** The ledger said no, or nothing certain. Only the head of a lane can be answered. */
export async function recordRefusal(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  from: AnsweredAttempt,
  times: Times,
  random: number,
): Promise<void> {
  ws.answerAttempt(from.submissionId, answerRow(from, times));
  // A success from the stream wins over any late refusal.
  if (!isOpen(change.state) || change.acceptance !== null) return;
  const attempts = await tx.attemptsOf(change.id);
  const others = attempts.filter((attempt) => attempt.submissionId !== from.submissionId);
  if (from.answer.class === 'done') return recordDuplicate(ws, tx, change, from, others, times);
  const undecided = others.filter(isUndecided).length;
  return apply(ws, tx, change, decide(change, from.answer, undecided, random), from, times);
}

/**
 * The participant says that the command ID was accepted before. With an earlier attempt of our own that is
 * our success, once read back; without one, another client of the participant has used the ID.
 */
async function recordDuplicate(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  from: AnsweredAttempt,
  others: readonly Attempt[],
  times: Times,
): Promise<void> {
  if (others.length === 0) return refuseForeign(ws, tx, change, times);
  // Nothing to read back yet: the completion of the earlier attempt is still to come.
  if (from.duplicate === null) return undefined;
  ws.putChange({
    ...change,
    acceptance: { ...from.duplicate, readBack: true },
    verifyAt: null,
    pendingRefusal: null,
    waitingFor: waiting(
      'projection',
      `an earlier attempt was accepted as ${from.duplicate.updateId}; the query store has not seen it yet`,
      times,
    ),
  });
  ws.effectDone(change.id);
  return undefined;
}

const refuseForeign = (ws: WorkingSet, tx: Tx, change: Change, times: Times): Promise<void> =>
  finish(
    ws,
    tx,
    change,
    {
      state: 'rejected',
      result: null,
      error: problem(
        'COMMAND_ID_USED_ELSEWHERE',
        `commandId ${change.commandId} was used by another client of the participant`,
        { ledgerCode: 'DUPLICATE_COMMAND' },
      ),
    },
    times,
  );

async function apply(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  decision: Decision,
  from: AnsweredAttempt,
  times: Times,
): Promise<void> {
  const { explanation } = from.answer;
  switch (decision.kind) {
    case 'retry': {
      const dueAt = later(times, decision.delayMs);
      const attempts = decision.free ? change.attempts - 1 : change.attempts;
      const waitingFor = waiting('backoff', `${explanation}; again at ${dueAt}`, times);
      ws.putChange({ ...change, state: 'retrying', attempts, waitingFor });
      ws.effectDue(change.id, dueAt);
      return undefined;
    }
    case 'await':
      ws.putChange({ ...change, waitingFor: waiting('ledger', explanation, times) });
      return undefined;
    case 'verify': {
      const detail = `${explanation}; making sure that no attempt took effect up to offset ${from.ledgerEnd}`;
      ws.putChange({
        ...change,
        state: 'retrying',
        verifyAt: from.ledgerEnd,
        pendingRefusal: decision.refusal,
        waitingFor: waiting('ledger', detail, times),
      });
      return undefined;
    }
    case 'doubt':
      ws.putChange({
        ...change,
        state: 'in-doubt',
        waitingFor: waiting('person', explanation, times),
      });
      ws.effectDone(change.id);
      return undefined;
    case 'end':
      return finish(
        ws,
        tx,
        change,
        { state: decision.state, result: null, error: decision.refusal },
        times,
      );
    default:
      return unreachable(decision);
  }
}

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
  const applied =
    ws.applied.get(acceptance.updateId) ?? (await tx.appliedUpdate(acceptance.updateId));
  if (applied === null && !progress.hasProjected(change, acceptance.offset)) return;
  const seen = applied ?? unseen(change, acceptance);
  if (acceptance.readBack && !(await isOurs(tx, change, seen))) {
    await refuseForeign(ws, tx, change, times);
    return;
  }
  const contract = createdContract(change, seen);
  const lifecycleId =
    contract === null
      ? change.lifecycleId
      : (ws.lifecycleIdOfContract(contract) ?? lifecycleIdOf('install-request', contract));
  const result = resultOf(change, seen, ws);
  const settled = { ...change, lifecycleId };
  await finish(ws, tx, settled, { state: 'succeeded', result, error: null }, times);
}

/** An update that the projection has passed without seeing: nothing is known of what it did. */
const unseen = (change: Change, at: { updateId: UpdateId; offset: bigint }): AppliedUpdate => ({
  ...at,
  commandId: change.commandId,
  created: [],
  exercised: [],
});

async function isOurs(tx: Tx, change: Change, applied: AppliedUpdate): Promise<boolean> {
  const attempts = await tx.attemptsOf(change.id);
  const contracts = new Set(attempts.flatMap((attempt) => attempt.contractId ?? []));
  return isEffectOf(change, applied, contracts);
}

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
  const attempts = await tx.attemptsOf(change.id);
  if (change.pendingRefusal !== null) {
    await endOrWaitLonger(ws, tx, change, attempts, times);
    return;
  }
  await resolveStale(ws, tx, change, attempts, times);
}

async function endOrWaitLonger(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  attempts: readonly Attempt[],
  times: Times,
): Promise<void> {
  const bounds = attempts.filter(isUndecided).map(boundMs);
  const latest = Math.max(0, ...bounds);
  if (latest > Date.parse(times.now)) {
    const dueAt = new Date(latest).toISOString();
    const detail = `an earlier attempt may still take effect until ${dueAt}`;
    ws.putChange({
      ...change,
      verifyAt: null,
      pendingRefusal: null,
      waitingFor: waiting('ledger', detail, times),
    });
    ws.effectDue(change.id, dueAt);
    return;
  }
  const error = change.pendingRefusal;
  const state = error?.code === 'BUDGET_SPENT' ? 'failed' : 'rejected';
  await finish(ws, tx, change, { state, result: null, error }, times);
}

/** The contract was gone and not by our doing: go on with its successor, or end when there is none. */
async function resolveStale(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  attempts: readonly Attempt[],
  times: Times,
): Promise<void> {
  const lifecycle = change.lifecycleId === null ? undefined : ws.lifecycle(change.lifecycleId);
  if (lifecycle === undefined || lifecycle.endedAt !== null) {
    const word = lifecycle === undefined ? 'contract' : KIND_WORD[lifecycle.kind];
    const state = lifecycle?.state ?? 'gone';
    const error = problem('CONTRACT_GONE', `the ${word} is no longer active: it is ${state}`, {
      extra: lifecycle === undefined ? {} : { lifecycleId: lifecycle.id, state },
    });
    return finish(ws, tx, change, { state: 'rejected', result: null, error }, times);
  }
  if (change.attempts >= LIMITS.attemptsMax) {
    const message = `the contract changed under all ${change.attempts} attempts`;
    const error = problem('BUDGET_SPENT', message, { ledgerCode: 'CONTRACT_NOT_FOUND' });
    return finish(ws, tx, change, { state: 'failed', result: null, error }, times);
  }
  const replaced = attempts.at(-1)?.contractId !== lifecycle.contractId;
  const dueAt = later(times, replaced ? 0 : LIMITS.backoffMsMin * 2 ** change.attempts);
  const detail = replaced
    ? `the contract was replaced by ${lifecycle.contractId}; submitting again`
    : `the query store has not seen the end of ${lifecycle.contractId} yet; again at ${dueAt}`;
  const waitingFor = waiting(replaced ? 'queue' : 'projection', detail, times);
  ws.putChange({ ...change, verifyAt: null, waitingFor });
  ws.effectDue(change.id, dueAt);
  return undefined;
}
