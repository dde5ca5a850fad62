import type { Attempt, Change } from '../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../domain/change.ts';
import type { ContractId } from '../../domain/ids.ts';
import { isoToMs } from '../../domain/time.ts';
import { endsItsContract } from '../contract/operation.ts';
import type { Tx } from '../ports/transaction.ts';
import { isProven, isUndecided } from '../engine/proof.ts';
import type { WorkingSet } from '../engine/working-set.ts';

/**
 * Evidence in the store about a change that would have ended the contract that it was attempted on. Times are ISO 8601.
 */
export interface Standing {
  readonly contractId: ContractId;
  /** Record time up to which the ledger has been followed. */
  readonly followedTo: string;
  /** Nothing of the change can take effect after that. */
  readonly overAt: string;
}

/**
 * Whether every contract that a change may have ended still stands at a time after which nothing of it can take effect
 * any more: then nothing has. `null` where the store does not show that.
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
  // Something else than an answer says that one of them was accepted.
  const possible = undecided.length > 0 ? undecided : attempts;
  const { contractId } = lifecycle;
  const isElsewhere = possible.some((attempt) => attempt.contractId !== contractId);
  const followedTo = await tx.provenTime(change.submitter.participant);
  if (possible.length === 0 || isElsewhere || followedTo === null) return null;
  const overAt = latest(possible.map(overAtOf));
  return isProven(overAt, followedTo) ? { contractId, followedTo, overAt } : null;
}

/** A definitely refused attempt is over with its answer. */
const overAtOf = (attempt: Attempt): string =>
  isUndecided(attempt) ? (attempt.overAt ?? NOT_YET_KNOWN) : (attempt.answer?.at ?? NOT_YET_KNOWN);

const latest = (times: readonly string[]): string =>
  times.toSorted((a, b) => isoToMs(b) - isoToMs(a))[0] ?? NOT_YET_KNOWN;
