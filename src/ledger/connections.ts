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
  const found = await askFor(state, parties, io);
  return new Map(found.map(([party, synchronizers]) => [party, synchronizers.length]));
}

/** The ids of the synchronizers that a participant is connected to for any of the parties, up to a bound of parties. */
export async function readSynchronizers(
  { state }: Participant,
  parties: readonly Party[],
  io: Io,
): Promise<readonly string[]> {
  const found = await askFor(state, parties, io);
  return [...new Set(found.flatMap(([, synchronizers]) => synchronizers))];
}

const askFor = (
  state: Participant['state'],
  parties: readonly Party[],
  io: Io,
): Promise<(readonly [Party, readonly string[]])[]> =>
  Promise.all(
    parties.slice(0, PARTIES_MAX).map(async (party) => {
      const answer = await state.getConnectedSynchronizers({ party }, callOptions(io));
      return [party, answer.connectedSynchronizers.map((one) => one.synchronizerId)] as const;
    }),
  );
