import { ServerError, Status } from 'nice-grpc';
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
import { timestampOf } from '../times.ts';

function checkPackageId(packageId: string): void {
  const defect = packageIdDefect(packageId);
  if (defect !== undefined) throw invalidArgument(`Invalid package id: ${defect}`);
}

export const packageService = ({
  packages,
}: ParticipantNode): PackageServiceImplementation<Call> => ({
  async listPackages() {
    return { packageIds: packages.list().map(({ id }) => id) };
  },

  async listVettedPackages() {
    throw new ServerError(Status.UNIMPLEMENTED, 'x');
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

export const packageManagementService = ({
  packages,
}: ParticipantNode): PackageManagementServiceImplementation<Call> => ({
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

  async updateVettedPackages() {
    throw new ServerError(Status.UNIMPLEMENTED, 'x');
  },

  async uploadDarFile({ darFile }, { access }) {
    access.requireAdmin();
    await packages.uploadDar(darFile);
    return {};
  },

  async validateDarFile({ darFile }, { access }) {
    access.requireAdmin();
    await packages.validateDar(darFile);
    return {};
  },
});
