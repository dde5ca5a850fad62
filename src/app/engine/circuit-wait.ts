import type { Change, Wait, WaitingFor } from '../../domain/change.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import { isoToMs } from '../../domain/time.ts';
import { unreachable } from '../../domain/unreachable.ts';
import type { Circuit } from '../../domain/pause.ts';
import type { Io } from '../ports/io.ts';
import type { Reads } from '../ports/reads.ts';

/** What somebody has to do, wherever it is told that an operation waits for traffic. */
export const untilTraffic = (explanation: string): string =>
  `${explanation}; goes on by itself when somebody has bought more`;

/** Nobody has to do anything for it but whoever runs the participant. */
export const untilReached = (explanation: string): string =>
  `${explanation}; one operation at a time asks it again`;

/**
 * What is put off for its participant's circuit waits for what that waits for, whether it has been tried itself or not.
 */
function behind(waiting: WaitingFor, { participant, reason, ...circuit }: Circuit): WaitingFor {
  const since = isoToMs(circuit.since) > isoToMs(waiting.since) ? circuit.since : waiting.since;
  switch (reason) {
    case 'traffic': {
      const detail = untilTraffic(`${participant} has no traffic left to pay the network with`);
      return { kind: 'traffic', detail, since };
    }
    case 'unreachable': {
      const detail = untilReached(`${participant} cannot be reached, or lets nobody in`);
      return { kind: 'participant', detail, since };
    }
    case 'busy':
      return waiting;
    default:
      return unreachable(reason);
  }
}

/** The recorded reasons of answers that open a circuit. */
const OF_CIRCUITS: ReadonlySet<Wait> = new Set<Wait>(['participant', 'traffic']);

/** A reason that was recorded while a circuit was open is not the reason any more once the circuit has closed. */
const withoutCircuit = (waiting: WaitingFor, participant: ParticipantName): WaitingFor =>
  OF_CIRCUITS.has(waiting.kind)
    ? {
        ...waiting,
        kind: 'backoff',
        detail: `no circuit of ${participant} is open; the next attempt is due soon`,
      }
    : waiting;

/** A circuit is not recorded with the changes that it holds back: it ends for all of them at once. */
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
