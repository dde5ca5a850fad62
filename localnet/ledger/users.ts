import {
  changedAnnotations,
  checkAnnotations,
  nextResourceVersion,
  pageOf,
} from './annotations.ts';
import type { Annotations } from './annotations.ts';
import { LedgerError } from './ledger-error.ts';
import type { LedgerStore } from './ledger-store.ts';
import { isParty, isUserId } from './lf-values.ts';
import type { Page, User, UserChange, Users } from './participant.ts';
import type { ParticipantState, UserEntry } from './participant-state.ts';
import { rightKey } from './rights.ts';
import type { Right } from './rights.ts';
import { invalidArgument, invalidField, missingField } from './submission-checks.ts';

export const RIGHTS_PER_USER_MAX = 1000;
export const USERS_PAGE_SIZE_MAX = 1000;

const unknownUser = (operation: string, userId: string) =>
  new LedgerError('USER_NOT_FOUND', `${operation} failed for unknown user "${userId}"`, {
    resources: [{ type: 'USER', name: userId }],
  });

/** Users of one participant. */
export class ParticipantUsers implements Users {
  readonly #store: LedgerStore;
  readonly #state: ParticipantState;

  constructor(store: LedgerStore, state: ParticipantState) {
    this.#store = store;
    this.#state = state;
  }

  #entry(operation: string, userId: string): UserEntry {
    checkUserId(userId);
    const entry = this.#state.users.get(userId);
    if (entry === undefined) throw unknownUser(operation, userId);
    return entry;
  }

  #write(user: User, rights: readonly Right[]): void {
    if (rights.length > RIGHTS_PER_USER_MAX) {
      throw new LedgerError(
        'TOO_MANY_USER_RIGHTS',
        `granting user rights failed, as user "${user.id}" would have too many rights`,
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

  list(pageSize: number, pageToken: string): Page<User> {
    const users = Array.from(this.#state.users.values(), ({ user }) => user);
    return pageOf(users, ({ id }) => id, pageSize, pageToken, USERS_PAGE_SIZE_MAX);
  }

  create(
    user: {
      readonly id: string;
      readonly primaryParty?: string;
      readonly isDeactivated?: boolean;
      readonly annotations?: Annotations;
    },
    rights: readonly Right[],
  ): User {
    checkUserId(user.id);
    const primaryParty = user.primaryParty ?? '';
    checkPrimaryParty(primaryParty);
    const annotations = checkAnnotations(user.annotations ?? {});
    if (Object.values(annotations).includes('')) {
      throw invalidArgument('annotations: an empty value removes a key, and there is none yet');
    }
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
      primaryParty,
      isDeactivated: user.isDeactivated ?? false,
      metadata: { resourceVersion: '0', annotations },
      identityProviderId: '',
    };
    this.#write(created, distinct);
    return created;
  }

  update(userId: string, change: UserChange): User {
    const { user, rights } = this.#entry('updating user', userId);
    checkPrimaryParty(change.primaryParty ?? '');
    const annotations =
      change.annotations === undefined
        ? user.metadata.annotations
        : changedAnnotations(
            user.metadata.annotations,
            change.annotations,
            change.annotationsMode ?? 'merge',
          );
    const resourceVersion = nextResourceVersion(
      user.metadata.resourceVersion,
      change.resourceVersion,
      () =>
        new LedgerError(
          'CONCURRENT_USER_UPDATE_DETECTED',
          `Update operation for user "${userId}" failed due to a concurrent update to the same user`,
          { resources: [{ type: 'USER', name: userId }] },
        ),
    );
    const updated: User = {
      ...user,
      primaryParty: change.primaryParty ?? user.primaryParty,
      isDeactivated: change.isDeactivated ?? user.isDeactivated,
      metadata: { resourceVersion, annotations },
    };
    this.#write(updated, rights);
    return updated;
  }

  delete(userId: string): void {
    this.#entry('deleting user', userId);
    this.#store.commit({ kind: 'userDeleted', participant: this.#state.name, userId });
  }

  rightsOf(userId: string): readonly Right[] {
    return this.#entry('listing user rights', userId).rights;
  }

  grant(userId: string, rights: readonly Right[]): readonly Right[] {
    const { user, rights: present } = this.#entry('granting user rights', userId);
    const presentKeys = new Set(present.map(rightKey));
    const added = distinctRights(rights).filter((right) => !presentKeys.has(rightKey(right)));
    if (added.length > 0) this.#write(user, [...present, ...added]);
    return added;
  }

  revoke(userId: string, rights: readonly Right[]): readonly Right[] {
    const { user, rights: present } = this.#entry('revoking user rights', userId);
    const asked = new Set(distinctRights(rights).map(rightKey));
    const removed = present.filter((right) => asked.has(rightKey(right)));
    const left = present.filter((right) => !asked.has(rightKey(right)));
    if (removed.length > 0) this.#write(user, left);
    return removed;
  }
}

function checkUserId(userId: string): void {
  if (userId === '') throw missingField('user_id');
  if (!isUserId(userId)) {
    throw invalidField('user_id', `User ID "${userId.slice(0, 150)}" does not match regex`);
  }
}

function checkPrimaryParty(party: string): void {
  if (party !== '' && !isParty(party)) {
    throw invalidField('primary_party', `'${party.slice(0, 100)}' is not a party`);
  }
}

function distinctRights(rights: readonly Right[]): readonly Right[] {
  for (const right of rights) {
    if ('party' in right && !isParty(right.party)) {
      throw right.party === ''
        ? missingField('party')
        : invalidField('party', `'${right.party.slice(0, 100)}' is not a party`);
    }
  }
  return [...new Map(rights.map((right) => [rightKey(right), right])).values()];
}
