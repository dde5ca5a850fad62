import { readMask } from './admin-requests.ts';
import { checkAnnotations, checkResourceVersion } from './annotations.ts';
import { partyDefect, userIdDefect } from './identifiers.ts';
import type { IdentityProviders } from './identity-providers.ts';
import { LedgerError } from './ledger-error.ts';
import type { Page, User, UserChange, Users } from './participant.ts';
import type { Access, Right } from './rights.ts';
import { checkArgument, invalidArgument, missingField, requireField } from './submission-checks.ts';
import { USERS_PAGE_SIZE_MAX } from './users.ts';

/** A user as described in a request. Omitted fields are empty. */
export interface RawUser {
  readonly id: string;
  readonly primaryParty: string;
  readonly isDeactivated: boolean;
  readonly primaryPartyAuthentication: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly identityProviderId: string;
}

interface UserReference {
  readonly userId: string;
  readonly identityProviderId: string;
}

const FIELDS = [
  'id',
  'primary_party',
  'is_deactivated',
  'metadata.annotations',
  'metadata.resource_version',
  'identity_provider_id',
  'primary_party_authentication',
] as const;

const ANNOTATIONS_FIELD = 'user.metadata.annotations';

function readChange(user: RawUser, mask: readonly string[]): UserChange {
  const { primaryParty, isDeactivated, primaryPartyAuthentication, annotations } = user;
  const isNamed = readMask(
    mask,
    FIELDS,
    (reason) =>
      new LedgerError(
        'INVALID_USER_UPDATE_REQUEST',
        `Update operation for user id '${user.id}' failed due to: ${reason}`,
        { resources: [{ type: 'USER', name: user.id }] },
      ),
  );
  return {
    ...(isNamed('primary_party', primaryParty === '') ? { primaryParty } : {}),
    ...(isNamed('is_deactivated', !isDeactivated) ? { isDeactivated } : {}),
    ...(isNamed('primary_party_authentication', !primaryPartyAuthentication)
      ? { primaryPartyAuthentication }
      : {}),
    ...(isNamed('metadata.annotations', Object.keys(annotations).length === 0)
      ? { annotations }
      : {}),
    resourceVersion: user.resourceVersion,
  };
}

const requireUserId = (fieldName: string, userId: string): void =>
  requireField(fieldName, userId, userIdDefect);

/** Checks a party. An empty party is valid, because the field is optional. */
function checkPrimaryParty(party: string): void {
  if (party !== '') checkArgument(party, partyDefect);
}

function checkRights(rights: Iterable<Right>): readonly Right[] {
  const all: Right[] = [];
  for (const right of rights) {
    if ('party' in right) checkArgument(right.party, partyDefect);
    all.push(right);
  }
  return all;
}

/**
 * Administration of users and rights, which the gRPC service and the JSON API share. The caller's own rights are
 * checked before the rights in the request are read.
 */
export class UserAdministration {
  readonly #users: Users;
  readonly #providers: IdentityProviders;

  constructor(users: Users, providers: IdentityProviders) {
    this.#users = users;
    this.#providers = providers;
  }

  create(access: Access, user: RawUser | undefined, rights: Iterable<Right>): User {
    access.requireAdministrator(user?.identityProviderId ?? '');
    if (user === undefined) throw missingField('user');
    requireUserId('id', user.id);
    if (user.resourceVersion !== '') {
      throw invalidArgument('field user.metadata.resource_version must be not set');
    }
    checkAnnotations(user.annotations, ANNOTATIONS_FIELD, 'not empty');
    checkPrimaryParty(user.primaryParty);
    const granted = checkRights(rights);
    access.requireGrantable(granted);
    const identityProviderId = this.#providers.scopeOf(access, user.identityProviderId);
    return this.#users.create({ ...user, identityProviderId }, granted);
  }

  get(access: Access, reference: UserReference): User {
    return this.#users.get(this.#subject(access, reference));
  }

  update(access: Access, user: RawUser | undefined, mask: readonly string[] | undefined): User {
    access.requireAdministrator(user?.identityProviderId ?? '');
    if (user === undefined) throw missingField('user');
    requireUserId('user.id', user.id);
    if (mask === undefined) throw missingField('update_mask');
    checkPrimaryParty(user.primaryParty);
    checkResourceVersion(user.resourceVersion, 'user.metadata.resource_version');
    checkAnnotations(user.annotations, ANNOTATIONS_FIELD, 'may be empty');
    const change = readChange(user, mask);
    this.#users.requireOf(this.#providers.scopeOf(access, user.identityProviderId), user.id);
    if (user.id === access.userId && change.isDeactivated === true) {
      throw invalidArgument('Requesting user cannot self-deactivate');
    }
    return this.#users.update(user.id, change);
  }

  delete(access: Access, { userId, identityProviderId }: UserReference): void {
    access.requireAdministrator(identityProviderId);
    requireUserId('user_id', userId);
    this.#users.requireOf(this.#providers.scopeOf(access, identityProviderId), userId);
    if (userId === access.userId) throw invalidArgument('Requesting user cannot delete itself');
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
    access.requireAdministrator(page.identityProviderId);
    const identityProviderId = this.#providers.scopeOf(access, page.identityProviderId);
    const { pageSize, pageToken } = page;
    if (pageSize < 0) throw invalidArgument('Max page size must be non-negative');
    const size = pageSize === 0 ? USERS_PAGE_SIZE_MAX : Math.min(pageSize, USERS_PAGE_SIZE_MAX);
    return this.#users.list(size, pageToken, identityProviderId);
  }

  rightsOf(access: Access, reference: UserReference): readonly Right[] {
    return this.#users.rightsOf(this.#subject(access, reference));
  }

  /** Returns the granted rights that the user did not have before. */
  grant(access: Access, reference: UserReference, rights: Iterable<Right>): readonly Right[] {
    access.requireAdministrator(reference.identityProviderId);
    requireUserId('user_id', reference.userId);
    const granted = checkRights(rights);
    access.requireGrantable(granted);
    this.#requireOf(access, reference);
    return this.#users.grant(reference.userId, granted);
  }

  /** Returns the revoked rights, without those that the user did not have. */
  revoke(access: Access, reference: UserReference, rights: Iterable<Right>): readonly Right[] {
    access.requireAdministrator(reference.identityProviderId);
    requireUserId('user_id', reference.userId);
    const revoked = checkRights(rights);
    access.requireGrantable(revoked);
    this.#requireOf(access, reference);
    const isOwn = reference.userId === access.userId;
    if (isOwn && revoked.some(({ kind }) => kind === 'participantAdmin')) {
      throw invalidArgument('Requesting user cannot remove own admin rights');
    }
    return this.#users.revoke(reference.userId, revoked);
  }

  /**
   * Returns the ID of the user whose data is requested. An empty ID means the caller, who needs no right; for any other
   * user the caller must be an administrator.
   */
  #subject(access: Access, { userId, identityProviderId }: UserReference): string {
    if (userId !== '' && userId !== access.userId) {
      access.requireAdministrator(identityProviderId);
    }
    const subject = userId === '' ? access.userId : userId;
    this.#requireOf(access, { userId: subject, identityProviderId });
    return subject;
  }

  /** Moves a user to another identity provider. Only administrators of the participant may do this. */
  move(
    access: Access,
    {
      userId,
      source,
      target,
    }: { readonly userId: string; readonly source: string; readonly target: string },
  ): void {
    access.requireAdmin();
    requireUserId('user_id', userId);
    this.#providers.requireKnown(source);
    this.#providers.requireKnown(target);
    this.#users.move(userId, source, target);
  }

  #requireOf(access: Access, { userId, identityProviderId }: UserReference): void {
    this.#users.requireOf(this.#providers.scopeOf(access, identityProviderId), userId);
  }
}
