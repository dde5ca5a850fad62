import type { TemplateName } from './ledger.ts';

const PACKAGE = 'quickstart-licensing';

/** The contract templates of the licensing package. */
export const APP_INSTALL_REQUEST: TemplateName = {
  packageName: PACKAGE,
  moduleName: 'Licensing.AppInstall',
  entityName: 'AppInstallRequest',
};
export const APP_INSTALL: TemplateName = {
  packageName: PACKAGE,
  moduleName: 'Licensing.AppInstall',
  entityName: 'AppInstall',
};
export const LICENSE: TemplateName = {
  packageName: PACKAGE,
  moduleName: 'Licensing.License',
  entityName: 'License',
};

export const LICENSE_RENEWAL_REQUEST: TemplateName = {
  packageName: PACKAGE,
  moduleName: 'Licensing.License',
  entityName: 'LicenseRenewalRequest',
};

/** The token standard's interface for payment requests to a wallet. A renewal request implements it. */
export const ALLOCATION_REQUEST: TemplateName = {
  packageName: 'splice-api-token-allocation-request-v1',
  moduleName: 'Splice.Api.Token.AllocationRequestV1',
  entityName: 'AllocationRequest',
};

/** The token standard's interface for money that is set aside for one settlement. */
export const ALLOCATION: TemplateName = {
  packageName: 'splice-api-token-allocation-v1',
  moduleName: 'Splice.Api.Token.AllocationV1',
  entityName: 'Allocation',
};

export const LICENSE_COMMENT: TemplateName = {
  packageName: PACKAGE,
  moduleName: 'Licensing.LicenseComment',
  entityName: 'LicenseComment',
};

export const OPERATIONS = [
  'request-install',
  'accept-install-request',
  'reject-install-request',
  'cancel-install-request',
  'create-license',
  'cancel-install',
  'expire-license',
  'renew-license',
  'complete-renewal',
  'withdraw-renewal',
  'comment-license',
] as const;
export type LicensingOperation = (typeof OPERATIONS)[number];

export const LIFECYCLE_KINDS = ['install-request', 'install', 'license', 'renewal'] as const;
export type LicensingKind = (typeof LIFECYCLE_KINDS)[number];
