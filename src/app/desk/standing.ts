import type { Attempt, Change } from '../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../domain/change.ts';
import type { ContractId } from '../../domain/ids.ts';
import { isoToMs } from '../../domain/time.ts';
import { endsItsContract } from '../contract/operation.ts';
import type { Tx } from '../ports/transaction.ts';
import { isProven, isUndecided } from '../engine/doubts/proof.ts';
import type { WorkingSet } from '../engine/lanes/working-set.ts';

/**
 * Evidence in the store about a change that would have ended the contract that it was attempted on. Times are ISO 8601.
 */
export interface Standing {
  readonly contractId: ContractId;
  /** The record time up to which the store has followed the ledger. */
  readonly followedTo: string;
  /** The time after which nothing of the change can take effect. */
  readonly overAt: string;
}

/**
 * Checks whether every contract that a change may have ended is still active at a time after which nothing of
 * the change can take effect any more: then the change has had no effect.
 *
 * @returns `null` if the store does not show that
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
  // If all attempts have a verdict, the acceptance of one was known by other means, so any of them is
  // possible.
  const possible = undecided.length > 0 ? undecided : attempts;
  const { contractId } = lifecycle;
  const isElsewhere = possible.some((attempt) => attempt.contractId !== contractId);
  const followedTo = await tx.provenTime(change.submitter.participant);
  if (possible.length === 0 || isElsewhere || followedTo === null) return null;
  const overAt = latest(possible.map(overAtOf));
  return isProven(overAt, followedTo) ? { contractId, followedTo, overAt } : null;
}

/** A definitely refused attempt is over at its answer. */
const overAtOf = (attempt: Attempt): string =>
  isUndecided(attempt) ? (attempt.overAt ?? NOT_YET_KNOWN) : (attempt.answer?.at ?? NOT_YET_KNOWN);

const latest = (times: readonly string[]): string =>
  times.toSorted((a, b) => isoToMs(b) - isoToMs(a))[0] ?? NOT_YET_KNOWN;
