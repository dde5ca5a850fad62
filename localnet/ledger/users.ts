import { changedAnnotations, nextResourceVersion, pageOf } from './annotations.ts';
import type { Annotations } from './annotations.ts';
import { LedgerError } from './ledger-error.ts';
import type { LedgerStore } from './ledger-store.ts';
import { userIdDefect } from './identifiers.ts';
import type { Page, User, UserChange, Users } from './participant.ts';
import type { ParticipantState, UserEntry } from './participant-state.ts';
import { rightKey } from './rights.ts';
import type { Right } from './rights.ts';
import { requireField } from './submission-checks.ts';

export const RIGHTS_PER_USER_MAX = 1000;
export const USERS_PAGE_SIZE_MAX = 1000;

const unknownUser = (operation: string, userId: string) =>
  new LedgerError('USER_NOT_FOUND', `${operation} failed for unknown user "${userId}"`, {
    resources: [{ type: 'USER', name: userId }],
  });

const tooLarge = (userId: string) =>
  new LedgerError(
    'MAX_USER_ANNOTATIONS_SIZE_EXCEEDED',
    `Maximum annotations size for user '${userId}' has been exceeded`,
    { resources: [{ type: 'USER', name: userId }] },
  );

/** The users of one participant. The methods do not check requests: their callers must have done so. */
export class ParticipantUsers implements Users {
  readonly #store: LedgerStore;
  readonly #state: ParticipantState;

  constructor(store: LedgerStore, state: ParticipantState) {
    this.#store = store;
    this.#state = state;
  }

  #entry(operation: string, userId: string): UserEntry {
    requireField('user_id', userId, userIdDefect);
    const entry = this.#state.users.get(userId);
    if (entry === undefined) throw unknownUser(operation, userId);
    return entry;
  }

  #write(operation: string, user: User, rights: readonly Right[]): void {
    if (rights.length > RIGHTS_PER_USER_MAX) {
      throw new LedgerError(
        'TOO_MANY_USER_RIGHTS',
        `${operation} failed, as user "${user.id}" would have too many rights.`,
        { resources: [{ type: 'USER', name: user.id }] },
      );
    }
    this.#store.commit({ kind: 'user', participant: this.#state.name, user, rights });
  }

  get(userId: string): User {
    return this.#entry('getting user', userId).user;
  }

  has(userId: string): boolean {
    return this.#state.users.has(userId);
  }

  /** Throws PERMISSION_DENIED if the user exists and belongs to another identity provider. */
  requireOf(identityProviderId: string, userId: string): void {
    const user = this.#state.users.get(userId)?.user;
    if (user === undefined || user.identityProviderId === identityProviderId) return;
    throw new LedgerError(
      'PERMISSION_DENIED',
      `User ${userId} belongs to another Identity Provider`,
    );
  }

  /**
   * Moves a user to another identity provider. Throws USER_NOT_FOUND, and PERMISSION_DENIED if the user does not belong
   * to `source`.
   */
  move(userId: string, source: string, target: string): void {
    const { user, rights } = this.#entry('update user identity provider', userId);
    this.requireOf(source, userId);
    this.#write('update user identity provider', { ...user, identityProviderId: target }, rights);
  }

  list(pageSize: number, pageToken: string, identityProviderId = ''): Page<User> {
    const users = Array.from(this.#state.users.values(), ({ user }) => user).filter(
      (user) => user.identityProviderId === identityProviderId,
    );
    return pageOf(users, ({ id }) => id, pageSize, pageToken);
  }

  create(
    user: {
      readonly id: string;
      readonly primaryParty?: string;
      readonly isDeactivated?: boolean;
      readonly primaryPartyAuthentication?: boolean;
      readonly annotations?: Annotations;
      readonly identityProviderId?: string;
    },
    rights: readonly Right[],
  ): User {
    requireField('id', user.id, userIdDefect);
    const distinct = distinctRights(rights);
    if (this.has(user.id)) {
      throw new LedgerError(
        'USER_ALREADY_EXISTS',
        `creating user failed, as user "${user.id}" already exists`,
        { resources: [{ type: 'USER', name: user.id }] },
      );
    }
    const created: User = {
      id: user.id,
      primaryParty: user.primaryParty ?? '',
      isDeactivated: user.isDeactivated ?? false,
      primaryPartyAuthentication: user.primaryPartyAuthentication ?? false,
      metadata: { resourceVersion: '0', annotations: user.annotations ?? {} },
      identityProviderId: user.identityProviderId ?? '',
    };
    this.#write('creating user', created, distinct);
    return created;
  }

  update(userId: string, change: UserChange): User {
    const { user, rights } = this.#entry('updating user', userId);
    const annotations =
      change.annotations === undefined
        ? user.metadata.annotations
        : changedAnnotations(user.metadata.annotations, change.annotations, () => tooLarge(userId));
    const resourceVersion = nextResourceVersion(
      user.metadata.resourceVersion,
      change.resourceVersion,
      () =>
        new LedgerError(
          'CONCURRENT_USER_UPDATE_DETECTED',
          `Update operation for user '${userId}' failed due to a concurrent update to the same user`,
          { resources: [{ type: 'USER', name: userId }] },
        ),
    );
    const updated: User = {
      ...user,
      primaryParty: change.primaryParty ?? user.primaryParty,
      isDeactivated: change.isDeactivated ?? user.isDeactivated,
      primaryPartyAuthentication:
        change.primaryPartyAuthentication ?? user.primaryPartyAuthentication ?? false,
      metadata: { resourceVersion, annotations },
    };
    this.#write('updating user', updated, rights);
    return updated;
  }

  delete(userId: string): void {
    this.#entry('deleting user', userId);
    this.#store.commit({ kind: 'userDeleted', participant: this.#state.name, userId });
  }

  rightsOf(userId: string): readonly Right[] {
    return this.#entry('list user rights', userId).rights;
  }

  grant(userId: string, rights: readonly Right[]): readonly Right[] {
    const { user, rights: present } = this.#entry('grant user rights', userId);
    const presentKeys = new Set(present.map(rightKey));
    const added = distinctRights(rights).filter((right) => !presentKeys.has(rightKey(right)));
    if (added.length > 0) this.#write('grant user rights', user, [...present, ...added]);
    return added;
  }

  revoke(userId: string, rights: readonly Right[]): readonly Right[] {
    const { user, rights: present } = this.#entry('revoke user rights', userId);
    const asked = new Set(distinctRights(rights).map(rightKey));
    const removed = present.filter((right) => asked.has(rightKey(right)));
    const left = present.filter((right) => !asked.has(rightKey(right)));
    if (removed.length > 0) this.#write('revoke user rights', user, left);
    return removed;
  }
}

const distinctRights = (rights: readonly Right[]): readonly Right[] => [
  ...new Map(rights.map((right) => [rightKey(right), right])).values(),
];
