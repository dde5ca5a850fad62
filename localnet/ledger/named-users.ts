import type { LedgerNetwork } from './ledger-network.ts';
import type { Right } from './rights.ts';

const DONE = 'named-users';

/**
 * Adds the users of the reference application's shared-secret mode, in which a token's subject is a name. The realms'
 * users, whose IDs are UUIDs, remain. Runs once per network, so that a deleted user is not created again.
 */
export function addNamedUsers(network: LedgerNetwork): void {
  if (network.kept(DONE) !== undefined) return;
  const admin: Right = { kind: 'participantAdmin' };
  for (const [name, party] of [
    ['app-provider', network.parties.appProvider],
    ['app-user', network.parties.appUser],
  ] as const) {
    const { users } = network.participants[name];
    const add = (id: string, primaryParty: string, rights: readonly Right[]) => {
      if (!users.has(id)) users.create({ id, primaryParty, annotations: { username: id } }, rights);
    };
    const actAs: Right = { kind: 'canActAs', party };
    const readAs: Right = { kind: 'canReadAs', party };
    add('ledger-api-user', party, [admin, actAs]);
    add(name, party, [actAs]);
    add(`${name}-pqs`, '', [readAs]);
    // The user's side has no application backend that would need a user of its own.
    if (name === 'app-provider') add('app-provider-backend', '', [actAs, readAs]);
  }
  network.keep(DONE, 'yes');
}
