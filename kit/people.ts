import { readFile } from 'node:fs/promises';
import type { LedgerNetwork } from '../localnet/ledger/ledger-network.ts';
import { LedgerError } from '../localnet/ledger/ledger-error.ts';
import type { Right } from '../localnet/ledger/rights.ts';
import type { ParticipantName } from '../localnet/ports.ts';
import type { LocalnetOptions, NamedParties, UserOptions } from './api.ts';

const DEFAULT_PARTICIPANT: ParticipantName = 'app-provider';
const PAGE_SIZE = 1;

type Known = Readonly<Record<string, string>>;

/**
 * Adds the requested packages, parties and users that a ledger lacks. Existing ones, from a data folder or a snapshot,
 * remain unchanged.
 */
export async function furnish<P extends string>(
  network: LedgerNetwork,
  options: LocalnetOptions<P>,
): Promise<NamedParties<P>> {
  const { users = {}, dars = [] } = options;
  const parties: Readonly<Record<string, ParticipantName>> = options.parties ?? {};
  for (const dar of dars) {
    const bytes = dar instanceof Uint8Array ? dar : await readFile(dar);
    for (const name of network.participantNames) {
      await network.participants[name].packages.uploadDar(bytes).catch((error: unknown) => {
        throw refusedDar(dar, error);
      });
    }
  }
  const ids: Record<string, string> = {};
  for (const [hint, participant] of Object.entries(parties)) {
    ids[hint] = partyId(network, hint, participant);
  }
  const { appProvider, appUser, dso } = network.parties;
  const known: Known = { appProvider, appUser, dso, ...ids };
  for (const [hint, participant] of Object.entries(parties)) {
    if (!(hint in users)) addUser(network, hint, { participant, actAs: [hint] }, known);
  }
  for (const [id, user] of Object.entries(users)) addUser(network, id, user, known);
  return known;
}

/** The fields of an error's metadata that can contain the reason of a refusal. Each refusal has exactly one of them. */
const WHY = ['throwable', 'reason', 'validationError', 'msg', 'name', 'missingDependencies'];

/** Adds the DAR's name and the reason of the refusal to an error. */
function refusedDar(dar: string | URL | Uint8Array, error: unknown): unknown {
  if (!(error instanceof LedgerError)) return error;
  const which = dar instanceof Uint8Array ? `of ${dar.length} bytes` : String(dar);
  const why = WHY.map((field) => error.metadata[field]).find((told) => told !== undefined);
  const words = why === undefined ? error.message : `${error.message} (${why})`;
  return new Error(`the DAR ${which} is refused: ${words}`, { cause: error });
}

function partyId(network: LedgerNetwork, hint: string, name: ParticipantName): string {
  const { parties } = network.participants[name];
  const [found] = parties.list(PAGE_SIZE, '', `${hint}::`).items;
  return (found ?? parties.allocate(hint)).party;
}

function addUser(
  network: LedgerNetwork,
  id: string,
  {
    participant = DEFAULT_PARTICIPANT,
    actAs = [],
    readAs = [],
    isAdmin,
    primaryParty,
  }: UserOptions,
  known: Known,
): void {
  const { users } = network.participants[participant];
  if (users.has(id)) return;
  const partyOf = (name: string): string => {
    const party = known[name] ?? (name.includes('::') ? name : undefined);
    if (party === undefined) throw new TypeError(`user ${id}: there is no party ${name}`);
    return party;
  };
  const primary = primaryParty ?? actAs[0];
  const rights: Right[] = [
    ...(isAdmin === true ? [{ kind: 'participantAdmin' } as const] : []),
    ...actAs.map((name) => ({ kind: 'canActAs', party: partyOf(name) }) as const),
    ...readAs.map((name) => ({ kind: 'canReadAs', party: partyOf(name) }) as const),
  ];
  const annotations = { username: id };
  const user =
    primary === undefined
      ? { id, annotations }
      : { id, annotations, primaryParty: partyOf(primary) };
  users.create(user, rights);
}

/** A user's participant and ID. A user is found by its ID, or by the name with which a person signs in. */
export interface FoundUser {
  readonly participant: ParticipantName;
  readonly userId: string;
}

/** Returns the users with this ID or name, on one participant or on all. */
export function findUsers(
  network: LedgerNetwork,
  name: string,
  participant: ParticipantName | undefined,
): readonly FoundUser[] {
  const where = participant === undefined ? network.participantNames : [participant];
  return where.flatMap((on) => {
    const { users } = network.participants[on];
    if (users.has(name)) return [{ participant: on, userId: name }];
    return named(users, name).map((userId) => ({ participant: on, userId }));
  });
}

type Users = LedgerNetwork['participants'][ParticipantName]['users'];

function named(users: Users, name: string): readonly string[] {
  const found: string[] = [];
  for (let token: string | undefined = ''; token !== undefined;) {
    const page = users.list(1_000, token);
    for (const { id, metadata } of page.items) {
      if (metadata.annotations['username'] === name) found.push(id);
    }
    token = page.nextPageToken === '' ? undefined : page.nextPageToken;
  }
  return found;
}
