import { PROVIDER, USER } from './http-api.ts';

export const RENEWAL = {
  licenseFeeCc: 100,
  licenseExtensionDuration: 'P30D',
  prepareUntilDuration: 'PT10M',
  settleBeforeDuration: 'PT20M',
  description: 'One more month',
  // Licences on different installs of one user can have the same number, and then share their renewals.
  allowConcurrent: true,
};

/** The contract IDs of the newest renewal and of its allocation. */
export const payable = { renewalRequestContractId: '', allocationContractId: '' };

/** For each step, the party that takes it, and a valid body. */
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
  setSubscription: { by: PROVIDER, body: { planId: 'subscribed' } },
  reinstateLicense: { by: PROVIDER, body: { reason: 'paid' } },
  acceptLicenseTerms: { by: USER, body: { termsHash: 'a'.repeat(64) } },
  addLicenseComment: { by: USER, body: { body: 'hello' } },
  exerciseChoice: { by: PROVIDER, body: { choice: 'AllocationRequest_Withdraw', argument: {} } },
};
