import { UploadDarFileRequest_VettingChange as VettingChange } from '../../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import { unary } from '../operation.ts';
import type { Operation } from '../operation.ts';
import {
  listPackagesAnswer,
  packageStatusAnswer,
  versionAnswer,
} from '../shapes/administration.ts';
import {
  listVettedAnswer,
  listVettedRequest,
  updateVettedAnswer,
  updateVettedRequest,
} from '../shapes/vetting.ts';
import { nothing } from '../shapes/commands.ts';

const PATH = '/v2/packages';
const VETTING = '/v2/package-vetting';
const NO_FILE = new Uint8Array();

const upload = (path: string) =>
  unary({
    method: 'POST',
    path,
    calls: 'PackageManagementService/UploadDarFile',
    isFile: true,
    query: [
      { name: 'vetAllPackages', kind: 'flag' },
      { name: 'synchronizerId', kind: 'text' },
    ],
    answer: nothing('UploadDarFileResponse'),
    run: ({ packageManagement }, { body, query }, call) => {
      const isVetted = query.flag('vetAllPackages') ?? true;
      return packageManagement.uploadDarFile(
        {
          darFile: (body as Uint8Array | undefined) ?? NO_FILE,
          submissionId: '',
          vettingChange: isVetted
            ? VettingChange.VET_ALL_PACKAGES
            : VettingChange.DONT_VET_ANY_PACKAGES,
          synchronizerId: query.text('synchronizerId'),
        },
        call,
      );
    },
  });

const listVetted = (method: 'GET' | 'POST', path: string) =>
  unary({
    method,
    path,
    calls: 'PackageService/ListVettedPackages',
    isDeprecated: method === 'GET',
    body: listVettedRequest,
    answer: listVettedAnswer,
    run: ({ packages }, { body }, call) => packages.listVettedPackages(body, call),
  });

const updateVetted = (path: string, isDeprecated: boolean) =>
  unary({
    method: 'POST',
    path,
    calls: 'PackageManagementService/UpdateVettedPackages',
    isDeprecated,
    body: updateVettedRequest,
    answer: updateVettedAnswer,
    run: ({ packageManagement }, { body }, call) =>
      packageManagement.updateVettedPackages(body, call),
  });

export const packageOperations: readonly Operation[] = [
  unary({
    method: 'GET',
    path: '/v2/version',
    calls: 'VersionService/GetLedgerApiVersion',
    answer: versionAnswer,
    run: ({ version }, _given, call) => version.getLedgerApiVersion({}, call),
  }),
  unary({
    method: 'POST',
    path: '/v2/dars/validate',
    calls: 'PackageManagementService/ValidateDarFile',
    isFile: true,
    query: [{ name: 'synchronizerId', kind: 'text' }],
    run: async ({ packageManagement }, { body, query }, call) => {
      const darFile = (body as Uint8Array | undefined) ?? NO_FILE;
      const synchronizerId = query.text('synchronizerId');
      await packageManagement.validateDarFile({ darFile, submissionId: '', synchronizerId }, call);
    },
  }),
  upload('/v2/dars'),
  unary({
    method: 'GET',
    path: PATH,
    calls: 'PackageService/ListPackages',
    answer: listPackagesAnswer,
    run: ({ packages }, _given, call) => packages.listPackages({}, call),
  }),
  upload(PATH),
  unary({
    method: 'GET',
    path: `${PATH}/{package-id}`,
    calls: 'PackageService/GetPackage',
    run: async ({ packages }, { path }, call) => {
      const packageId = path['package-id'] ?? '';
      const { archivePayload, hash = '' } = await packages.getPackage({ packageId }, call);
      return { file: archivePayload, headers: { 'canton-package-hash': hash } };
    },
  }),
  unary({
    method: 'GET',
    path: `${PATH}/{package-id}/status`,
    calls: 'PackageService/GetPackageStatus',
    answer: packageStatusAnswer,
    run: ({ packages }, { path }, call) =>
      packages.getPackageStatus({ packageId: path['package-id'] ?? '' }, call),
  }),
  listVetted('GET', VETTING),
  updateVetted(VETTING, true),
  listVetted('POST', `${VETTING}/list`),
  updateVetted(`${VETTING}/update`, false),
];
