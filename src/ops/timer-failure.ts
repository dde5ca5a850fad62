import { isMovedOn } from '../app/policies/fire-timer.ts';
import type { Timer, TimerMove } from '../app/ports/policies.ts';
import { backoffDelayMs } from '../domain/backoff.ts';
import type { Change } from '../domain/change.ts';
import { isOfEverything } from '../domain/ledger-codes.ts';
import { LIMITS } from '../domain/limits.ts';
import { OPS_LIMITS } from './limits.ts';

/**
 * Returns the next state of a timer whose change has ended without its effect. All times are wall time. Pure.
 *
 * @param isCertain whether the timer's time had certainly come when it fired
 */
export function afterFailure(
  timer: Timer,
  change: Pick<Change, 'state' | 'error'>,
  isCertain: boolean,
  wallNowMs: number,
): TimerMove['to'] {
  const { generation, failures, changeId } = timer;
  const givenUp = { generation, failures, notBefore: null, changeId, isGivenUp: true };
  // If a person has cancelled the change, the timer is given up.
  if (change.state === 'cancelled') return givenUp;
  const again = { ...givenUp, generation: generation + 1, changeId: null, isGivenUp: false };
  const after = (distanceMs: number): string => new Date(wallNowMs + distanceMs).toISOString();
  // The process that judged the change as outdated may have another clock. Without a delay, a timer that is due only by
  // this process's clock would be recorded and ended again and again.
  if (change.error?.code === 'POLICY_OUTDATED') {
    return { ...again, notBefore: after(OPS_LIMITS.timerPutOffMs) };
  }
  // A person has decided that the change took effect, but its effect is not visible yet.
  if (change.state === 'succeeded')
    return { ...again, notBefore: after(OPS_LIMITS.timerBackoffMs) };
  if (isMovedOn(change.error?.code)) return again;
  // A refusal that any contract would get, or that came too early, does not count against this timer: only the whole
  // policy pauses.
  const isItsOwn = isCertain && !isOfEverything(change.error?.ledgerCode ?? '');
  const counted = failures + Number(isItsOwn);
  if (counted >= LIMITS.timerFailuresMax) return { ...givenUp, failures: counted };
  const { timerBackoffMs: firstMs, timerBackoffMsMax: maxMs } = OPS_LIMITS;
  const distanceMs = backoffDelayMs({ firstMs, maxMs, jitter: 0 }, failures);
  return { ...again, failures: counted, notBefore: after(distanceMs) };
}
