import type { Io } from '../app/ports/io.ts';
import type { PartyDirectory } from '../app/ports/ledger.ts';
import type { Party } from '../domain/ids.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import type { LedgerRights } from './rights.ts';

/**
 * Finds out from the participants which parties they host. A party that we may act or read as is hosted. Participants
 * report all other parties only to an administrator, so without that right, or while no participant answers, nothing is
 * known about those.
 */
export const createPartyDirectory = (
  participants: readonly Participant[],
  rights: Pick<LedgerRights, 'of'>,
): PartyDirectory => ({
  async hosted(parties, io) {
    const ours = new Set(
      participants.flatMap(({ name }) => [...rights.of(name).actAs, ...rights.of(name).readAs]),
    );
    const others = [...new Set(parties)].filter((party) => !ours.has(party));
    const told = await Promise.all(
      participants.map((participant) => knownTo(participant, others, io)),
    );
    const answers = told.filter((answer) => answer !== null);
    const isHosted = (party: Party) => answers.some((answer) => answer.has(party));
    return new Map([
      ...parties.flatMap((party) => (ours.has(party) ? [[party, true] as const] : [])),
      ...(answers.length === 0 ? [] : others.map((party) => [party, isHosted(party)] as const)),
    ]);
  },
});

/** Returns `null` if the participant does not report this. */
async function knownTo(
  { partyManagement }: Participant,
  parties: readonly Party[],
  io: Io,
): Promise<ReadonlySet<string> | null> {
  if (parties.length === 0) return new Set();
  try {
    const { partyDetails } = await partyManagement.getParties(
      { parties: [...parties] },
      callOptions(io),
    );
    return new Set(partyDetails.map(({ party }) => party));
  } catch {
    return null;
  }
}
