import type { Io } from '../app/ports.ts';
import type { Party } from '../domain/ids.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';

/** Parties of one participant that are asked for. */
const PARTIES_MAX = 20;

/** To how many synchronizers a participant is connected for each of the parties, up to a bound. */
export async function readConnections(
  { state }: Participant,
  parties: readonly Party[],
  io: Io,
): Promise<ReadonlyMap<Party, number>> {
  const asked = parties.slice(0, PARTIES_MAX).map(async (party) => {
    const answer = await state.getConnectedSynchronizers({ party }, callOptions(io));
    return [party, answer.connectedSynchronizers.length] as const;
  });
  return new Map(await Promise.all(asked));
}
