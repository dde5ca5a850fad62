import type { Pool } from 'pg';
import type { Io } from '../app/ports/io.ts';
import type { Finding } from '../doctor/findings.ts';
import { judgeTenants } from '../doctor/judge-tenants.ts';
import { assert } from '../domain/unreachable.ts';
import type { Participant } from '../ledger/channel.ts';
import { createPartyDirectory } from '../ledger/party-directory.ts';
import type { ParticipantRights } from '../ledger/rights.ts';
import { createTenants } from '../store/callers/tenants.ts';
import { stopActsOf } from '../store/desk/bulk-acts.ts';

/** A participant with the rights on it; `rights` is `null` if the participant did not answer. */
interface Asked {
  readonly participant: Participant;
  readonly rights: ParticipantRights | null;
}

/** Checks whether the parties of the registered tenants are hosted on the ledger. */
export async function findTenants(pool: Pool, asked: readonly Asked[], io: Io): Promise<Finding[]> {
  const there = new Map(
    asked.flatMap(({ participant, rights }) =>
      rights === null ? [] : [[participant.name, { participant, rights }] as const],
    ),
  );
  const directory = createPartyDirectory(
    [...there.values()].map(({ participant }) => participant),
    {
      of: (name) => {
        const found = there.get(name);
        assert(found !== undefined, `participant ${name} has answered`);
        return found.rights;
      },
    },
  );
  const tenants = await createTenants(pool, stopActsOf).list(io);
  const parties = tenants.map(({ party }) => party);
  return tenants.length === 0 ? [] : judgeTenants(tenants, await directory.hosted(parties, io));
}
