import type {
  Right as RightMessage,
  User as UserMessage,
  UserManagementServiceImplementation,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { User, UserChange } from '../../ledger/participant.ts';
import type { Access, Right } from '../../ledger/rights.ts';
import { invalidArgument, missingField } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import { checkIdentityProvider, checkMask } from './admin-requests.ts';

const encodeUser = ({ metadata, ...user }: User): UserMessage => ({
  ...user,
  metadata: { ...metadata, annotations: { ...metadata.annotations } },
  primaryPartyAuthentication: false,
});

function encodeRight(right: Right): RightMessage {
  return 'party' in right
    ? { kind: { $case: right.kind, value: { party: right.party } } }
    : { kind: { $case: right.kind, value: {} } };
}

function readRight({ kind }: RightMessage): Right {
  switch (kind?.$case) {
    case undefined:
      throw missingField('rights.kind');
    case 'canActAs':
    case 'canReadAs':
    case 'canExecuteAs':
      return { kind: kind.$case, party: kind.value.party };
    case 'participantAdmin':
    case 'identityProviderAdmin':
    case 'canReadAsAnyParty':
    case 'canExecuteAsAnyParty':
      return { kind: kind.$case };
    case 'canActAsAnyParty':
      throw invalidArgument('CanActAsAnyParty is not known to this version');
    default:
      throw new TypeError(`no such right: ${JSON.stringify(kind satisfies never)}`);
  }
}

/** Whose data is asked for: an empty id is the caller's own, which needs no right; another's needs admin. */
function subjectOf(userId: string, access: Access): string {
  if (userId === '' || userId === access.userId) return access.userId;
  access.requireAdmin();
  return userId;
}

const UPDATABLE = ['primary_party', 'is_deactivated', 'metadata', 'metadata.annotations'] as const;

function readChange(user: UserMessage, mask: readonly string[] | undefined): UserChange {
  const paths = checkMask(mask, UPDATABLE);
  const annotations = user.metadata?.annotations ?? {};
  const isClearing = paths.has('metadata.annotations') && Object.keys(annotations).length === 0;
  return {
    ...(paths.has('primary_party') ? { primaryParty: user.primaryParty } : {}),
    ...(paths.has('is_deactivated') ? { isDeactivated: user.isDeactivated } : {}),
    ...(paths.has('metadata') || paths.has('metadata.annotations') ? { annotations } : {}),
    annotationsMode: isClearing ? 'replace' : 'merge',
    resourceVersion: user.metadata?.resourceVersion ?? '',
  };
}

export function userManagementService({
  users,
}: ParticipantNode): UserManagementServiceImplementation<Call> {
  return {
    async createUser({ user, rights }, { access }) {
      access.requireAdmin();
      if (user === undefined) throw missingField('user');
      checkIdentityProvider(user.identityProviderId);
      if ((user.metadata?.resourceVersion ?? '') !== '') {
        throw invalidArgument('user.metadata.resource_version must be empty for a new user');
      }
      const { id, primaryParty, isDeactivated } = user;
      const annotations = user.metadata?.annotations ?? {};
      const created = users.create(
        { id, primaryParty, isDeactivated, annotations },
        rights.map(readRight),
      );
      return { user: encodeUser(created) };
    },

    async getUser({ userId, identityProviderId }, { access }) {
      const subject = subjectOf(userId, access);
      checkIdentityProvider(identityProviderId);
      return { user: encodeUser(users.get(subject)) };
    },

    async updateUser({ user, updateMask }, { access }) {
      access.requireAdmin();
      if (user === undefined) throw missingField('user');
      checkIdentityProvider(user.identityProviderId);
      const change = readChange(user, updateMask);
      if (user.id === access.userId && change.isDeactivated === true) {
        throw invalidArgument('requesting user can not self-deactivate');
      }
      return { user: encodeUser(users.update(user.id, change)) };
    },

    async deleteUser({ userId, identityProviderId }, { access }) {
      access.requireAdmin();
      checkIdentityProvider(identityProviderId);
      if (userId === access.userId) throw invalidArgument('requesting user can not delete itself');
      users.delete(userId);
      return {};
    },

    async listUsers({ pageSize, pageToken, identityProviderId }, { access }) {
      access.requireAdmin();
      checkIdentityProvider(identityProviderId);
      const { items, nextPageToken } = users.list(pageSize, pageToken);
      return { users: items.map(encodeUser), nextPageToken };
    },

    async grantUserRights({ userId, rights, identityProviderId }, { access }) {
      access.requireAdmin();
      checkIdentityProvider(identityProviderId);
      const added = users.grant(userId, rights.map(readRight));
      return { newlyGrantedRights: added.map(encodeRight) };
    },

    async revokeUserRights({ userId, rights, identityProviderId }, { access }) {
      access.requireAdmin();
      checkIdentityProvider(identityProviderId);
      const removed = users.revoke(userId, rights.map(readRight));
      return { newlyRevokedRights: removed.map(encodeRight) };
    },

    async listUserRights({ userId, identityProviderId }, { access }) {
      const subject = subjectOf(userId, access);
      checkIdentityProvider(identityProviderId);
      return { rights: users.rightsOf(subject).map(encodeRight) };
    },
  };
}
