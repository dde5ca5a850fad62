import { UpdateVettedPackagesForceFlag as ForceFlag } from '../../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import type {
  UpdateVettedPackagesRequest,
  UpdateVettedPackagesResponse,
  VettedPackagesChange,
  VettedPackagesChange_Unvet as Unvet,
  VettedPackagesChange_Vet as Vet,
  VettedPackagesRef,
} from '../../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import type {
  PriorTopologySerial,
  VettedPackage,
  VettedPackages,
} from '../../../../proto/gen/com/daml/ledger/api/v2/package_reference.ts';
import type {
  ListVettedPackagesRequest,
  ListVettedPackagesResponse,
  PackageMetadataFilter,
  TopologyStateFilter,
} from '../../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import { bare, enumeration, flag, int, list, message, oneOf, optional, text } from '../shape.ts';
import { instant } from './well-known.ts';

const vettedPackages = message<VettedPackages>('VettedPackages', {
  packages: list(
    message<VettedPackage>('VettedPackage', {
      packageId: text,
      validFromInclusive: optional(instant),
      validUntilExclusive: optional(instant),
      packageName: text,
      packageVersion: text,
    }),
  ),
  participantId: text,
  synchronizerId: text,
  topologySerial: int,
});

export const listVettedRequest = message<ListVettedPackagesRequest>('ListVettedPackagesRequest', {
  packageMetadataFilter: optional(
    message<PackageMetadataFilter>('PackageMetadataFilter', {
      packageIds: list(text),
      packageNamePrefixes: list(text),
    }),
  ),
  topologyStateFilter: optional(
    message<TopologyStateFilter>('TopologyStateFilter', {
      participantIds: list(text),
      synchronizerIds: list(text),
    }),
  ),
  pageToken: text,
  pageSize: int,
});
export const listVettedAnswer = message<ListVettedPackagesResponse>('ListVettedPackagesResponse', {
  vettedPackages: list(vettedPackages),
  nextPageToken: text,
});

const packages = list(
  message<VettedPackagesRef>('VettedPackagesRef', {
    packageId: text,
    packageName: text,
    packageVersion: text,
  }),
);

const change = message<VettedPackagesChange>('VettedPackagesChange', {
  operation: oneOf<NonNullable<VettedPackagesChange['operation']>>({
    vet: message<Vet>('Vet', {
      packages,
      newValidFromInclusive: optional(instant),
      newValidUntilExclusive: optional(instant),
    }),
    unvet: message<Unvet>('Unvet', { packages }),
  }),
});

const priorSerial = message<PriorTopologySerial>('PriorTopologySerial', {
  serial: oneOf<NonNullable<PriorTopologySerial['serial']>>({
    prior: int,
    noPrior: bare('NoPrior', message<object>('NoPrior', {})),
  }),
});

export const updateVettedRequest = message<UpdateVettedPackagesRequest>(
  'UpdateVettedPackagesRequest',
  {
    changes: list(change),
    dryRun: flag,
    synchronizerId: text,
    expectedTopologySerial: optional(priorSerial),
    updateVettedPackagesForceFlags: list(
      enumeration('UPDATE_VETTED_PACKAGES_FORCE_FLAG', ForceFlag),
    ),
  },
);
export const updateVettedAnswer = message<UpdateVettedPackagesResponse>(
  'UpdateVettedPackagesResponse',
  { pastVettedPackages: optional(vettedPackages), newVettedPackages: optional(vettedPackages) },
);
