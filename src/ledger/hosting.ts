import type { Io } from '../app/ports/io.ts';
import type { Hosting } from '../app/ports/ledger.ts';
import type { Submitter } from '../domain/change.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { fail } from '../domain/problems.ts';
import type { LedgerRights } from './rights.ts';
import { LEDGER_LIMITS } from './limits.ts';

export interface HostingOptions {
  readonly provider: Party;
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  /** The participants in order of preference, for parties that several of them host. */
  readonly participants: readonly ParticipantName[];
  readonly rights: LedgerRights;
}

/** Finds submitters by the rights of our ledger users. A right that is granted later takes effect without a restart. */
export function createHosting({
  provider,
  projected,
  participants,
  rights,
}: HostingOptions): Hosting {
  const known = (party: Party): Submitter | null => {
    const participant = participants.find((name) => rights.of(name).actAs.includes(party));
    if (participant === undefined) return null;
    return { participant, ledgerUser: rights.of(participant).ledgerUser, actAs: party };
  };
  const readAgain = async (io: Io): Promise<unknown> => {
    const results = await Promise.allSettled(
      participants.map((name) => rights.refresh(name, LEDGER_LIMITS.hostingRightsAgeMsMax, io)),
    );
    return results.find((result) => result.status === 'rejected')?.reason;
  };
  return {
    provider,
    projected,
    submitterFor: async (party, io) => {
      const submitter = known(party);
      if (submitter !== null) return submitter;
      const failure = await readAgain(io);
      const found = known(party);
      // A participant whose rights cannot be read may be the one that hosts the party, so the answer is unknown.
      if (found === null && failure !== undefined) throw failure;
      // If a ledger user has no rights at all, the answer is unknown as well: it has lost them, and may get them back.
      const bare = participants.find((name) => rights.of(name).actAs.length === 0);
      if (found === null && bare !== undefined) {
        const { ledgerUser } = rights.of(bare);
        fail('LEDGER_UNAVAILABLE', `${ledgerUser} may act as nobody on ${bare} at the moment`);
      }
      return found;
    },
  };
}
