import type { Change, Wait, WaitingFor } from '../../../domain/change.ts';
import type { ParticipantCause } from '../../../domain/participant-health.ts';
import { isStandstill } from '../../../domain/participant-health.ts';
import { isoToMs } from '../../../domain/time.ts';
import type { Io } from '../../ports/io.ts';
import { PROJECTOR_LEASE } from '../../ports/leases.ts';
import type { Reads } from '../../ports/reads.ts';

/*
 * The cause for which a participant delays operations is stored once, not with each operation that waits, because it
 * ends for all of them at once. So it is added when an operation is read.
 */

/** Adds to the explanation of an operation that waits for traffic what a person has to do. */
export const untilTraffic = (explanation: string): string =>
  `${explanation}; the operation continues when the operator of the participant has bought more traffic`;

/**
 * Adds to the explanation that operations probe the participant until it answers; only the participant's operator has
 * to act.
 */
export const untilReached = (explanation: string): string =>
  `${explanation}; one operation at a time tries the participant again`;

/** Returns when a wait with this cause began: a change may have waited before, or the cause may be older. */
export const waitSince = (causeSince: string, { since }: WaitingFor): string =>
  isoToMs(causeSince) > isoToMs(since) ? causeSince : since;

/** Waits that are recorded for answers that open a circuit. */
const OF_CIRCUITS: ReadonlySet<Wait> = new Set<Wait>(['participant', 'traffic']);

/** Waits for the next submission, which is not made while requests are held. */
const TO_SUBMIT: ReadonlySet<Wait> = new Set<Wait>(['queue', 'backoff']);

/** Names the circuit of the participant as the cause, or removes a circuit that has closed since. */
function orCircuit(
  own: readonly ParticipantCause[],
  participant: string,
  waiting: WaitingFor,
): WaitingFor {
  if (!TO_SUBMIT.has(waiting.kind) && !OF_CIRCUITS.has(waiting.kind)) return waiting;
  for (const cause of own) {
    const since = waitSince(cause.since, waiting);
    if (cause.kind === 'traffic') {
      const detail = untilTraffic(`${participant} has no traffic credit left`);
      return { kind: 'traffic', detail, since };
    }
    if (cause.kind === 'unreachable') {
      const detail = untilReached(`${participant} is unreachable or rejects every login`);
      return { kind: 'participant', detail, since };
    }
  }
  if (!OF_CIRCUITS.has(waiting.kind)) return waiting;
  const detail = `no circuit of ${participant} is open; the next attempt is due soon`;
  return { ...waiting, kind: 'backoff', detail };
}

/** Replaces a wait by one for the projector's lease while no process follows the ledger. */
async function orLease(reads: Pick<Reads, 'leaseOf'>, waiting: WaitingFor, io: Io) {
  const lease = await reads.leaseOf(PROJECTOR_LEASE, io);
  if (lease?.isHeld === true) return waiting;
  return {
    kind: 'lease' as const,
    detail: `no projector process reads the ledger; then: ${waiting.detail}`,
    since: waitSince(lease?.expiresAt ?? waiting.since, waiting),
  };
}

/**
 * Names the reason for late reports as the cause of a wait for the ledger or the query store. While requests are held,
 * changes that wait for their next submission have the same cause.
 */
async function orLate(
  reads: Pick<Reads, 'leaseOf'>,
  own: readonly ParticipantCause[],
  waiting: WaitingFor,
  io: Io,
): Promise<WaitingFor> {
  const isToSubmit = TO_SUBMIT.has(waiting.kind);
  if (!isToSubmit && waiting.kind !== 'ledger' && waiting.kind !== 'projection') return waiting;
  const shown = isToSubmit ? waiting : await orLease(reads, waiting, io);
  if (shown.kind === 'lease') return shown;
  for (const { participant, kind, since, detail } of own) {
    if (!isStandstill(kind) || (kind !== 'replay' && shown.kind !== 'ledger')) continue;
    return {
      ...shown,
      kind,
      detail: `${participant} since ${since}: ${detail}; ${shown.detail}`,
      since: waitSince(since, shown),
    };
  }
  return shown;
}

/** Returns the wait of a change, with the state of its participant as the cause if that explains the wait. */
export async function orParticipant(
  reads: Pick<Reads, 'leaseOf'>,
  causes: readonly ParticipantCause[],
  { submitter: { participant } }: Change,
  waiting: WaitingFor,
  io: Io,
): Promise<WaitingFor> {
  const own = causes.filter((cause) => cause.participant === participant);
  return orLate(reads, own, orCircuit(own, participant, waiting), io);
}
