/*
 * The operations and schemas of the reference's OpenAPI document, as data. A client that is generated from Tenure's
 * document must make the same calls and find the same types.
 */

export interface ReferenceOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Whether the operation changes the ledger, and therefore has the query parameter `commandId`. */
  readonly isCommand?: true;
  /** The schema of the operation's body. If there is one, the body is required. */
  readonly request?: ReferenceRequest;
  /** The status of a success, and the schema of its body; the suffix `[]` marks an array. */
  readonly success: readonly [status: number, body?: string];
}

/**
 * The type of a member: a type, the name of a schema, or an array of either. A trailing `?` means that the member may
 * be absent. `texts` is a map from strings to strings.
 */
type Members = Readonly<Record<string, string>>;

const PARTIES = { contractId: 'string', provider: 'string', user: 'string' } as const;
const META_ONLY = { meta: 'Metadata' } as const;

/** Schemas of request bodies. */
export const REFERENCE_REQUESTS = {
  TenantRegistrationRequest: {
    tenantId: 'string',
    partyId: 'string',
    walletUrl: 'string',
    clientId: 'string?',
    issuerUrl: 'string?',
    users: 'string[]?',
  },
  AppInstallRequestAccept: { installMeta: 'Metadata', meta: 'Metadata' },
  AppInstallRequestReject: META_ONLY,
  AppInstallRequestCancel: META_ONLY,
  AppInstallCreateLicenseRequest: { params: 'LicenseParams' },
  AppInstallCancel: META_ONLY,
  LicenseRenewRequest: {
    licenseFeeCc: 'number',
    licenseExtensionDuration: 'string',
    prepareUntilDuration: 'string',
    settleBeforeDuration: 'string',
    description: 'string',
  },
  LicenseExpireRequest: META_ONLY,
  CompleteLicenseRenewalRequest: {
    renewalRequestContractId: 'string',
    allocationContractId: 'string',
  },
} as const satisfies Readonly<Record<string, Members>>;

export type ReferenceRequest = keyof typeof REFERENCE_REQUESTS;

/** Schemas of response bodies, and the parts that requests and responses share. */
export const REFERENCE_ANSWERS = {
  Metadata: { data: 'texts?' },
  LicenseParams: { meta: 'Metadata?' },
  FeatureFlags: { authMode: 'string?' },
  LoginLink: { name: 'string', url: 'string' },
  AuthenticatedUser: {
    name: 'string',
    party: 'string',
    roles: 'string[]',
    isAdmin: 'boolean',
    walletUrl: 'string',
  },
  TenantRegistration: {
    tenantId: 'string',
    partyId: 'string',
    walletUrl: 'string',
    clientId: 'string?',
    issuerUrl: 'string?',
    internal: 'boolean',
    users: 'string[]?',
  },
  AppInstallRequest: { ...PARTIES, meta: 'Metadata' },
  AppInstall: {
    ...PARTIES,
    meta: 'Metadata',
    numLicensesCreated: 'integer',
    licenseNum: 'integer',
  },
  AppInstallCreateLicenseResult: { installId: 'string?', licenseId: 'string?' },
  License: {
    ...PARTIES,
    params: 'LicenseParams',
    expiresAt: 'string',
    licenseNum: 'integer',
    isExpired: 'boolean',
    renewalRequests: 'LicenseRenewalRequest[]?',
  },
  LicenseRenewalResult: { licenseId: 'string?' },
  LicenseRenewalRequest: {
    ...PARTIES,
    licenseNum: 'integer',
    licenseFeeAmount: 'number',
    licenseFeeInstrument: 'string',
    licenseExtensionDuration: 'string',
    prepareUntil: 'string',
    settleBefore: 'string',
    requestedAt: 'string',
    description: 'string',
    requestId: 'string',
    allocationCid: 'string?',
    prepareDeadlinePassed: 'boolean',
    settleDeadlinePassed: 'boolean',
  },
  ErrorResponse: { message: 'string?' },
} as const satisfies Readonly<Record<string, Members>>;

const list = (path: string, body: string): ReferenceOperation => ({
  method: 'GET',
  path,
  success: [200, `${body}[]`],
});

const command = (
  path: string,
  success: ReferenceOperation['success'],
  request?: ReferenceRequest,
): ReferenceOperation => ({
  method: 'POST',
  path,
  isCommand: true,
  success,
  ...(request === undefined ? {} : { request }),
});

/** The operations by operationId. */
export const REFERENCE_OPERATIONS = {
  getFeatureFlags: { method: 'GET', path: '/feature-flags', success: [200, 'FeatureFlags'] },
  listLinks: list('/login-links', 'LoginLink'),
  getAuthenticatedUser: { method: 'GET', path: '/user', success: [200, 'AuthenticatedUser'] },
  listTenantRegistrations: list('/admin/tenant-registrations', 'TenantRegistration'),
  createTenantRegistration: {
    method: 'POST',
    path: '/admin/tenant-registrations',
    request: 'TenantRegistrationRequest',
    success: [201, 'TenantRegistration'],
  },
  deleteTenantRegistration: {
    method: 'DELETE',
    path: '/admin/tenant-registrations/{tenantId}',
    success: [204],
  },
  listAppInstallRequests: list('/app-install-requests', 'AppInstallRequest'),
  listAppInstalls: list('/app-installs', 'AppInstall'),
  listLicenses: list('/licenses', 'License'),
  acceptAppInstallRequest: command(
    '/app-install-requests/{contractId}:accept',
    [201, 'AppInstall'],
    'AppInstallRequestAccept',
  ),
  rejectAppInstallRequest: command(
    '/app-install-requests/{contractId}:reject',
    [204],
    'AppInstallRequestReject',
  ),
  createLicense: command(
    '/app-installs/{contractId}:create-license',
    [201, 'AppInstallCreateLicenseResult'],
    'AppInstallCreateLicenseRequest',
  ),
  cancelAppInstall: command('/app-installs/{contractId}:cancel', [204], 'AppInstallCancel'),
  renewLicense: command('/licenses/{contractId}:renew', [201], 'LicenseRenewRequest'),
  completeLicenseRenewal: command(
    '/licenses/{contractId}:complete-renewal',
    [200, 'LicenseRenewalResult'],
    'CompleteLicenseRenewalRequest',
  ),
  expireLicense: command('/licenses/{contractId}:expire', [200, 'string'], 'LicenseExpireRequest'),
  withdrawLicenseRenewalRequest: command('/license-renewal-requests/{contractId}:withdraw', [204]),
} as const satisfies Readonly<Record<string, ReferenceOperation>>;
