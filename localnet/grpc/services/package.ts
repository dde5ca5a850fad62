import type { PackageManagementServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import {
  HashFunction,
  PackageStatus,
} from '../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import type { PackageServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import { packageIdDefect } from '../../ledger/identifiers.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import { invalidArgument } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import {
  isVetting,
  listVettedPackages,
  requireSynchronizer,
  updateVettedPackages,
} from './vetting.ts';
import { timestampOf } from '../../messages/times.ts';

function checkPackageId(packageId: string): void {
  const defect = packageIdDefect(packageId);
  if (defect !== undefined) throw invalidArgument(`Invalid package id: ${defect}`);
}

export const packageService = (
  participant: ParticipantNode,
  { packages } = participant,
): PackageServiceImplementation<Call> => ({
  async listPackages() {
    return { packageIds: packages.list().map(({ id }) => id) };
  },

  async listVettedPackages(request) {
    return listVettedPackages(participant, request);
  },

  async getPackage({ packageId }) {
    checkPackageId(packageId);
    const { id, archive } = packages.get(packageId);
    return { hashFunction: HashFunction.SHA256, archivePayload: archive(), hash: id };
  },

  async getPackageStatus({ packageId }) {
    checkPackageId(packageId);
    const packageStatus = packages.has(packageId)
      ? PackageStatus.REGISTERED
      : PackageStatus.UNSPECIFIED;
    return { packageStatus };
  },
});

export const packageManagementService = (
  participant: ParticipantNode,
  { packages } = participant,
): PackageManagementServiceImplementation<Call> => ({
  async listKnownPackages(_request, { access }) {
    access.requireAdmin();
    return {
      packageDetails: packages.list().map(({ id, name, version, size, knownSince }) => ({
        packageId: id,
        packageSize: BigInt(size),
        knownSince: timestampOf(knownSince),
        name,
        version,
      })),
    };
  },

  async updateVettedPackages(request, { access }) {
    access.requireAdmin();
    return updateVettedPackages(participant, request);
  },

  async uploadDarFile({ darFile, synchronizerId, vettingChange }, { access }) {
    access.requireAdmin();
    requireSynchronizer(participant, synchronizerId);
    await packages.uploadDar(darFile, isVetting(vettingChange));
    return {};
  },

  async validateDarFile({ darFile, synchronizerId }, { access }) {
    access.requireAdmin();
    requireSynchronizer(participant, synchronizerId);
    await packages.validateDar(darFile);
    return {};
  },
});
