import type { ParticipantName } from '../ports.ts';
import { createAmuletContracts } from './amulet/bootstrap.ts';
import type { LedgerClock } from './clock.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { PackageRegistry } from './package-registry.ts';
import type { ParticipantNode } from './participant-node.ts';
import { addParty } from './parties.ts';
import type { Right } from './rights.ts';

export interface BootstrappedParties {
  readonly appProvider: string;
  readonly appUser: string;
  readonly dso: string;
}

type Participants = Readonly<Record<ParticipantName, ParticipantNode>>;

/**
 * Ledger user IDs of the reference application: the `sub` claims of its service accounts and people. They are public.
 */
const USER_IDS = {
  providerBackend: '1a36eb86-4ccc-4ec6-b7b7-caa08b354989',
  providerValidator: 'c87743ab-80e0-4b83-935a-4c0582226691',
  providerQueryStore: '0145df12-c560-40fa-bef3-caff2c5c2224',
  provider: '553c6754-8879-41c9-ae80-b302f5af92c9',
  userValidator: '97bb6cef-a7a9-410b-ba8c-ada08451a5c9',
  userQueryStore: 'eecd72be-b6a6-44ed-834a-9305ad22f610',
  user: '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
  superValidator: 'ledger-api-user',
} as const;

/** The user that every participant has at its start. Onboarding scripts delete it. */
const DEFAULT_ADMIN = 'participant_admin';

/** Returns the party IDs of a network, whether or not it has been bootstrapped. */
export function partiesOf(store: LedgerStore): BootstrappedParties {
  const { partyHint, participants } = store.state;
  return {
    appProvider: `app_provider_${partyHint}::${participants['app-provider'].namespace}`,
    appUser: `app_user_${partyHint}::${participants['app-user'].namespace}`,
    dso: `DSO::${participants.sv.namespace}`,
  };
}

/**
 * Adds the packages, parties, users and contracts that a network lacks: to a new network, all of them; to one that an
 * earlier build created, those that are new in this build. Existing ones are not changed.
 */
export function bootstrap(
  store: LedgerStore,
  registry: PackageRegistry,
  clock: LedgerClock,
  participants: Participants,
): void {
  const isNew = store.state.hosts.size === 0;
  for (const { id, name, version } of registry.packages) {
    const known = store.state.packages.get(id);
    if (known !== undefined && known.uploaded === undefined) continue;
    const knownSince = clock.nowMicros();
    store.commit({ kind: 'package', packageId: id, packageName: name, version, knownSince });
  }
  const parties = partiesOf(store);
  if (isNew) createParties(store, clock, participants, parties);
  createAmuletContracts({ store, registry, clock, dso: parties.dso });
}

function createParties(
  store: LedgerStore,
  clock: LedgerClock,
  participants: Participants,
  parties: BootstrappedParties,
): void {
  const hosted = [
    [parties.dso, 'sv'],
    [parties.appProvider, 'app-provider'],
    [parties.appUser, 'app-user'],
  ] as const;
  for (const [party, name] of hosted) {
    const host = store.state.participants[name].name;
    addParty(store, clock, { party, host, annotations: {} });
  }
  createUsers(participants, parties);
}

const admin: Right = { kind: 'participantAdmin' };
const actAs = (party: string): Right => ({ kind: 'canActAs', party });
const readAs = (party: string): Right => ({ kind: 'canReadAs', party });

function createUsers(participants: Participants, parties: BootstrappedParties): void {
  const { appProvider, appUser, dso } = parties;
  const create = (
    participant: ParticipantName,
    id: string,
    username: string,
    primaryParty: string,
    rights: readonly Right[],
  ) =>
    participants[participant].users.create({ id, primaryParty, annotations: { username } }, rights);
  for (const node of new Set(Object.values(participants))) {
    node.users.create({ id: DEFAULT_ADMIN }, [admin]);
  }
  const provider = 'app-provider';
  create(
    provider,
    USER_IDS.providerValidator,
    'service-account-app-provider-validator',
    appProvider,
    [admin, actAs(appProvider)],
  );
  create(provider, USER_IDS.providerBackend, 'service-account-app-provider-backend', '', [
    actAs(appProvider),
    readAs(appProvider),
  ]);
  create(provider, USER_IDS.providerQueryStore, 'service-account-app-provider-pqs', '', [
    readAs(appProvider),
  ]);
  create(provider, USER_IDS.provider, 'app-provider', appProvider, [actAs(appProvider)]);
  create('app-user', USER_IDS.userValidator, 'service-account-app-user-validator', appUser, [
    admin,
    actAs(appUser),
  ]);
  create('app-user', USER_IDS.userQueryStore, 'service-account-app-user-pqs', '', [
    readAs(appUser),
  ]);
  create('app-user', USER_IDS.user, 'app-user', appUser, [actAs(appUser)]);
  create('sv', USER_IDS.superValidator, 'sv', dso, [
    admin,
    actAs(dso),
    { kind: 'canReadAsAnyParty' },
  ]);
}
