import type { Attempt, AttemptAnswer, Change } from '../../../domain/change.ts';
import { carriedEffect } from './own-effect.ts';
import type { AppliedUpdate, Tx } from '../../ports/transaction.ts';
import { isUndecided, settleProven, stillOpen } from '../doubts/proof.ts';
import type { WorkingSet } from '../lanes/working-set.ts';

/*
 * Decides the outcome of attempts without an answer, once the streams have passed every time at which the attempts
 * could take effect.
 */

interface Now {
  readonly now: string;
}

/**
 * Returns why a change may have taken effect, as a phrase that follows the change's name. Returns `null` if it has not
 * and no longer can, and then records this for each of its attempts.
 */
export async function proveNoEffect(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
  times: Now,
): Promise<string | null> {
  const attempts = await ws.attemptsOf(tx, change.id);
  const accepted = attempts.find(({ answer }) => answer?.verdict === 'accepted');
  if (accepted !== undefined) return `took effect by attempt ${accepted.n}`;
  const open = await stillOpen(tx, change, attempts);
  if (open !== null || !attempts.some(isUndecided)) return open;
  const gap = await gapBehind(tx, change);
  if (gap !== null) return gap;
  const carried = await carriedEffect(ws, tx, change);
  if (carried !== null) return `took effect by update ${carried.updateId}`;
  settleProven(ws, attempts, times);
  return null;
}

/** Missing completions prove that nothing took effect only if the stream was read from the change's beginning on. */
async function gapBehind(tx: Tx, change: Change): Promise<string | null> {
  const { participant } = change.submitter;
  const from = await tx.followedFrom(participant);
  if (from !== null && from <= change.deduplicationOffset) return null;
  return `may have taken effect: Tenure has not read all completions of ${participant} after offset ${change.deduplicationOffset}`;
}

/**
 * Records for the undecided attempts of a change that an update is the change's effect. One attempt was accepted; the
 * others were not, because the ledger accepts a command once. If several attempts could have made the update, the first
 * one counts as accepted, and its explanation says so.
 */
export function settleEffect(
  ws: Pick<WorkingSet, 'answerAttempt'>,
  attempts: readonly Attempt[],
  applied: AppliedUpdate,
  times: Now,
): void {
  if (attempts.some(({ answer }) => answer?.verdict === 'accepted')) return;
  const exercised = new Set(applied.exercised.map(({ contractId }) => contractId));
  const undecided = attempts.filter(isUndecided);
  const possible = undecided.filter(
    ({ contractId }) => contractId === null || exercised.has(contractId),
  );
  const [first] = possible;
  if (first === undefined) return;
  for (const attempt of undecided) {
    ws.answerAttempt(
      attempt.submissionId,
      attempt === first
        ? acceptedBy(applied, possible.length > 1, times)
        : refusedBeside(applied, times),
    );
  }
}

const acceptedBy = (
  { updateId }: AppliedUpdate,
  isOneOfSeveral: boolean,
  { now }: Now,
): AttemptAnswer => ({
  at: now,
  verdict: 'accepted',
  ledgerCode: null,
  explanation: `update ${updateId} is what it did${isOneOfSeveral ? ', or what another attempt did that nobody answered' : ''}; no completion told of it`,
  offset: null,
});

const refusedBeside = ({ updateId }: AppliedUpdate, { now }: Now): AttemptAnswer => ({
  at: now,
  verdict: 'refused',
  ledgerCode: null,
  explanation: `the attempt took no effect: the operation took effect once, by update ${updateId}`,
  offset: null,
});
