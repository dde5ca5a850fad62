import { ServerError, Status } from 'nice-grpc';
import type { PackageManagementServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import {
  HashFunction,
  PackageStatus,
} from '../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import type { PackageServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/package_service.ts';
import { isPackageId } from '../../ledger/lf-values.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import { invalidField, missingField } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import { timestampOf } from '../times.ts';

function checkPackageId(packageId: string): void {
  if (packageId === '') throw missingField('package_id');
  if (!isPackageId(packageId) && !/^[A-Za-z0-9\-_ ]{1,64}$/.test(packageId)) {
    throw invalidField('package_id', 'not a package id');
  }
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
