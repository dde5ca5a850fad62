import type { Change, WaitingFor } from '../../domain/change.ts';
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

/** A circuit is not recorded with the changes that it holds back: it ends for all of them at once. */
export async function orCircuit(
  reads: Pick<Reads, 'circuitOf'>,
  { submitter }: Change,
  waiting: WaitingFor,
  io: Io,
): Promise<WaitingFor> {
  if (waiting.kind !== 'queue' && waiting.kind !== 'backoff') return waiting;
  const circuit = await reads.circuitOf(submitter.participant, io);
  return circuit === null ? waiting : behind(waiting, circuit);
}
