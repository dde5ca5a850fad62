import type { Io } from '../app/ports/io.ts';
import { CELL_ANNOTATION } from '../domain/cell.ts';
import type { AnnotatedLedgerUser } from '../domain/cell.ts';
import { assert } from '../domain/unreachable.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { User } from '../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import type { Participant } from './channel.ts';
import { byName, callOptions } from './channel.ts';

/** Our ledger user on one participant. */
export interface OwnLedgerUser extends AnnotatedLedgerUser {
  /**
   * Whether the user may annotate itself. Without this right it does not try, so that no refusal appears in the
   * participant's log.
   */
  readonly mayAnnotate: boolean;
  /** The user as it was read; needed to detect that it has been changed since. */
  readonly asRead: User;
}

/** Reads and annotates our ledger users on the participants. */
export interface OwnLedgerUsers {
  readonly participants: readonly ParticipantName[];
  /** Needs only a token of the user, because every user may read itself. @throws LedgerCallError, TokenError */
  read(participant: ParticipantName, io: Io): Promise<OwnLedgerUser>;
  /**
   * Writes the cell into the annotation of our ledger user, unless the user was changed since it was read. Needs an
   * administrator of the participant, or of the user's identity provider.
   *
   * @throws LedgerCallError, TokenError
   */
  annotate(participant: ParticipantName, user: OwnLedgerUser, cell: string, io: Io): Promise<void>;
}

/** @param participants are not closed by this object */
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
