import type { LedgerAnswer, Reach } from '../../../domain/answer.ts';
import type { Attempt, AttemptAnswer, Change, WaitingFor } from '../../../domain/change.ts';
import { BEGIN_OF_TIME } from '../../../domain/ledger.ts';
import { NOT_VERIFYING, NOT_YET_KNOWN, isOpen } from '../../../domain/change.ts';
import type { SubmissionId, UpdateId } from '../../../domain/ids.ts';
import { workflowIdOf } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ProblemDetails } from '../../../domain/problems.ts';
import { CODES, isVerdict } from '../../../domain/ledger-codes.ts';
import { circuitOf, isUnreachable } from '../../../domain/participant-health.ts';
import { problem } from '../../../domain/problems.ts';
import { assert, unreachable } from '../../../domain/unreachable.ts';
import { untilReached, untilTraffic } from '../lanes/participant-wait.ts';
import type { Decision } from './decide.ts';
import { decide } from './decide.ts';
import type { Times } from '../lanes/lane.ts';
import { finish } from '../lanes/lane.ts';
import { repeatOfLost } from './lost-repeats.ts';
import { settleCarried } from './own-effect.ts';
import type { UpdateRef } from '../../ports/ledger.ts';
import type { Tx } from '../../ports/transaction.ts';
import { completionsStream } from '../../ports/streams.ts';
import { isUndecided, isVerifying, proofOf } from '../doubts/proof.ts';
import type { WorkingSet } from '../lanes/working-set.ts';

/** The accepted update with the same command ID as a duplicate. */
export interface Duplicate extends Pick<UpdateRef, 'updateId' | 'workflowId'> {
  readonly offset: bigint;
}

/** An answer to an attempt, with the data read from the ledger to judge it. */
export interface AnsweredAttempt {
  readonly submissionId: SubmissionId;
  readonly answer: LedgerAnswer;
  /** Offset of the answer; `null` if it did not arrive as a completion. */
  readonly offset: bigint | null;
  /** Traffic paid for the attempt, in bytes, if the participant reports it. */
  readonly cost?: bigint;
  /** The ledger end of the change's participant, read after `times.now`; `null` when it could not be read. */
  readonly ledgerEnd: bigint | null;
  /** For a duplicate of an accepted command: the accepted update, or `null` if it is not visible to us. */
  readonly duplicate: Duplicate | null;
}

/**
 * @param before the previous wait: a new wait of the same kind keeps its `since`, even if an attempt was made in
 * between
 */
export const waiting = (
  kind: WaitingFor['kind'],
  detail: string,
  times: Times,
  before: WaitingFor | null = null,
): WaitingFor => {
  const same = [before, before?.after].find((earlier) => earlier?.kind === kind);
  const after = before?.kind === kind ? before.after : undefined;
  return {
    kind,
    detail,
    since: same?.since ?? times.now,
    ...(after === undefined ? {} : { after }),
  };
};

export const later = (times: Times, delayMs: number): string =>
  new Date(Date.parse(times.now) + delayMs).toISOString();

/**
 * Returns how far an attempt came. A refused command has reached the network if the network judged it, or if it was
 * paid for; many completions report commands that were never sent.
 */
const reachOf = ({ answer, cost, offset }: AnsweredAttempt): Reach => {
  if (!answer.heard || isUnreachable(answer)) return 'nobody';
  const isPaid = cost !== undefined && answer.class !== 'no-traffic';
  return offset !== null && (isPaid || isVerdict(answer.code)) ? 'network' : 'participant';
};

/**
 * Returns the row of an answer. An indefinite answer decides nothing. The answer "submission in flight" is indefinite:
 * the ledger may have received this attempt twice, and the first copy may be the one in flight.
 */
const answerRow = (from: AnsweredAttempt, times: Times): AttemptAnswer => {
  const verdict = from.answer.definite ? 'refused' : 'unknown';
  return {
    at: times.now,
    verdict,
    ledgerCode: from.answer.code,
    explanation: from.answer.explanation,
    offset: from.offset,
    ...(from.cost === undefined ? {} : { cost: from.cost }),
    ...(from.answer.takesNoTry && verdict === 'refused' ? { unsent: true } : {}),
  };
};

/** Records that the ledger accepted an attempt. The change ends once the update has been projected. */
export function recordAcceptance(
  ws: WorkingSet,
  change: Change,
  { submissionId, cost }: Pick<AnsweredAttempt, 'submissionId' | 'cost'>,
  update: { readonly updateId: UpdateId; readonly offset: bigint },
  times: Times,
): void {
  ws.answerAttempt(
    submissionId,
    {
      at: times.now,
      verdict: 'accepted',
      ledgerCode: null,
      explanation: 'the ledger accepted the command',
      offset: update.offset,
      ...(cost === undefined ? {} : { cost }),
    },
    'network',
  );
  if (!isOpen(change.state)) return;
  ws.putChange({
    ...change,
    acceptance: { ...update, readBack: false },
    ...NOT_VERIFYING,
    waitingFor: waiting('projection', `the query store has not seen ${update.updateId} yet`, times),
  });
  ws.effectDone(change.id);
}

/**
 * Returns whether a person has to decide. A doubt that concerns only attempts ends once each attempt has a definite
 * refusal. A duplicate is no such refusal, because it means that the ledger accepted another attempt.
 */
const isDoubted = ({ state }: Change, attempts: readonly Attempt[]): boolean =>
  state === 'in-doubt' &&
  attempts.some((one) => isUndecided(one) || one.answer?.ledgerCode === CODES.duplicate);

/** Records a refusal, or an answer with an uncertain outcome. Only the change at the head of a lane can be answered. */
export async function recordRefusal(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  from: AnsweredAttempt,
  times: Times,
  random: number,
): Promise<void> {
  const before = await ws.attemptsOf(tx, change.id);
  const others = before.filter((attempt) => attempt.submissionId !== from.submissionId);
  ws.answerAttempt(from.submissionId, answerRow(from, times), reachOf(from));
  const opened = circuitOf(from.answer);
  if (opened !== null) {
    const { participant } = change.submitter;
    ws.openCircuit({ participant, ledgerCode: from.answer.code, ...opened });
  }
  // A success that the streams have delivered takes precedence over a late refusal.
  if (!isOpen(change.state) || change.acceptance !== null) return;
  // If the change waits for a person, or for the proof that nothing took effect, only a success still changes its
  // state. A verification counts from its beginning: see `settleVerified`.
  if (change.proofAt !== null) {
    // After this answer, fewer attempts may be undecided, or none.
    const proofAt = proofOf(await ws.attemptsOf(tx, change.id)) ?? BEGIN_OF_TIME;
    ws.putChange({ ...change, proofAt });
  }
  const attempts = await ws.attemptsOf(tx, change.id);
  const isResolving = isDoubted(change, attempts) || isVerifying(change);
  if (isResolving && from.answer.class !== 'done') return;
  if (isTooEarly(ws, change, from)) {
    awaitReplay(ws, change);
    return;
  }
  if (from.answer.class === 'done') return recordDuplicate(ws, tx, change, from, others, times);
  const own = attempts.find(({ submissionId }) => submissionId === from.submissionId);
  const unsent = own?.unsent?.tries ?? 0;
  const again = {
    timesInARow: unsent + timesInARow(others, from.answer.code),
    random,
    namesContract: ws.model.operation(change.operation).command.kind === 'choice',
  };
  const decision = decide(change, from.answer, attempts.filter(isUndecided).length, again);
  if (decision.kind === 'prove') {
    awaitProof(ws, change, decision.refusal, attempts, from.answer.explanation, times);
    return;
  }
  await apply(ws, tx, change, decision, from, times);
}

/** Returns how many of the newest attempts, counted back from the last one, have this code. */
export function timesInARow(others: readonly Attempt[], code: string): number {
  const differs = others.findLastIndex(({ answer }) => answer?.ledgerCode !== code);
  return others.length - 1 - differs;
}

/**
 * Records that a command with this ID was accepted before. An update with our workflow ID is our own success, once it
 * has been projected; any other update is another client's, or that of a lost operation. One of our attempts may have
 * been delivered twice, so a single attempt proves nothing.
 */
async function recordDuplicate(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  from: AnsweredAttempt,
  others: readonly Attempt[],
  times: Times,
): Promise<void> {
  const { duplicate } = from;
  if (duplicate === null) return awaitDuplicate(ws, tx, change, from, others, times);
  if (duplicate.workflowId !== workflowIdOf(change.id)) {
    return refuseDuplicate(ws, tx, change, { from, others, duplicate }, times);
  }
  awaitReadBack(ws, change, duplicate, times);
  return undefined;
}

/** Waits for the update accepted under the change's command ID; the projection shows whether it is the effect. */
export function awaitReadBack(
  ws: WorkingSet,
  change: Change,
  { updateId, offset }: Pick<Duplicate, 'updateId' | 'offset'>,
  times: Times,
): void {
  const detail = `the ledger accepted an attempt as ${updateId}; the query store has not seen this update yet`;
  ws.putChange({
    ...change,
    acceptance: { updateId, offset, readBack: true },
    ...NOT_VERIFYING,
    waitingFor: waiting('projection', detail, times),
  });
  ws.effectDone(change.id);
}

/**
 * Returns whether an answer must not decide the change yet: during the replay of a restored database, the ledger may
 * still deliver the outcome of another attempt, which the database may lack. Only a duplicate that carries our workflow
 * ID shows an outcome.
 */
const isTooEarly = (ws: WorkingSet, change: Change, { answer, duplicate }: AnsweredAttempt) =>
  ws.isReplaying(change) &&
  !(answer.class === 'done' && duplicate?.workflowId === workflowIdOf(change.id));

/** Submits a change again after the replay, whatever was answered during the replay. */
function awaitReplay(ws: WorkingSet, change: Change): void {
  if (change.state !== 'in-doubt' && !isVerifying(change)) ws.effectDue(change.id, 0);
}

/**
 * Refuses a change because another success with the same command ID blocks it, for as long as the ledger remembers that
 * success. If an attempt is undecided, it may have come before that success.
 */
async function refuseDuplicate(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  {
    from,
    others,
    duplicate,
  }: {
    readonly from: AnsweredAttempt;
    readonly others: readonly Attempt[];
    readonly duplicate: Duplicate;
  },
  times: Times,
): Promise<void> {
  if (change.state === 'in-doubt' || isVerifying(change)) return;
  const error = (await repeatOfLost(tx, change, duplicate)) ?? usedElsewhere(change);
  await refuseOnceOver(ws, tx, change, { error, others, why: from.answer.explanation }, times);
}

/**
 * Refuses a change whose command ID has been used, once no undecided attempt can take effect any more.
 *
 * @param others the attempts that may be undecided
 */
export async function refuseOnceOver(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  {
    error,
    others,
    why,
  }: {
    readonly error: ProblemDetails;
    readonly others: readonly Attempt[];
    readonly why: string;
  },
  times: Times,
): Promise<void> {
  if (others.some(isUndecided))
    awaitProof(ws, change, error, await ws.attemptsOf(tx, change.id), why, times);
  else await finish(ws, tx, change, { state: 'rejected', result: null, error }, times);
}

/**
 * Waits for an accepted update that the participant does not show. The query store may have the update; otherwise its
 * completion is still to come. If neither arrives, only a person can find out what the update did.
 */
async function awaitDuplicate(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  from: AnsweredAttempt,
  others: readonly Attempt[],
  times: Times,
): Promise<void> {
  if (await settleCarried(ws, tx, change, times)) return;
  if (change.state === 'in-doubt' || isVerifying(change)) return;
  const { code, duplicateOf } = from.answer;
  const where = duplicateOf?.offset == null ? '' : ` at offset ${duplicateOf.offset}`;
  const accepted = `the participant reports that the command ID was accepted${where}`;
  if (timesInARow(others, code) + 1 >= LIMITS.duplicatesUnreadMax) {
    doubt(ws, change, `${accepted}; neither the update nor the completion can be read`, times);
    return;
  }
  const detail = `${accepted}; Tenure waits for the completion`;
  ws.putChange({ ...change, waitingFor: waiting('ledger', detail, times, change.waitingFor) });
}

const usedElsewhere = ({ commandId }: Change): ProblemDetails =>
  problem(
    'COMMAND_ID_USED_ELSEWHERE',
    `commandId ${commandId} was used by another client of the participant`,
    { ledgerCode: CODES.duplicate },
  );

/**
 * Returns the wait until the next attempt. An unreachable participant is probed until it answers; missing traffic must
 * be bought by a person.
 */
function waitingAgain(
  answer: LedgerAnswer,
  dueAt: string,
  { waitingFor }: Change,
  times: Times,
): WaitingFor {
  const { class: kind, explanation, waitsFor } = answer;
  if (kind === 'no-traffic')
    return waiting('traffic', untilTraffic(explanation), times, waitingFor);
  if (isUnreachable(answer))
    return waiting('participant', untilReached(explanation), times, waitingFor);
  const detail = `${explanation}; the next attempt is at ${dueAt}`;
  return { ...waiting(waitsFor ?? 'backoff', detail, times, waitingFor), until: dueAt };
}

async function apply(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  decision: Exclude<Decision, { kind: 'prove' }>,
  from: AnsweredAttempt,
  times: Times,
): Promise<void> {
  const { explanation } = from.answer;
  switch (decision.kind) {
    case 'retry': {
      const dueAt = later(times, decision.delayMs);
      const attempts = decision.free ? change.attempts : change.attempts + 1;
      const waitingFor = waitingAgain(from.answer, dueAt, change, times);
      ws.putChange({ ...change, state: 'retrying', attempts, waitingFor });
      ws.effectDue(change.id, decision.delayMs);
      return undefined;
    }
    case 'await':
      ws.putChange({
        ...change,
        waitingFor: waiting('ledger', explanation, times, change.waitingFor),
      });
      return undefined;
    case 'resolve':
      resolve(ws, change, from, times);
      return undefined;
    case 'renew':
      return renew(ws, tx, change, explanation, times);
    case 'readdress': {
      const submitter = { ...change.submitter, ledgerUser: decision.ledgerUser };
      const waitingFor = waiting('queue', explanation, times);
      ws.putChange({ ...change, submitter, state: 'retrying', waitingFor });
      ws.effectDue(change.id, decision.delayMs);
      return undefined;
    }
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

/**
 * Submits the change again with a current deduplication offset: no attempt can have taken effect, and the earlier
 * offset is older than the ledger remembers.
 */
export async function renew(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  why: string,
  times: Times,
): Promise<void> {
  const cursors = await tx.cursors();
  const now = cursors.get(completionsStream(change.submitter.participant));
  assert(now !== undefined, 'a change is recorded once its participant is followed');
  ws.putChange({
    ...change,
    ...NOT_VERIFYING,
    state: 'retrying',
    attempts: change.attempts + 1,
    deduplicationOffset: now,
    waitingFor: waiting('queue', `${why}; no attempt took effect`, times),
  });
  ws.effectDue(change.id, 0);
}

/** Puts a change in doubt: it blocks its lane until a person has decided. */
export function doubt(ws: WorkingSet, change: Change, why: string, times: Times): void {
  ws.putChange({
    ...change,
    state: 'in-doubt',
    ...NOT_VERIFYING,
    waitingFor: waiting('person', why, times),
  });
  ws.effectDone(change.id);
}

/** Handles an archived contract: waits until the store knows everything that the participant knew when it answered. */
function resolve(ws: WorkingSet, change: Change, from: AnsweredAttempt, times: Times): void {
  const { explanation } = from.answer;
  const attempts = change.attempts + 1;
  if (from.ledgerEnd === null) {
    const dueAt = later(times, LIMITS.unavailableBackoffMs);
    const detail = `${explanation}; the participant does not report its ledger end; the next check is at ${dueAt}`;
    const waitingFor = { ...waiting('ledger', detail, times, change.waitingFor), until: dueAt };
    ws.putChange({ ...change, state: 'retrying', attempts, waitingFor });
    ws.effectDue(change.id, LIMITS.unavailableBackoffMs);
    return;
  }
  const detail = `${explanation}; Tenure checks that no attempt took effect up to offset ${from.ledgerEnd}`;
  const waitingFor = waiting('ledger', detail, times);
  ws.putChange({ ...change, state: 'retrying', attempts, verifyAt: from.ledgerEnd, waitingFor });
}

/**
 * Waits until the ledger's time proves that no undecided attempt can take effect any more. During the wait nothing is
 * submitted, so that the bound does not move.
 *
 * @param refusal the error with which the change then ends; `null` to submit it again with a new deduplication offset
 */
export function awaitProof(
  ws: WorkingSet,
  change: Change,
  refusal: ProblemDetails | null,
  attempts: readonly Attempt[],
  why: string,
  times: Times,
): void {
  const proofAt = proofOf(attempts);
  assert(proofAt !== null, 'only of an undecided attempt something is to be proved');
  const until =
    proofAt === NOT_YET_KNOWN
      ? 'the participant has reported its time'
      : `the ledger’s time has passed ${proofAt}`;
  const detail = `${why}; an earlier attempt may still take effect until ${until}`;
  ws.putChange({
    ...change,
    state: 'retrying',
    verifyAt: 0n,
    proofAt,
    pendingRefusal: refusal,
    waitingFor: waiting('ledger', detail, times, change.waitingFor),
  });
  ws.effectDone(change.id);
}
