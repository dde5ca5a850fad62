import { LIMITS } from '../src/domain/limits.ts';
import type { Claim, Claimed, Outbox } from '../src/app/ports/outbox.ts';
import { createGathering, msUntil } from '../src/app/engine/gathering.ts';

/** A claim that waits for its turn. */
interface Waiting {
  readonly claim: Claim;
  readonly untilMs: number;
}

/**
 * Claims together what comes while a claim is under way: one transaction, instead of one for each job. A claim that
 * finds none under way is made at once. Those that have to wait for others are made by themselves, so that nothing
 * waits with them.
 *
 * A job whose signal fires stops waiting, and what it asked for is not claimed any more, or claimed for nothing; its
 * neighbours are not told. A transaction has the time of the claim that may take longest.
 */
export function claimingTogether(
  outbox: Pick<Outbox, 'startAttempt' | 'startAttempts'>,
): Outbox['startAttempt'] {
  const gather = createGathering<Waiting, Claimed>({
    max: LIMITS.claimBatchMax,
    // The effects of one job.
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
