import { originOf } from '../../../domain/automatic.ts';
import type { Change, ChangeResult, ChangeState, WaitingFor } from '../../../domain/change.ts';
import type { LaneId, LifecycleId } from '../../../domain/ids.ts';
import { BEGIN_OF_TIME } from '../../../domain/ledger.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { NOT_VERIFYING, isAtHead } from '../../../domain/change.ts';
import type { ProblemDetails } from '../../../domain/problems.ts';
import { problem } from '../../../domain/problems.ts';
import { assert } from '../../../domain/unreachable.ts';
import type { Circumstances } from '../../../../machines/machine-kit.ts';
import { isOfAnother } from '../../contract/operation.ts';
import { actionEvent, actionOf, allowedNow, refusalReason } from './allowed.ts';
import { outdatedMessage } from './outdated.ts';
import { stepForChange } from './lifecycles.ts';
import type { LedgerClock, WallClock } from '../../ports/clocks.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { Io } from '../../ports/io.ts';
import { isReadAgain } from '../../ports/streams.ts';
import type { Store, Tx } from '../../ports/transaction.ts';
import type { InterruptedLane } from '../../ports/writes.ts';
import { WorkingSet } from './working-set.ts';

/** The times that a decision may need: wall time for rows, ledger time for guards. */
export interface Times {
  /** ISO 8601. */
  readonly now: string;
  /** See `LedgerClock.nowMs` and `certainMs`. */
  readonly ledgerNowMs: number;
  readonly ledgerCertainMs: number;
}

/** Returns the current times. */
export const timesOf = ({
  wallClock,
  ledgerClock,
}: {
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
}): Times => ({
  now: new Date(wallClock.nowMs()).toISOString(),
  ledgerNowMs: ledgerClock.nowMs(),
  ledgerCertainMs: ledgerClock.certainMs(),
});

const waitingForQueue = (now: string): WaitingFor => ({
  kind: 'queue',
  detail: 'a worker is about to submit the command',
  since: now,
});

/** Returns the circumstances by which a machine judges a change whose turn it is. */
const circumstances = (
  ws: WorkingSet,
  { lane, lifecycleId, body }: Change,
  times: Times,
): Circumstances => ({
  nowMs: times.ledgerNowMs,
  certainMs: times.ledgerCertainMs,
  around: ws
    .lifecyclesIn(lane)
    .filter(({ originId }) => originId !== null && originId === lifecycleId),
  body,
});

/** Returns the origin that a change names for its lifecycle; `undefined` if the change names none. */
const namedOrigin = (ws: WorkingSet, { operation, fixed }: Change): LifecycleId | undefined => {
  const { through } = ws.model.operation(operation);
  return through?.another === undefined ? undefined : through.idOf(fixed);
};

/** Returns the refusal of a change that names an origin other than its lifecycle's, or `null`. */
function anotherOrigin(
  ws: WorkingSet,
  lifecycle: Lifecycle,
  change: Change,
): ProblemDetails | null {
  const { through } = ws.model.operation(change.operation);
  const refusal = through?.another;
  if (refusal === undefined || !isOfAnother(lifecycle, namedOrigin(ws, change) ?? null))
    return null;
  const { code, explanation } = refusal;
  return problem(code, explanation, {
    extra: { lifecycleId: lifecycle.id, originId: lifecycle.originId },
  });
}

/** Sets the origin of a lifecycle that has none to the one that the change names, whatever the outcome of the step. */
function bind(ws: WorkingSet, change: Change): void {
  const lifecycle = change.lifecycleId === null ? undefined : ws.lifecycle(change.lifecycleId);
  const originId = namedOrigin(ws, change);
  if (originId === undefined || lifecycle === undefined || lifecycle.originId !== null) return;
  ws.putLifecycle({ ...lifecycle, originId });
}

/** Returns the problem that explains to a caller why the machine does not accept the change at its turn. */
function refusal(
  ws: WorkingSet,
  lifecycle: Lifecycle | undefined,
  change: Change,
  now: Circumstances,
): ProblemDetails {
  const { action } = ws.model.operation(change.operation);
  if (lifecycle === undefined || action === null) {
    return problem('NOT_FOUND', `nothing is known of the contract of ${change.operation}`);
  }
  const { word } = ws.model.lifecycle(lifecycle.kind);
  const extra = {
    lifecycleId: lifecycle.id,
    state: lifecycle.state,
    allowedActions: allowedNow(ws.model, lifecycle, now),
  };
  if (lifecycle.endedAt !== null) {
    const message = `${word} ${lifecycle.contractId} is no longer active: it is ${lifecycle.state}`;
    return problem('LIFECYCLE_ENDED', message, { extra });
  }
  const asked = actionOf(ws.model, lifecycle, action);
  const awaited = asked.awaits?.(now) ?? null;
  if (awaited !== null) {
    const message = `${action} is refused: the ledger has not reported a time after ${awaited.of}, ${awaited.at}; try again in a few seconds`;
    return problem('STEP_NOT_ALLOWED', message, {
      extra: { ...extra, ledgerTimeAwaited: awaited.at },
    });
  }
  const reason = refusalReason(ws.model, lifecycle, asked, now);
  return problem(
    'STEP_NOT_ALLOWED',
    `${action} is refused: ${reason ?? 'the step is not possible now'}`,
    {
      extra,
    },
  );
}

/**
 * Returns why a policy would no longer make this change, judging by the lane's state, or `null`. The policy's other
 * inputs are judged before each attempt: see `judgeAgain`.
 */
export function outdated(ws: WorkingSet, change: Change, times: Times): ProblemDetails | null {
  const origin = originOf(change);
  const lifecycle = change.lifecycleId === null ? undefined : ws.lifecycle(change.lifecycleId);
  if (origin === null || lifecycle === undefined || lifecycle.endedAt !== null) return null;
  const operation = ws.model.operation(change.operation);
  const why = operation.outdated?.(origin, lifecycle, circumstances(ws, change, times)) ?? null;
  if (why === null) return null;
  return problem('POLICY_OUTDATED', outdatedMessage(change, why), {
    extra: { lifecycleId: lifecycle.id, state: lifecycle.state },
  });
}

/**
 * Puts a change at the head of its lane if its lifecycle's machine accepts it now.
 *
 * @returns the refusal if the machine does not accept it; then nothing has been changed
 *
 * @example
 * const refused = begin(ws, change, timesOf(deps));
 * if (refused !== null) throw new ProblemError(refused);
 */
export function begin(ws: WorkingSet, change: Change, times: Times): ProblemDetails | null {
  const { action } = ws.model.operation(change.operation);
  if (action !== null) {
    const lifecycle = change.lifecycleId === null ? undefined : ws.lifecycle(change.lifecycleId);
    const now = circumstances(ws, change, times);
    if (lifecycle === undefined) return refusal(ws, lifecycle, change, now);
    const back = outdated(ws, change, times);
    if (back !== null) return back;
    const wrong = anotherOrigin(ws, lifecycle, change);
    if (wrong !== null) return wrong;
    const event = actionEvent(actionOf(ws.model, lifecycle, action), change.id, now);
    const origin = originOf(change);
    const why = origin === null ? {} : { policy: origin.name, reason: origin.reason };
    const taken = stepForChange(ws, change, event, times.now, why);
    if (!taken.taken) return refusal(ws, lifecycle, change, now);
    assert(
      taken.effects.length === 1 && taken.effects[0] === change.operation,
      'a step asked by a caller submits the command of its operation, and no other',
    );
    bind(ws, change);
  }
  const mailbox = ws.mailbox(change.lane);
  assert(mailbox.head === null, 'one change of a lane at a time');
  ws.putMailbox({ ...mailbox, head: change.id });
  ws.putChange({ ...change, state: 'submitting', waitingFor: waitingForQueue(times.now) });
  ws.newEffect(change.id, times.now);
  return null;
}

/** How a change ends: its state, and the result or error for its caller. */
export interface Ending {
  readonly state: Exclude<ChangeState, 'queued' | 'submitting' | 'retrying' | 'in-doubt'>;
  readonly result: ChangeResult | null;
  readonly error: ProblemDetails | null;
}

function ended(change: Change, ending: Ending, times: Times): Change {
  return {
    ...change,
    ...ending,
    finishedAt: times.now,
    waitingFor: null,
    ...NOT_VERIFYING,
  };
}

/** Ends the change at the head of its lane, steps its lifecycle, and starts the next waiting change. */
export async function finish(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  ending: Ending,
  times: Times,
): Promise<void> {
  assert(isAtHead(change.state), 'only the head of a lane ends and gives the turn on');
  const type = ending.state === 'succeeded' ? 'command.succeeded' : 'command.refused';
  const detail = ending.error === null ? {} : { code: ending.error.code };
  stepForChange(ws, change, { type, changeId: change.id }, times.now, detail);
  ws.putChange(ended(change, ending, times));
  ws.effectDone(change.id);
  ws.putMailbox({ ...ws.mailbox(change.lane), head: null });
  // Mailbox numbers increase, so every waiting change has a higher number than the one that ends.
  await giveTurn(ws, tx, change.lane, change.mailboxNo, times);
}

/** Ends a change that still waits for its turn; the other changes keep their places. */
export function leave(ws: WorkingSet, change: Change, ending: Ending, times: Times): void {
  assert(change.state === 'queued', 'only who waits for a turn can leave');
  const mailbox = ws.mailbox(change.lane);
  ws.putMailbox({ ...mailbox, waiting: mailbox.waiting - 1 });
  ws.putChange(ended(change, ending, times));
}

/** Loads the lifecycle that judges a change. It may belong to another lane, which is not locked, or have ended. */
async function seeLifecycle(ws: WorkingSet, tx: Tx, { lifecycleId }: Change): Promise<void> {
  if (lifecycleId === null || ws.lifecycle(lifecycleId) !== undefined) return;
  const found = await tx.findLifecycle(lifecycleId);
  if (found !== null) ws.addSeen(found);
}

/** Keeps a refused change at the head of its lane until the replay has shown whether the change took effect. */
function awaitReplay(ws: WorkingSet, change: Change, error: ProblemDetails, times: Times): void {
  const detail = 'the ledger is read again after a restore, and may tell that it took effect';
  ws.putMailbox({ ...ws.mailbox(change.lane), head: change.id });
  ws.putChange({
    ...change,
    state: 'retrying',
    verifyAt: 0n,
    proofAt: BEGIN_OF_TIME,
    pendingRefusal: error,
    waitingFor: { kind: 'projection', detail, since: times.now },
  });
}

/**
 * Starts the first waiting change that the machine accepts, and refuses the changes before it, in order. One
 * transaction ends a bounded number of changes: if more wait, the lane has no head afterwards, and `continueLane` ends
 * the rest.
 *
 * @param afterNo only changes after this mailbox number wait
 */
async function giveTurn(
  ws: WorkingSet,
  tx: Tx,
  lane: LaneId,
  afterNo: number,
  times: Times,
): Promise<void> {
  let judgedTo = afterNo;
  for (;;) {
    const mailbox = ws.mailbox(lane);
    if (mailbox.head !== null || mailbox.waiting === 0) return;
    if (ws.refused >= LIMITS.refusedTogetherMax) {
      ws.interruptLane(lane, judgedTo);
      return;
    }
    const next = await ws.nextQueued(tx, lane, judgedTo);
    assert(next !== undefined, 'a mailbox counts the changes that wait in it');
    judgedTo = next.mailboxNo;
    await seeLifecycle(ws, tx, next);
    ws.putMailbox({ ...mailbox, waiting: mailbox.waiting - 1 });
    const refused = begin(ws, next, times);
    if (refused === null) continue;
    if (ws.isReplaying(next)) {
      awaitReplay(ws, next, refused, times);
      continue;
    }
    ws.refused += 1;
    ws.putChange(ended(next, { state: 'rejected', result: null, error: refused }, times));
  }
}

export interface ContinueLanesDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
}

/**
 * Returns the interrupted lanes, even if the process that interrupted them has stopped. The lane whose last turn was
 * the longest ago comes first.
 */
export const findInterrupted = (
  { store }: Pick<ContinueLanesDeps, 'store'>,
  io: Io,
): Promise<readonly InterruptedLane[]> =>
  store.transact(io, (tx) => tx.interruptedLanes(LIMITS.interruptedLanesMax));

/**
 * Refuses a bounded number of changes that wait in an interrupted lane, and starts the first one that the machine
 * accepts.
 */
export async function continueLane(
  deps: ContinueLanesDeps,
  { lane, afterNo }: InterruptedLane,
  io: Io,
): Promise<void> {
  const times = timesOf(deps);
  await deps.store.transact(io, async (tx) => {
    const { replaying } = await tx.followed();
    const ws = new WorkingSet(deps.model, ({ submitter }) =>
      isReadAgain(replaying, submitter.participant),
    );
    ws.add(await tx.lock([lane]));
    ws.resumeLane(lane);
    await giveTurn(ws, tx, lane, afterNo, times);
    await tx.save(ws.writes());
  });
}
