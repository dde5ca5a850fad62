import { LIMITS } from '../src/domain/limits.ts';
import type { Claim, Claimed, Outbox } from '../src/app/ports/outbox.ts';
import { createGathering, msUntil } from '../src/app/engine/lanes/gathering.ts';

/** A claim that waits for its batch. */
interface Waiting {
  readonly claim: Claim;
  readonly untilMs: number;
}

/**
 * Batches claims: claims that arrive while a transaction runs share the next transaction. A claim that arrives while
 * none runs is made at once. Claims that have to wait for locks are made one by one afterwards, so that other claims do
 * not wait for the same locks.
 *
 * A job whose signal is aborted stops waiting. Its claim is dropped, or made without being used, and the other claims
 * of the batch are not affected. A transaction has the longest deadline of its claims.
 */
export function claimingTogether(
  outbox: Pick<Outbox, 'startAttempt' | 'startAttempts'>,
): Outbox['startAttempt'] {
  const gather = createGathering<Waiting, Claimed>({
    max: LIMITS.claimBatchMax,
    // Batches the effects of one job.
    waitsForBreath: true,
    run: async (waiting, signal) => {
      const deadlineMs = msUntil(Math.max(...waiting.map(({ untilMs }) => untilMs)));
      const claims = waiting.map(({ claim }) => claim);
      const claimed = await outbox.startAttempts(claims, { signal, deadlineMs });
      return claimed.map((value) => ({ status: 'fulfilled', value }));
    },
  });
  return async (effect, dispatchNo, submissionId, io, isReached = false) => {
    const claim = { effect, dispatchNo, submissionId, isReached };
    const claimed = await gather({ claim, untilMs: performance.now() + io.deadlineMs }, io.signal);
    if (claimed !== 'apart') return claimed;
    return outbox.startAttempt(effect, dispatchNo, submissionId, io, isReached);
  };
}
