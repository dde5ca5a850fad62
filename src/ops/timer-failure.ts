import { isMovedOn } from '../app/policies/fire-timer.ts';
import type { Timer, TimerMove } from '../app/ports/policies.ts';
import { backoffDelayMs } from '../domain/backoff.ts';
import type { Change } from '../domain/change.ts';
import { isOfEverything } from '../domain/ledger-codes.ts';
import { LIMITS } from '../domain/limits.ts';
import { OPS_LIMITS } from './limits.ts';

/**
 * What becomes of a timer whose change has ended without doing what it was for. Pure; wall time.
 *
 * @param isCertain that it was its time
 */
export function afterFailure(
  timer: Timer,
  change: Pick<Change, 'state' | 'error'>,
  isCertain: boolean,
  wallNowMs: number,
): TimerMove['to'] {
  const { generation, failures, changeId } = timer;
  const givenUp = { generation, failures, notBefore: null, changeId, isGivenUp: true };
  // A person has said no.
  if (change.state === 'cancelled') return givenUp;
  const again = { ...givenUp, generation: generation + 1, changeId: null, isGivenUp: false };
  const after = (distanceMs: number): string => new Date(wallNowMs + distanceMs).toISOString();
  // Whoever judged it may have another clock: what is due by ours would be recorded and ended again and again.
  if (change.error?.code === 'POLICY_OUTDATED') {
    return { ...again, notBefore: after(OPS_LIMITS.timerPutOffMs) };
  }
  // A person has said that it took effect, and nothing of that is to be seen yet.
  if (change.state === 'succeeded')
    return { ...again, notBefore: after(OPS_LIMITS.timerBackoffMs) };
  if (isMovedOn(change.error?.code)) return again;
  // What would have been refused for any contract, or came too early, says nothing of this one: the policy cooldowns,
  // and goes on.
  const isItsOwn = isCertain && !isOfEverything(change.error?.ledgerCode ?? '');
  const counted = failures + Number(isItsOwn);
  if (counted >= LIMITS.timerFailuresMax) return { ...givenUp, failures: counted };
  const { timerBackoffMs: firstMs, timerBackoffMsMax: maxMs } = OPS_LIMITS;
  const distanceMs = backoffDelayMs({ firstMs, maxMs, jitter: 0 }, failures);
  return { ...again, failures: counted, notBefore: after(distanceMs) };
}
