import type { Io } from '../app/ports/io.ts';
import type { Party } from '../domain/ids.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import { LEDGER_LIMITS } from './limits.ts';

/*
 * A participant names the synchronizers that it is connected to and can send to at this moment: one whose sequencers do
 * not answer is left out as well. Asked for a party it names those of them that host it, which takes a right to
 * act or read as that party; asked for none it names all, to anybody.
 */

/** To how many synchronizers a participant is connected for each of the parties, up to a bound. */
export async function readConnections(
  participant: Participant,
  parties: readonly Party[],
  io: Io,
): Promise<ReadonlyMap<Party, number>> {
  const asked = parties.slice(0, LEDGER_LIMITS.connectionPartiesMax);
  const found = await Promise.all(asked.map((party) => readFor(participant, party, io)));
  return new Map(asked.map((party, i) => [party, found[i]?.length ?? 0]));
}

/** The ids of all synchronizers that a participant is connected to and can send to. */
export const readSynchronizers = (participant: Participant, io: Io): Promise<readonly string[]> =>
  readFor(participant, '', io);

/**
 * Of those the ones that host any of the parties. Where it does not say of one of them, or they are too many, all
 * count: a party that it no longer lets us ask about may have been hosted anywhere.
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
