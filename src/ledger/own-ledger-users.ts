import type { Io } from '../app/ports/io.ts';
import { CELL_ANNOTATION } from '../domain/cell.ts';
import type { AnnotatedLedgerUser } from '../domain/cell.ts';
import { assert } from '../domain/unreachable.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { User } from '../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import type { Participant } from './channel.ts';
import { byName, callOptions } from './channel.ts';

/** Our ledger user at one participant. */
export interface OwnLedgerUser extends AnnotatedLedgerUser {
  /** Whether it may annotate itself. Who may not is not to be found in a participant's log as one who tried. */
  readonly mayAnnotate: boolean;
  /** As it was read: what has changed since is not overwritten. */
  readonly asRead: User;
}

/** What the participants say of our ledger users, and keep about them. */
export interface OwnLedgerUsers {
  readonly participants: readonly ParticipantName[];
  /** A token of the user is enough, for everybody may ask about oneself. @throws LedgerCallError, TokenError */
  read(participant: ParticipantName, io: Io): Promise<OwnLedgerUser>;
  /**
   * Annotates our ledger user with its cell, unless it was changed since it was read. Takes an administrator of the
   * participant, or of its identity provider.
   *
   * @throws LedgerCallError, TokenError
   */
  annotate(participant: ParticipantName, user: OwnLedgerUser, cell: string, io: Io): Promise<void>;
}

/** @param participants stay the caller's */
export function createOwnLedgerUsers(participants: readonly Participant[]): OwnLedgerUsers {
  const participantOf = byName(participants);
  return {
    participants: participants.map(({ name }) => name),
    read: (name, io) => readOwnLedgerUser(participantOf(name), io),
    annotate: (name, user, cell, io) => annotate(participantOf(name), user, cell, io),
  };
}

async function readOwnLedgerUser(participant: Participant, io: Io): Promise<OwnLedgerUser> {
  const options = callOptions(io);
  const [{ user }, { rights }] = await Promise.all([
    participant.userManagement.getUser({ userId: '' }, options),
    participant.userManagement.listUserRights({ userId: '' }, options),
  ]);
  assert(user !== undefined, 'a participant that finds our user says who it is');
  const annotation = user.metadata?.annotations[CELL_ANNOTATION] ?? '';
  return {
    participant: participant.name,
    ledgerUser: user.id,
    annotation: annotation === '' ? null : annotation,
    mayAnnotate: rights.some(
      ({ kind }) => kind?.$case === 'participantAdmin' || kind?.$case === 'identityProviderAdmin',
    ),
    asRead: user,
  };
}

async function annotate(
  participant: Participant,
  { asRead }: OwnLedgerUser,
  cell: string,
  io: Io,
): Promise<void> {
  const user: User = {
    ...asRead,
    metadata: {
      resourceVersion: asRead.metadata?.resourceVersion ?? '',
      annotations: { [CELL_ANNOTATION]: cell },
    },
  };
  const updateMask = ['metadata.annotations'];
  await participant.userManagement.updateUser({ user, updateMask }, callOptions(io));
}
