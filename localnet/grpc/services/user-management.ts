import type {
  Right as RightMessage,
  User as UserMessage,
  UserManagementServiceImplementation,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { User } from '../../ledger/participant.ts';
import { unknownRight } from '../../ledger/rights.ts';
import type { Right } from '../../ledger/rights.ts';
import { UserAdministration } from '../../ledger/user-administration.ts';
import type { RawUser } from '../../ledger/user-administration.ts';
import type { Call } from '../call.ts';
import { mapped } from '../../ledger/mapped.ts';

const encodeUser = ({ metadata, ...user }: User): UserMessage => ({
  ...user,
  metadata: { ...metadata, annotations: { ...metadata.annotations } },
  primaryPartyAuthentication: user.primaryPartyAuthentication ?? false,
});

function encodeRight(right: Right): RightMessage {
  return 'party' in right
    ? { kind: { $case: right.kind, value: { party: right.party } } }
    : { kind: { $case: right.kind, value: {} } };
}

function readRight({ kind }: RightMessage): Right {
  switch (kind?.$case) {
    case undefined:
      throw unknownRight();
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
      throw unknownRight();
    default:
      throw new TypeError(`no such right: ${JSON.stringify(kind satisfies never)}`);
  }
}

const readUser = ({ metadata, ...user }: UserMessage): RawUser => ({
  ...user,
  annotations: metadata?.annotations ?? {},
  resourceVersion: metadata?.resourceVersion ?? '',
});

/**
 * Decodes rights one by one when they are needed. So a caller without permission is refused before errors in the rights
 * are reported.
 */
const readRights = (rights: readonly RightMessage[]): Iterable<Right> => mapped(rights, readRight);

export function userManagementService(
  participant: ParticipantNode,
): UserManagementServiceImplementation<Call> {
  const users = new UserAdministration(participant.users, participant.identityProviders);
  return {
    async createUser({ user, rights }, { access }) {
      const raw = user === undefined ? undefined : readUser(user);
      return { user: encodeUser(users.create(access, raw, readRights(rights))) };
    },

    async getUser(reference, { access }) {
      return { user: encodeUser(users.get(access, reference)) };
    },

    async updateUser({ user, updateMask }, { access }) {
      const raw = user === undefined ? undefined : readUser(user);
      return { user: encodeUser(users.update(access, raw, updateMask)) };
    },

    async deleteUser(reference, { access }) {
      users.delete(access, reference);
      return {};
    },

    async listUsers(request, { access }) {
      const { items, nextPageToken } = users.list(access, request);
      return { users: items.map(encodeUser), nextPageToken };
    },

    async grantUserRights({ rights, ...reference }, { access }) {
      const added = users.grant(access, reference, readRights(rights));
      return { newlyGrantedRights: added.map(encodeRight) };
    },

    async revokeUserRights({ rights, ...reference }, { access }) {
      const removed = users.revoke(access, reference, readRights(rights));
      return { newlyRevokedRights: removed.map(encodeRight) };
    },

    async updateUserIdentityProviderId(request, { access }) {
      const { userId, sourceIdentityProviderId, targetIdentityProviderId } = request;
      const source = sourceIdentityProviderId;
      users.move(access, { userId, source, target: targetIdentityProviderId });
      return {};
    },

    async listUserRights(reference, { access }) {
      return { rights: users.rightsOf(access, reference).map(encodeRight) };
    },
  };
}
