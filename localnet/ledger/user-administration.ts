import { checkIdentityProvider, checkMask } from './admin-requests.ts';
import type { Page, User, UserChange, Users } from './participant.ts';
import type { Access, Right } from './rights.ts';
import { invalidArgument, missingField } from './submission-checks.ts';

/** A user as a caller describes it; what a caller leaves out is empty. */
export interface RawUser {
  readonly id: string;
  readonly primaryParty: string;
  readonly isDeactivated: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly identityProviderId: string;
}

interface UserReference {
  readonly userId: string;
  readonly identityProviderId: string;
}

const UPDATABLE = ['primary_party', 'is_deactivated', 'metadata', 'metadata.annotations'] as const;

function readChange(user: RawUser, mask: readonly string[] | undefined): UserChange {
  const paths = checkMask(mask, UPDATABLE);
  const { annotations } = user;
  const isClearing = paths.has('metadata.annotations') && Object.keys(annotations).length === 0;
  return {
    ...(paths.has('primary_party') ? { primaryParty: user.primaryParty } : {}),
    ...(paths.has('is_deactivated') ? { isDeactivated: user.isDeactivated } : {}),
    ...(paths.has('metadata') || paths.has('metadata.annotations') ? { annotations } : {}),
    annotationsMode: isClearing ? 'replace' : 'merge',
    resourceVersion: user.resourceVersion,
  };
}

/**
 * Users and rights, to those who may administer them: what the gRPC service and the JSON API have in common. Rights are
 * asked for before anything else, so `rights` is read only then.
 */
export class UserAdministration {
  readonly #users: Users;

  constructor(users: Users) {
    this.#users = users;
  }

  create(access: Access, user: RawUser | undefined, rights: Iterable<Right>): User {
    access.requireAdmin();
    if (user === undefined) throw missingField('user');
    checkIdentityProvider(user.identityProviderId);
    if (user.resourceVersion !== '') {
      throw invalidArgument('user.metadata.resource_version must be empty for a new user');
    }
    return this.#users.create(user, [...rights]);
  }

  get(access: Access, reference: UserReference): User {
    return this.#users.get(this.#subject(access, reference));
  }

  update(access: Access, user: RawUser | undefined, mask: readonly string[] | undefined): User {
    access.requireAdmin();
    if (user === undefined) throw missingField('user');
    checkIdentityProvider(user.identityProviderId);
    const change = readChange(user, mask);
    if (user.id === access.userId && change.isDeactivated === true) {
      throw invalidArgument('requesting user can not self-deactivate');
    }
    return this.#users.update(user.id, change);
  }

  delete(access: Access, { userId, identityProviderId }: UserReference): void {
    access.requireAdmin();
    checkIdentityProvider(identityProviderId);
    if (userId === access.userId) throw invalidArgument('requesting user can not delete itself');
    this.#users.delete(userId);
  }

  list(
    access: Access,
    page: {
      readonly pageSize: number;
      readonly pageToken: string;
      readonly identityProviderId: string;
    },
  ): Page<User> {
    access.requireAdmin();
    checkIdentityProvider(page.identityProviderId);
    return this.#users.list(page.pageSize, page.pageToken);
  }

  rightsOf(access: Access, reference: UserReference): readonly Right[] {
    return this.#users.rightsOf(this.#subject(access, reference));
  }

  /** Gives those that were new. */
  grant(access: Access, reference: UserReference, rights: Iterable<Right>): readonly Right[] {
    access.requireAdmin();
    checkIdentityProvider(reference.identityProviderId);
    return this.#users.grant(reference.userId, [...rights]);
  }

  /** Gives those that were there. */
  revoke(access: Access, reference: UserReference, rights: Iterable<Right>): readonly Right[] {
    access.requireAdmin();
    checkIdentityProvider(reference.identityProviderId);
    return this.#users.revoke(reference.userId, [...rights]);
  }

  /** Whose data is asked for: an empty id is the caller's own, which needs no right; another's needs admin. */
  #subject(access: Access, { userId, identityProviderId }: UserReference): string {
    if (userId !== '' && userId !== access.userId) access.requireAdmin();
    checkIdentityProvider(identityProviderId);
    return userId === '' ? access.userId : userId;
  }
}
