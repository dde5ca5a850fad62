import { blockedWithoutCause } from './blocked.ts';
import { wrongRows } from './contracts.ts';
import { endedAndActive } from './endings.ts';
import type { Evidence } from './evidence.ts';
import { expiredEarly } from './expiries.ts';
import { withoutAudit } from './histories.ts';
import { outOfTurn } from './lanes.ts';
import { submittedAsAnother } from './ledger-users.ts';
import { withTwoMeaningsOrEffects } from './meanings.ts';
import { brokenOffsets } from './offsets.ts';
import { withoutOneOutcome } from './outcomes.ts';
import { endedOutsidePolicy } from './policies.ts';
import { overWithoutProof } from './proofs.ts';
import { extendedAnother, paidTwice, renewedTwice } from './renewals.ts';
import { wrongLifecycles } from './replay.ts';
import { chargedTwice, missesStep, offeredWrongly } from './subscriptions.ts';
import { firedWrongly } from './timers.ts';
import type { InvariantId, Violation } from './violation.ts';
import { keyOf } from './violation.ts';
import { withoutStatedWait } from './waits.ts';
import { DOCTOR_LIMITS } from '../limits.ts';

export interface CheckOptions {
  /**
   * An effect that has been due for longer breaks I10, because no relay dispatches it; see `withoutStatedWait`.
   * Infinite if workers are stopped on purpose.
   */
  readonly overdueMs?: number;
}

export type Check = (evidence: Evidence, options: CheckOptions) => Violation[];

/**
 * All invariants, each as a function of the evidence alone. None reports work that is only in progress. I6, I17 and the
 * parts of I3 and I7 that compare with the ledger need the ledger's evidence. All other checks need only the store, and
 * their invariants hold between any two transactions.
 */
export const CHECKS: Readonly<Record<InvariantId, Check>> = {
  I1: renewedTwice,
  I2: paidTwice,
  I3: withoutOneOutcome,
  I4: withTwoMeaningsOrEffects,
  I5: expiredEarly,
  I6: (evidence) => [...wrongRows(evidence), ...wrongLifecycles(evidence)],
  I7: brokenOffsets,
  I8: outOfTurn,
  I9: firedWrongly,
  I10: (evidence, { overdueMs }) =>
    withoutStatedWait(evidence, overdueMs ?? DOCTOR_LIMITS.overdueMs),
  I11: withoutAudit,
  I12: endedOutsidePolicy,
  I13: endedAndActive,
  I14: overWithoutProof,
  I15: blockedWithoutCause,
  I16: extendedAnother,
  I17: submittedAsAnother,
  I18: missesStep,
  I19: offeredWrongly,
  I20: chargedTwice,
};

/** Checks the given invariants, by default all, and lists each violation once. */
export function violationsIn(
  evidence: Evidence,
  options: CheckOptions & { readonly only?: readonly InvariantId[] } = {},
): Violation[] {
  const ids = options.only ?? (Object.keys(CHECKS) as InvariantId[]);
  const found = ids.flatMap((id) => CHECKS[id](evidence, options));
  return [...new Map(found.map((violation) => [keyOf(violation), violation])).values()];
}
