import type { Ledger } from '../../ledger/ledger.ts';
import type { ParticipantApi, User } from '../../ledger/participant.ts';

/** A validator's operator: its party, and the ledger user that acts as the party. */
export interface Operator {
  readonly party: string;
  readonly userId: string;
}

/** Returns the party of a participant's validator, which the network creates. */
const partyOf = ({ parties }: Ledger, { name }: ParticipantApi): string =>
  ({ 'app-provider': parties.appProvider, 'app-user': parties.appUser, sv: parties.dso })[name];

const USERS_PAGE_SIZE = 1_000;

/** Yields all users of a participant, by ID. */
export function* usersOf({ users }: ParticipantApi): Generator<User> {
  let pageToken = '';
  do {
    const page = users.list(USERS_PAGE_SIZE, pageToken);
    yield* page.items;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

/** Returns the administrator whose primary party is the validator's; if there is none, the party's first user. */
export function operatorOf(ledger: Ledger, participant: ParticipantApi): Operator {
  const party = partyOf(ledger, participant);
  let first: string | undefined;
  for (const { id, primaryParty } of usersOf(participant)) {
    if (primaryParty !== party) continue;
    const isAdmin = participant.users.rightsOf(id).some(({ kind }) => kind === 'participantAdmin');
    if (isAdmin) return { party, userId: id };
    first ??= id;
  }
  return { party, userId: first ?? '' };
}
