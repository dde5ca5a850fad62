import type { Caller } from '../domain/caller.ts';
import type { Change, ChangeState } from '../domain/change.ts';
import type { ChangeId, UpdateId } from '../domain/ids.ts';
import { fail, problem } from '../domain/problems.ts';
import type { Times } from './lane.ts';
import { finish } from './lane.ts';
import { isUndecided, waiting } from './outcomes.ts';
import { isOwnEffect, succeed } from './own-effect.ts';
import type { AppliedUpdate, Io, LedgerClock, Signals, Store, Tx, WallClock } from './ports.ts';
import { completionsStream } from './ports.ts';
import { WorkingSet } from './working-set.ts';

/**
 * What a person can find about a change in doubt.
 *
 * - `took-effect`: one of its attempts was accepted; the change succeeds.
 * - `no-effect`: none was, and none will be; the change fails.
 * - `submit-again`: none was; it is submitted anew, deduplicated from now on.
 */
export const DECISIONS = ['took-effect', 'no-effect', 'submit-again'] as const;
export type DoubtDecision = (typeof DECISIONS)[number];

export interface DecideDoubt {
  readonly changeId: ChangeId;
  readonly decision: DoubtDecision;
  /** Why, for those who read it later. */
  readonly reason: string;
  /** With `took-effect`: the update that it was, where it can be named. */
  readonly updateId?: UpdateId;
}

export interface DecideDoubtDeps {
  readonly store: Store;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  readonly signals: Signals;
}

interface Deciding {
  readonly tx: Tx;
  readonly ws: WorkingSet;
  readonly change: Change;
  readonly asked: DecideDoubt;
  readonly times: Times;
  /** Who decides, for the record of attempts. */
  readonly subject: string;
}

const contradicted = (message: string): never => fail('DECISION_CONTRADICTED', message);

/** What is known of an update that the query store does not hold. */
const unseen = (change: Change): AppliedUpdate => ({
  updateId: '' as UpdateId,
  offset: 0n,
  commandId: change.commandId,
  workflowId: '',
  created: [],
  exercised: [],
});

async function tookEffect({ tx, ws, change, asked, times }: Deciding): Promise<ChangeState> {
  const { updateId } = asked;
  let applied: AppliedUpdate | null = null;
  if (updateId !== undefined) {
    applied = await tx.appliedUpdate(updateId);
    if (applied === null) contradicted(`the query store holds no update ${updateId}`);
    else if (!(await isOwnEffect(ws, tx, change, applied)))
      contradicted(`update ${updateId} did not do what the operation asked for`);
  }
  await succeed(ws, tx, change, applied ?? unseen(change), times);
  return 'succeeded';
}

/** Nothing that is known to have happened can be decided away. */
async function requireNoEffect({ tx, ws, change }: Deciding): Promise<void> {
  const carried = await tx.updateCarrying(change.id);
  if (carried === null || !(await isOwnEffect(ws, tx, change, carried))) return;
  contradicted(`update ${carried.updateId} is the effect of the operation`);
}

async function answerUndecided({ tx, ws, change, asked, times, subject }: Deciding): Promise<void> {
  for (const attempt of (await ws.attemptsOf(tx, change.id)).filter(isUndecided)) {
    ws.answerAttempt(attempt.submissionId, {
      at: times.now,
      verdict: 'refused',
      ledgerCode: null,
      explanation: `${subject} has found that it took no effect: ${asked.reason}`,
      offset: null,
    });
  }
}

async function noEffect(deciding: Deciding): Promise<ChangeState> {
  const { ws, tx, change, asked, times, subject } = deciding;
  await requireNoEffect(deciding);
  await answerUndecided(deciding);
  const error = problem(
    'DECIDED_NO_EFFECT',
    `${subject} has found that it took no effect: ${asked.reason}`,
  );
  await finish(ws, tx, change, { state: 'failed', result: null, error }, times);
  return 'failed';
}

async function submitAgain(deciding: Deciding): Promise<ChangeState> {
  const { ws, tx, change, times, subject } = deciding;
  await requireNoEffect(deciding);
  await answerUndecided(deciding);
  const cursors = await tx.cursors();
  const deduplicationOffset = cursors.get(completionsStream(change.submitter.participant));
  if (deduplicationOffset === undefined) {
    fail('STORE_NOT_READY', 'the query store does not follow the ledger yet');
  }
  ws.putChange({
    ...change,
    state: 'submitting',
    acceptance: null,
    attempts: 0,
    deduplicationOffset: deduplicationOffset ?? 0n,
    waitingFor: waiting('queue', `submitted again by the decision of ${subject}`, times),
  });
  ws.effectDue(change.id, times.now);
  return 'submitting';
}

const HOW: Readonly<Record<DoubtDecision, (deciding: Deciding) => Promise<ChangeState>>> = {
  'took-effect': tookEffect,
  'no-effect': noEffect,
  'submit-again': submitAgain,
};

/**
 * Records what a person has found about a change that is in doubt, and goes on with it. Also written down: who, when
 * and why.
 *
 * @returns the change as it is now
 * @throws ProblemError `OPERATION_NOT_FOUND`; `NOT_IN_DOUBT`; `DECISION_CONTRADICTED` when what the query store holds
 *   says otherwise
 */
export async function decideDoubt(
  deps: DecideDoubtDeps,
  caller: Caller,
  asked: DecideDoubt,
  io: Io,
): Promise<Change> {
  const times: Times = {
    now: new Date(deps.wallClock.nowMs()).toISOString(),
    ledgerNowMs: deps.ledgerClock.nowMs(),
  };
  const decided = await deps.store.transact(io, async (tx) => {
    const found = await tx.change(asked.changeId);
    if (found === null) return fail('OPERATION_NOT_FOUND', `no operation ${asked.changeId}`);
    const ws = new WorkingSet();
    ws.add(await tx.lock([found.lane]));
    // Read again: another may have decided while this one waited for the lane.
    const change = ws.change(found.id) ?? (await tx.change(found.id)) ?? found;
    if (change.state !== 'in-doubt') {
      return fail('NOT_IN_DOUBT', `operation ${change.id} is ${change.state}`, {
        extra: { state: change.state },
      });
    }
    const deciding = { tx, ws, change, asked, times, subject: caller.name };
    const to = await HOW[asked.decision](deciding);
    ws.recordAct({
      at: times.now,
      byParty: caller.party,
      bySubject: caller.subject,
      act: 'decided',
      changeId: change.id,
      from: change.state,
      to,
      reason: asked.reason,
      detail: {
        decision: asked.decision,
        ...(asked.updateId === undefined ? {} : { updateId: asked.updateId }),
      },
    });
    await tx.save(ws.writes());
    return ws.change(change.id) ?? change;
  });
  deps.signals.effectsDue();
  return decided;
}
