import type {
  AllocatePartyRequest,
  AllocatePartyResponse,
  GetParticipantIdResponse,
  GetPartiesResponse,
  ListKnownPartiesResponse,
  PartyDetails,
  UpdatePartyDetailsRequest,
  UpdatePartyDetailsResponse,
} from '../../../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import type {
  CreateUserRequest,
  CreateUserResponse,
  GetUserResponse,
  GrantUserRightsRequest,
  GrantUserRightsResponse,
  ListUserRightsResponse,
  ListUsersResponse,
  RevokeUserRightsResponse,
  Right,
  UpdateUserIdentityProviderIdRequest,
  UpdateUserRequest,
  UpdateUserResponse,
  User,
} from '../../../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import { PackageStatus } from '../../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import type {
  GetPackageStatusResponse,
  ListPackagesResponse,
} from '../../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import type {
  ExperimentalCommandInspectionService,
  ExperimentalFeatures,
  ExperimentalStaticTime,
} from '../../../../proto/gen/com/daml/ledger/api/v2/experimental_features.ts';
import type {
  FeaturesDescriptor,
  GetLedgerApiVersionResponse,
  OffsetCheckpointFeature,
  PackageFeature,
  PartyManagementFeature,
  UserManagementFeature,
} from '../../../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import { enumeration, flag, int, list, message, oneOf, optional, text } from '../shape.ts';
import type { Shape } from '../shape.ts';
import { duration, objectMeta, updateMask } from './well-known.ts';

const user = message<User>('User', {
  id: text,
  primaryParty: text,
  isDeactivated: flag,
  metadata: optional(objectMeta),
  identityProviderId: text,
  primaryPartyAuthentication: flag,
});

/** This right belongs to a later version of the API and has no JSON form in this version. */
type RightKind = Exclude<NonNullable<Right['kind']>, { $case: 'canActAsAnyParty' }>;

const ofParty = (name: string) => message<{ party: string }>(name, { party: text });
const ofNoParty = (name: string) => message<object>(name, {});

const right = message<{ kind: RightKind | undefined }>('Right', {
  kind: oneOf<RightKind>({
    canActAs: ofParty('CanActAs'),
    canReadAs: ofParty('CanReadAs'),
    canExecuteAs: ofParty('CanExecuteAs'),
    participantAdmin: ofNoParty('ParticipantAdmin'),
    identityProviderAdmin: ofNoParty('IdentityProviderAdmin'),
    canReadAsAnyParty: ofNoParty('CanReadAsAnyParty'),
    canExecuteAsAnyParty: ofNoParty('CanExecuteAsAnyParty'),
  }),
}) as Shape<Right>;

export const createUserRequest = message<CreateUserRequest>('CreateUserRequest', {
  user: optional(user),
  rights: list(right),
});
export const createUserAnswer = message<CreateUserResponse>('CreateUserResponse', {
  user: optional(user),
});
export const getUserAnswer = message<GetUserResponse>('GetUserResponse', { user: optional(user) });
export const updateUserRequest = message<UpdateUserRequest>('UpdateUserRequest', {
  user: optional(user),
  updateMask,
});
export const updateUserAnswer = message<UpdateUserResponse>('UpdateUserResponse', {
  user: optional(user),
});
export const listUsersAnswer = message<ListUsersResponse>('ListUsersResponse', {
  users: list(user),
  nextPageToken: text,
});

export const updateUserProviderRequest = message<UpdateUserIdentityProviderIdRequest>(
  'UpdateUserIdentityProviderIdRequest',
  { userId: text, sourceIdentityProviderId: text, targetIdentityProviderId: text },
);

const rightsRequest = (name: string) =>
  message<GrantUserRightsRequest>(name, {
    userId: text,
    rights: list(right),
    identityProviderId: text,
  });
export const grantRightsRequest = rightsRequest('GrantUserRightsRequest');
export const revokeRightsRequest = rightsRequest('RevokeUserRightsRequest');
export const grantRightsAnswer = message<GrantUserRightsResponse>('GrantUserRightsResponse', {
  newlyGrantedRights: list(right),
});
export const revokeRightsAnswer = message<RevokeUserRightsResponse>('RevokeUserRightsResponse', {
  newlyRevokedRights: list(right),
});
export const listRightsAnswer = message<ListUserRightsResponse>('ListUserRightsResponse', {
  rights: list(right),
});

const partyDetails = message<PartyDetails>('PartyDetails', {
  party: text,
  isLocal: flag,
  localMetadata: optional(objectMeta),
  identityProviderId: text,
});

export const listPartiesAnswer = message<ListKnownPartiesResponse>('ListKnownPartiesResponse', {
  partyDetails: list(partyDetails),
  nextPageToken: text,
});
export const getPartiesAnswer = message<GetPartiesResponse>('GetPartiesResponse', {
  partyDetails: list(partyDetails),
});
export const participantIdAnswer = message<GetParticipantIdResponse>('GetParticipantIdResponse', {
  participantId: text,
});
export const allocatePartyRequest = message<AllocatePartyRequest>('AllocatePartyRequest', {
  partyIdHint: text,
  localMetadata: optional(objectMeta),
  identityProviderId: text,
  synchronizerId: text,
  userId: text,
});
export const allocatePartyAnswer = message<AllocatePartyResponse>('AllocatePartyResponse', {
  partyDetails: optional(partyDetails),
});
export const updatePartyRequest = message<UpdatePartyDetailsRequest>('UpdatePartyDetailsRequest', {
  partyDetails: optional(partyDetails),
  updateMask,
});
export const updatePartyAnswer = message<UpdatePartyDetailsResponse>('UpdatePartyDetailsResponse', {
  partyDetails: optional(partyDetails),
});

export const listPackagesAnswer = message<ListPackagesResponse>('ListPackagesResponse', {
  packageIds: list(text),
});
export const packageStatusAnswer = message<GetPackageStatusResponse>('GetPackageStatusResponse', {
  packageStatus: enumeration('PACKAGE_STATUS', PackageStatus),
});

export const versionAnswer = message<GetLedgerApiVersionResponse>('GetLedgerApiVersionResponse', {
  version: text,
  features: optional(
    message<FeaturesDescriptor>('FeaturesDescriptor', {
      experimental: optional(
        message<ExperimentalFeatures>('ExperimentalFeatures', {
          staticTime: optional(
            message<ExperimentalStaticTime>('ExperimentalStaticTime', { supported: flag }),
          ),
          commandInspectionService: optional(
            message<ExperimentalCommandInspectionService>('ExperimentalCommandInspectionService', {
              supported: flag,
            }),
          ),
        }),
      ),
      userManagement: optional(
        message<UserManagementFeature>('UserManagementFeature', {
          supported: flag,
          maxRightsPerUser: int,
          maxUsersPageSize: int,
        }),
      ),
      partyManagement: optional(
        message<PartyManagementFeature>('PartyManagementFeature', { maxPartiesPageSize: int }),
      ),
      offsetCheckpoint: optional(
        message<OffsetCheckpointFeature>('OffsetCheckpointFeature', {
          maxOffsetCheckpointEmissionDelay: optional(duration),
        }),
      ),
      packageFeature: optional(
        message<PackageFeature>('PackageFeature', { maxVettedPackagesPageSize: int }),
      ),
    }),
  ),
});
