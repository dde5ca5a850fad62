import type { Change, Wait, WaitingFor } from '../../../domain/change.ts';
import type { ParticipantName } from '../../../domain/ids.ts';
import { isoToMs } from '../../../domain/time.ts';
import { unreachable } from '../../../domain/unreachable.ts';
import type { Circuit } from '../../../domain/pause.ts';
import type { Io } from '../../ports/io.ts';
import type { Reads } from '../../ports/reads.ts';

/** Adds to the explanation of an operation that waits for traffic what a person has to do. */
export const untilTraffic = (explanation: string): string =>
  `${explanation}; the operation continues when the operator of the participant has bought more traffic`;

/**
 * Adds to the explanation that operations probe the participant until it answers; only the participant's operator has
 * to act.
 */
export const untilReached = (explanation: string): string =>
  `${explanation}; one operation at a time tries the participant again`;

/**
 * Returns the wait of a change whose participant has an open circuit: the circuit's cause, whether or not the change
 * was tried.
 */
function behind(waiting: WaitingFor, { participant, reason, ...circuit }: Circuit): WaitingFor {
  const since = isoToMs(circuit.since) > isoToMs(waiting.since) ? circuit.since : waiting.since;
  switch (reason) {
    case 'traffic': {
      const detail = untilTraffic(`${participant} has no traffic credit left`);
      return { kind: 'traffic', detail, since };
    }
    case 'unreachable': {
      const detail = untilReached(`${participant} is unreachable or rejects every login`);
      return { kind: 'participant', detail, since };
    }
    case 'busy':
      return waiting;
    default:
      return unreachable(reason);
  }
}

/** Reasons to wait that are recorded for answers that open a circuit. */
const OF_CIRCUITS: ReadonlySet<Wait> = new Set<Wait>(['participant', 'traffic']);

/** Replaces a wait reason that was recorded for a circuit which has closed since. */
const withoutCircuit = (waiting: WaitingFor, participant: ParticipantName): WaitingFor =>
  OF_CIRCUITS.has(waiting.kind)
    ? {
        ...waiting,
        kind: 'backoff',
        detail: `no circuit of ${participant} is open; the next attempt is due soon`,
      }
    : waiting;

/**
 * Returns the wait of a change, with its participant's open circuit as the cause. A circuit is not recorded with the
 * changes that it holds back, because it ends for all of them at once.
 */
export async function orCircuit(
  reads: Pick<Reads, 'circuitOf'>,
  { submitter: { participant } }: Change,
  waiting: WaitingFor,
  io: Io,
): Promise<WaitingFor> {
  const { kind } = waiting;
  if (kind !== 'queue' && kind !== 'backoff' && !OF_CIRCUITS.has(kind)) return waiting;
  const circuit = await reads.circuitOf(participant, io);
  return circuit === null ? withoutCircuit(waiting, participant) : behind(waiting, circuit);
}
