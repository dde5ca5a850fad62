import type { Change, Wait } from '../../domain/change.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ParticipantCause } from '../../domain/participant-health.ts';
import { worstOf } from '../../domain/participant-health.ts';
import type { Alarm } from '../ports/alarms.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';

/**
 * How long a change may wait for the same thing before operators get an alarm: a few times the slowest ordinary case. A
 * change that waits for a person causes an alarm at once.
 */
export const PATIENCE_MS: Readonly<Record<Wait, number>> = {
  mailbox: 10 * MINUTE_MS,
  queue: 15 * SECOND_MS,
  ledger: 2 * LIMITS.redispatchMs,
  registry: MINUTE_MS,
  participant: 2 * MINUTE_MS,
  backoff: 2 * LIMITS.unavailableBackoffMsMax,
  // Traffic credit does not increase by waiting, so the alarm comes early.
  traffic: 15 * SECOND_MS,
  projection: 30 * SECOND_MS,
  lease: 3 * LIMITS.leaseMs,
  person: 0,
  foreign: 0,
  // A paused change causes no alarm, because a person has paused it.
  pause: 10 * MINUTE_MS,
  // After a restart, a participant catches up within this time.
  behind: 5 * MINUTE_MS,
  // Twice the time that it takes for a bound to pass; a time advance is submitted every half minute.
  quiet: 5 * MINUTE_MS,
  // No further wait, because a synchronizer is reported as gone only after it was missing for a long time.
  gone: 0,
  // No further wait, because the change continues only after a person has corrected the clock.
  clock: 0,
  // After an ordinary restart, reading what was missed takes seconds.
  replay: MINUTE_MS,
};

/** The shortest time above zero: any other wait is overdue later. */
export const SHORTEST_MS = Math.min(...Object.values(PATIENCE_MS).filter((ms) => ms > 0));

/**
 * Returns the alarm about a change at the head of its lane, or `null`. Pure. Times are wall time.
 *
 * @param causes states of participants: changes for a participant with a foreign ledger wait for a person
 */
export function overdue(
  change: Change,
  nowMs: number,
  causes: readonly ParticipantCause[] = [],
): Omit<Alarm, 'raisedAt'> | null {
  const worst = worstOf(causes, change.submitter.participant);
  if (worst?.kind === 'foreign' && change.state !== 'in-doubt') {
    return { changeId: change.id, kind: 'foreign', since: worst.since, detail: worst.detail };
  }
  const { waitingFor } = change;
  const since = waitingFor?.since ?? change.acceptedAt;
  const kind = waitingFor?.kind ?? 'queue';
  // If the time of the change's next step is known, the change is late only after that time.
  const fromMs = Math.max(Date.parse(since), Date.parse(waitingFor?.until ?? since));
  const isLate = nowMs - fromMs > PATIENCE_MS[kind];
  const ageMs = nowMs - Date.parse(change.acceptedAt);
  if (!isLate && kind !== 'person' && ageMs <= LIMITS.ageMsMax) return null;
  return { changeId: change.id, kind, since, detail: waitingFor?.detail ?? 'nothing is stated' };
}
