import type { Caller } from '../../domain/caller.ts';
import type { Change, ChangeState } from '../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../domain/change.ts';
import type { ChangeId, ParticipantName, UpdateId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { fail, problem } from '../../domain/problems.ts';
import type { Act } from '../../domain/act.ts';
import type { Times } from '../engine/lanes/lane.ts';
import { finish, timesOf } from '../engine/lanes/lane.ts';
import type { HearDeps } from '../engine/outcomes/hear-participant.ts';
import { hearAbout } from '../engine/outcomes/hear-participant.ts';
import { settleEffect } from '../engine/outcomes/no-effect.ts';
import { waiting } from '../engine/outcomes/outcomes.ts';
import { carriedEffect, isOwnEffect, succeed } from '../engine/outcomes/own-effect.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { Hosting } from '../ports/ledger.ts';
import type { AppliedUpdate, Store, Tx } from '../ports/transaction.ts';
import { UPDATES_STREAM, completionsStream } from '../ports/streams.ts';
import { isUndecided, proofOf, stillOpen } from '../engine/doubts/proof.ts';
import { standsPastBound } from './standing.ts';
import { requireReplayed } from '../engine/requests/judge-request.ts';
import { WorkingSet } from '../engine/lanes/working-set.ts';

/**
 * A person's finding about a change in doubt.
 *
 * - `took-effect`: one of the change's attempts was accepted; the change succeeds.
 * - `no-effect`: no attempt was accepted or will be; the change fails.
 * - `submit-again`: no attempt was accepted or will be; the change is submitted again with a current deduplication
 *   offset.
 */
export const DECISIONS = ['took-effect', 'no-effect', 'submit-again'] as const;
export type DoubtDecision = (typeof DECISIONS)[number];

export interface DecideDoubt {
  readonly changeId: ChangeId;
  readonly decision: DoubtDecision;
  /** The reason, for readers of the audit log. */
  readonly reason: string;
  /** For `took-effect`: the update that is the effect, if the person knows it. */
  readonly updateId?: UpdateId;
}

export interface DecideDoubtDeps extends HearDeps {
  readonly store: Store;
  readonly hosting: Pick<Hosting, 'projected' | 'provider'>;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
}

interface Deciding {
  readonly tx: Tx;
  readonly ws: WorkingSet;
  readonly change: Change;
  readonly asked: DecideDoubt;
  readonly times: Times;
  /** The person who decides, as recorded with the attempts. */
  readonly subject: string;
  readonly projected: ParticipantName;
}

const contradicted = (message: string, extra: JsonRecord = {}): never =>
  fail('DECISION_CONTRADICTED', message, { extra });

/** Stands for an update that the person cannot name: its contents and its offset are unknown. */
const NO_UPDATE = { updateId: trusted<UpdateId>(''), offset: 0n };

/** Returns the known facts about an update that the query store does not have. */
const unseen = (change: Change): AppliedUpdate => ({
  ...(change.acceptance ?? NO_UPDATE),
  commandId: change.commandId,
  workflowId: '',
  created: [],
  exercised: [],
});

/**
 * Refuses the decision `took-effect` if the effect would have archived a contract that is still active after the bound
 * of all attempts.
 */
async function requireNotStanding({ ws, tx, change }: Deciding): Promise<void> {
  const standing = await standsPastBound(ws, tx, change);
  if (standing === null) return;
  const { contractId, followedTo, overAt } = standing;
  const message =
    `contract ${contractId}, which the operation would have ended, is still active on the ledger at ${followedTo}, ` +
    `and no attempt can take effect after ${overAt}`;
  contradicted(message, { contractId, followedTo, overAt });
}

/** Records verdicts for the attempts, unless completions of them may still arrive. */
async function settleAttempts(
  { ws, tx, change, times }: Deciding,
  applied: AppliedUpdate,
): Promise<void> {
  const attempts = await ws.attemptsOf(tx, change.id);
  if ((await stillOpen(tx, change, attempts)) === null) settleEffect(ws, attempts, applied, times);
}

/**
 * Ends the change as successful. If no update is named, the lifecycle stays in the state that its contract shows: only
 * the ledger ends a lifecycle.
 */
async function tookEffect(deciding: Deciding): Promise<ChangeState> {
  const { tx, ws, change, asked, times } = deciding;
  const { updateId } = asked;
  let applied: AppliedUpdate | null = null;
  if (updateId === undefined) {
    await requireNotStanding(deciding);
  } else {
    applied = await tx.appliedUpdate(updateId);
    if (applied === null) contradicted(`the query store does not contain update ${updateId}`);
    else if (!(await isOwnEffect(ws, tx, change, applied)))
      contradicted(`update ${updateId} did not do what the operation requested`);
  }
  if (applied !== null) await settleAttempts(deciding, applied);
  await succeed(ws, tx, change, applied ?? unseen(change), times);
  return 'succeeded';
}

/** Refuses a decision that contradicts a known effect, whether or not the query store already has the update. */
async function requireNoEffect({ tx, ws, change }: Deciding): Promise<void> {
  const { acceptance } = change;
  if (acceptance !== null && !acceptance.readBack) {
    contradicted(`the ledger has accepted the operation as update ${acceptance.updateId}`);
  }
  const carried = await carriedEffect(ws, tx, change);
  if (carried === null) return;
  contradicted(`update ${carried.updateId} is the effect of the operation`);
}

/** Requires that no attempt can still be sequenced: the ledger would accept such an attempt, whatever the decision. */
async function requireAllOver({ tx, ws, change }: Deciding): Promise<void> {
  const attempts = await ws.attemptsOf(tx, change.id);
  const open = await stillOpen(tx, change, attempts);
  if (open === null) return;
  const until = proofOf(attempts);
  contradicted(`the operation ${open}`, until === null || until === NOT_YET_KNOWN ? {} : { until });
}

async function answerUndecided({ tx, ws, change, asked, times, subject }: Deciding): Promise<void> {
  for (const attempt of (await ws.attemptsOf(tx, change.id)).filter(isUndecided)) {
    ws.answerAttempt(attempt.submissionId, {
      at: times.now,
      verdict: 'refused',
      ledgerCode: null,
      explanation: `${subject} decided that the operation took no effect: ${asked.reason}`,
      offset: null,
    });
  }
}

async function noEffect(deciding: Deciding): Promise<ChangeState> {
  const { ws, tx, change, asked, times } = deciding;
  await requireNoEffect(deciding);
  await requireAllOver(deciding);
  await answerUndecided(deciding);
  const error = problem(
    'DECIDED_NO_EFFECT',
    `an operator decided that the operation took no effect: ${asked.reason}`,
  );
  await finish(ws, tx, change, { state: 'failed', result: null, error }, times);
  return 'failed';
}

/**
 * Returns the offset up to which everything that the ledger did for the change's participant is known. An effect after
 * it would be recognised as a duplicate, and one before it would have been found.
 */
async function knownEnd({ tx, change, projected }: Deciding): Promise<bigint> {
  const { participant } = change.submitter;
  const cursors = await tx.cursors();
  const completions = cursors.get(completionsStream(participant));
  const updates = participant === projected ? cursors.get(UPDATES_STREAM) : completions;
  if (completions === undefined || updates === undefined) {
    return fail('STORE_NOT_READY', 'the query store has not caught up with the ledger yet');
  }
  return completions < updates ? completions : updates;
}

async function submitAgain(deciding: Deciding): Promise<ChangeState> {
  const { ws, change, times, subject } = deciding;
  await requireNoEffect(deciding);
  await requireAllOver(deciding);
  await answerUndecided(deciding);
  const deduplicationOffset = await knownEnd(deciding);
  ws.putChange({
    ...change,
    state: 'submitting',
    acceptance: null,
    attempts: 0,
    deduplicationOffset,
    waitingFor: waiting('queue', `submitted again, as ${subject} decided`, times),
  });
  ws.effectDue(change.id, 0);
  return 'submitting';
}

const HOW: Readonly<Record<DoubtDecision, (deciding: Deciding) => Promise<ChangeState>>> = {
  'took-effect': tookEffect,
  'no-effect': noEffect,
  'submit-again': submitAgain,
};

/**
 * Requires that the caller may decide: if a change acted as the provider, only the provider may decide, whichever party
 * requested the change.
 */
export function requireDecider(
  { provider }: Pick<DecideDoubtDeps['hosting'], 'provider'>,
  { submitter }: Change,
  { party }: Caller,
): void {
  if (submitter.actAs !== provider || party === provider) return;
  fail(
    'FORBIDDEN',
    'the operation acted as the provider: only an operator of the provider may decide it',
  );
}

/** Like {@link decideDoubt}, but within an existing transaction. */
export async function decideWithin(
  tx: Tx,
  deps: Pick<DecideDoubtDeps, 'hosting' | 'model'>,
  decided: Omit<DecideDoubt, 'reason'>,
  act: Act,
  times: Times,
): Promise<Change> {
  const asked = { ...decided, reason: act.reason };
  const found = await tx.change(asked.changeId);
  if (found === null)
    return fail('OPERATION_NOT_FOUND', `operation ${asked.changeId} does not exist`);
  requireDecider(deps.hosting, found, act.by);
  const ws = new WorkingSet(deps.model);
  ws.add(await tx.lock([found.lane]));
  // Another person may have decided while this transaction waited for the lane.
  const change = (await ws.findChange(tx, found.id)) ?? found;
  if (change.state !== 'in-doubt') {
    return fail('NOT_IN_DOUBT', `operation ${change.id} is ${change.state}`, {
      extra: { state: change.state },
    });
  }
  requireReplayed(await tx.followed(), [change.submitter.participant]);
  const { projected } = deps.hosting;
  const deciding = { tx, ws, change, asked, times, subject: act.by.name, projected };
  const to = await HOW[asked.decision](deciding);
  ws.recordAct({
    at: times.now,
    byParty: act.by.party,
    bySubject: act.by.subject,
    act: 'decided',
    changeId: change.id,
    from: change.state,
    to,
    reason: act.reason,
    detail: {
      decision: asked.decision,
      ...(asked.updateId === undefined ? {} : { updateId: asked.updateId }),
      ...(act.actId === undefined ? {} : { actId: act.actId }),
    },
  });
  await tx.save(ws.writes());
  return ws.change(change.id) ?? change;
}

/**
 * Records a person's finding about a change in doubt, with person, time and reason, and continues the change.
 *
 * @returns the current change
 * @throws ProblemError `OPERATION_NOT_FOUND`; `FORBIDDEN`; `NOT_IN_DOUBT`; `DECISION_CONTRADICTED` if the query store
 * has evidence against the finding
 */
export async function decideDoubt(
  deps: DecideDoubtDeps,
  caller: Caller,
  asked: DecideDoubt,
  io: Io,
): Promise<Change> {
  await hearAbout(deps, asked.changeId, io);
  const times = timesOf(deps);
  const act = { by: caller, reason: asked.reason };
  return deps.store.transact(io, (tx) => decideWithin(tx, deps, asked, act, times));
}
