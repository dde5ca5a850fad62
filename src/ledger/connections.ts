import type { Io } from '../app/ports/io.ts';
import type { Party } from '../domain/ids.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import { LEDGER_LIMITS } from './limits.ts';

/*
 * A participant lists the synchronizers that it is connected to and can currently send to; it omits a synchronizer
 * whose sequencers do not answer. A request that names a party lists the synchronizers that host the party, and needs a
 * right to act or read as the party. A request without a party lists all synchronizers and needs no right.
 */

/** Returns the number of connected synchronizers for each party; at most a fixed number of parties is queried. */
export async function readConnections(
  participant: Participant,
  parties: readonly Party[],
  io: Io,
): Promise<ReadonlyMap<Party, number>> {
  const asked = parties.slice(0, LEDGER_LIMITS.connectionPartiesMax);
  const found = await Promise.all(asked.map((party) => readFor(participant, party, io)));
  return new Map(asked.map((party, i) => [party, found[i]?.length ?? 0]));
}

/** Returns the IDs of all synchronizers that a participant is connected to and can currently send to. */
export const readSynchronizers = (participant: Participant, io: Io): Promise<readonly string[]> =>
  readFor(participant, '', io);

/**
 * Returns the synchronizers that host any of the parties. Returns all if the participant does not answer for a party,
 * or if there are too many parties: a party that we have no right to query may be hosted on any synchronizer.
 */
export async function readSynchronizersFor(
  participant: Participant,
  parties: readonly Party[],
  io: Io,
): Promise<readonly string[]> {
  const all = await readSynchronizers(participant, io);
  if (parties.length === 0 || parties.length > LEDGER_LIMITS.connectionPartiesMax) return all;
  try {
    const found = await Promise.all(parties.map((party) => readFor(participant, party, io)));
    return [...new Set(found.flat())];
  } catch {
    return all;
  }
}

async function readFor(
  { state }: Participant,
  party: Party | '',
  io: Io,
): Promise<readonly string[]> {
  const answer = await state.getConnectedSynchronizers({ party }, callOptions(io));
  return answer.connectedSynchronizers.map((one) => one.synchronizerId);
}
