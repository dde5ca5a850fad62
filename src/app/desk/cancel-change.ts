import type { Change } from '../../domain/change.ts';
import { isOpen } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import { fail, problem } from '../../domain/problems.ts';
import type { Ending, Times } from '../engine/lanes/lane.ts';
import { finish, leave, timesOf } from '../engine/lanes/lane.ts';
import type { HearDeps } from '../engine/outcomes/hear-participant.ts';
import { hearAbout } from '../engine/outcomes/hear-participant.ts';
import { requireReplayed } from '../engine/requests/judge-request.ts';
import { proveNoEffect } from '../engine/outcomes/no-effect.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { Store, Tx } from '../ports/transaction.ts';
import type { Act } from '../../domain/act.ts';
import { WorkingSet } from '../engine/lanes/working-set.ts';

export interface CancelChangeDeps extends HearDeps {
  readonly store: Store;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
}

const refused = (message: string, { state }: Change): never =>
  fail('NOT_CANCELLABLE', message, { extra: { state } });

/**
 * Requires that no attempt of the change can have or get an effect: each was definitely refused, or can no longer take
 * effect.
 */
async function requireNoEffect(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  times: Times,
): Promise<void> {
  if (change.state === 'in-doubt') refused('the operation is in doubt: decide it first', change);
  if (change.acceptance !== null) {
    refused(
      `the ledger has accepted the operation as update ${change.acceptance.updateId}`,
      change,
    );
  }
  // A worker locks the change when it commits an attempt, before it sends anything; the lock of the lane prevents that.
  const effect = await proveNoEffect(ws, tx, change, times);
  if (effect !== null) refused(`the operation ${effect}`, change);
}

/** Like {@link cancelChange}, but within an existing transaction. */
export async function cancelWithin(
  tx: Tx,
  { model }: Pick<CancelChangeDeps, 'model'>,
  changeId: ChangeId,
  act: Act,
  times: Times,
): Promise<Change> {
  const found = await tx.change(changeId);
  if (found === null) return fail('OPERATION_NOT_FOUND', `operation ${changeId} does not exist`);
  const ws = new WorkingSet(model);
  ws.add(await tx.lock([found.lane]));
  // The change may have been changed while this transaction waited for the lane.
  const change = (await ws.findChange(tx, found.id)) ?? found;
  if (!isOpen(change.state))
    return refused(`the operation has already ended: it is ${change.state}`, change);
  // After a restore, a change that took effect after the backup must not end as cancelled.
  requireReplayed(await tx.followed(), [change.submitter.participant]);
  const error = problem('CANCELLED', `an operator cancelled the operation: ${act.reason}`);
  const ending: Ending = { state: 'cancelled', result: null, error };
  if (change.state === 'queued') {
    leave(ws, change, ending, times);
  } else {
    await requireNoEffect(ws, tx, change, times);
    await finish(ws, tx, change, ending, times);
  }
  ws.recordAct({
    at: times.now,
    byParty: act.by.party,
    bySubject: act.by.subject,
    act: 'cancelled',
    changeId,
    from: change.state,
    to: 'cancelled',
    reason: act.reason,
    detail: act.actId === undefined ? {} : { actId: act.actId },
  });
  await tx.save(ws.writes());
  return ws.change(change.id) ?? change;
}

/**
 * Cancels a change before it has taken effect: a queued change, or the head of a lane whose attempts were all
 * definitely refused or can no longer take effect. The next change of the lane starts in the same transaction.
 *
 * @returns the current change
 * @throws ProblemError `OPERATION_NOT_FOUND`; `NOT_CANCELLABLE` if the change has ended, is in doubt, or may take
 * effect
 */
export async function cancelChange(
  deps: CancelChangeDeps,
  changeId: ChangeId,
  act: Act,
  io: Io,
): Promise<Change> {
  await hearAbout(deps, changeId, io);
  const times = timesOf(deps);
  return deps.store.transact(io, (tx) => cancelWithin(tx, deps, changeId, act, times));
}
