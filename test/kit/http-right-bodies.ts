import { PROVIDER, USER } from './http-api.ts';

export const RENEWAL = {
  licenseFeeCc: 100,
  licenseExtensionDuration: 'P30D',
  prepareUntilDuration: 'PT10M',
  settleBeforeDuration: 'PT20M',
  description: 'One more month',
  // Licences of several installs of one user share their numbers, and so their renewals.
  allowConcurrent: true,
};

/** The renewal that was made last, with the money for it. */
export const payable = { renewalRequestContractId: '', allocationContractId: '' };

/** Whose step it is, and a body that is right for it. */
export const RIGHT: Readonly<
  Record<string, { readonly by: typeof PROVIDER; readonly body?: object }>
> = {
  createAppInstallRequest: { by: USER },
  acceptAppInstallRequest: { by: PROVIDER, body: { installMeta: {} } },
  rejectAppInstallRequest: { by: PROVIDER },
  cancelAppInstallRequest: { by: USER },
  createLicense: { by: PROVIDER, body: { params: {} } },
  listTenantRegistrations: { by: PROVIDER },
  createTenantRegistration: { by: PROVIDER },
  deleteTenantRegistration: { by: PROVIDER },
  previewDeleteTenantRegistration: { by: PROVIDER },
  renewLicense: { by: PROVIDER, body: RENEWAL },
  completeLicenseRenewal: { by: PROVIDER, body: payable },
  completeLicenseRenewalRequest: { by: PROVIDER, body: payable },
  withdrawLicenseRenewalRequest: { by: PROVIDER },
  suspendLicense: { by: PROVIDER, body: { reason: 'chargeback' } },
  reinstateLicense: { by: PROVIDER, body: { reason: 'paid' } },
  acceptLicenseTerms: { by: USER, body: { termsHash: 'a'.repeat(64) } },
  addLicenseComment: { by: USER, body: { body: 'hello' } },
  exerciseChoice: { by: PROVIDER, body: { choice: 'AllocationRequest_Withdraw', argument: {} } },
};
