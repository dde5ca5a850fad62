import type { Attempt, Change } from '../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../domain/change.ts';
import type { ContractId } from '../../domain/ids.ts';
import { isoToMs } from '../../domain/time.ts';
import { endsItsContract } from '../contract/operation.ts';
import type { Tx } from '../ports/transaction.ts';
import { isProven, isUndecided } from '../engine/doubts/proof.ts';
import type { WorkingSet } from '../engine/lanes/working-set.ts';

/**
 * Evidence in the store that a change had no effect: the change would have archived the contract on which it was
 * attempted. Times are ISO 8601.
 */
export interface Standing {
  readonly contractId: ContractId;
  /** The record time up to which the store has followed the ledger. */
  readonly followedTo: string;
  /** The time after which no attempt of the change can take effect. */
  readonly overAt: string;
}

/**
 * Checks whether every contract that the change may have archived is still active at a time after which the change can
 * no longer take effect: then the change has had no effect.
 *
 * @returns `null` if the store does not show this
 */
export async function standsPastBound(
  ws: WorkingSet,
  tx: Tx,
  change: Change,
): Promise<Standing | null> {
  const lifecycle = change.lifecycleId === null ? undefined : ws.lifecycle(change.lifecycleId);
  if (
    !endsItsContract(ws.model.operation(change.operation)) ||
    lifecycle === undefined ||
    lifecycle.endedAt !== null
  )
    return null;
  const attempts = await ws.attemptsOf(tx, change.id);
  const undecided = attempts.filter(isUndecided);
  // If all attempts have a verdict, one was accepted according to another source, and it may be any of them.
  const possible = undecided.length > 0 ? undecided : attempts;
  const { contractId } = lifecycle;
  const isElsewhere = possible.some((attempt) => attempt.contractId !== contractId);
  const followedTo = await tx.provenTime(change.submitter.participant);
  if (possible.length === 0 || isElsewhere || followedTo === null) return null;
  const overAt = latest(possible.map(overAtOf));
  return isProven(overAt, followedTo) ? { contractId, followedTo, overAt } : null;
}

/**
 * Returns the time after which an attempt cannot take effect. For a definitely refused attempt, this is the time of its
 * answer.
 */
const overAtOf = (attempt: Attempt): string =>
  isUndecided(attempt) ? (attempt.overAt ?? NOT_YET_KNOWN) : (attempt.answer?.at ?? NOT_YET_KNOWN);

const latest = (times: readonly string[]): string =>
  times.toSorted((a, b) => isoToMs(b) - isoToMs(a))[0] ?? NOT_YET_KNOWN;
