import { ALLOCATION, ALLOCATION_REQUEST, APP_INSTALL_REQUEST } from '../../domain/licensing.ts';
import type { LicensingOperation } from '../../domain/licensing.ts';
import type { ContractModel } from '../contract/model.ts';
import { defineModel } from '../contract/model.ts';
import type { OperationDefinition } from '../contract/operation.ts';
import { AppInstall } from './install/template.ts';
import { cancelInstall } from './install/cancel.ts';
import { createLicense } from './install/create-license.ts';
import { reasonIn } from './arguments.ts';
import { acceptInstallRequest } from './install-request/accept.ts';
import { cancelInstallRequest } from './install-request/cancel.ts';
import { rejectInstallRequest } from './install-request/reject.ts';
import { requestInstall } from './install-request/request.ts';
import { AppInstallRequest } from './install-request/template.ts';
import { LicenseComment, commentLicense } from './license/comment.ts';
import { expireLicense } from './license/expire.ts';
import { renewLicense } from './license/renew.ts';
import { License } from './license/template.ts';
import { completeRenewal } from './renewal/complete.ts';
import { LicenseRenewalRequest } from './renewal/template.ts';
import { withdrawRenewal } from './renewal/withdraw.ts';
import { COMMENTS, NO_METADATA, REQUEST_CANCEL } from './values.ts';

/** All operations by name; a name without a definition does not compile. */
const OPERATIONS: Readonly<Record<LicensingOperation, OperationDefinition>> = {
  'request-install': requestInstall,
  'accept-install-request': acceptInstallRequest,
  'reject-install-request': rejectInstallRequest,
  'cancel-install-request': cancelInstallRequest,
  'create-license': createLicense,
  'cancel-install': cancelInstall,
  'expire-license': expireLicense,
  'renew-license': renewLicense,
  'complete-renewal': completeRenewal,
  'withdraw-renewal': withdrawRenewal,
  'comment-license': commentLicense,
};

/** Features of the licensing package that only some versions have. */
export interface LicensingFeatures {
  /**
   * Whether the package has a choice to cancel a request. Otherwise, the built-in `Archive` is used, which needs the
   * same signature.
   */
  readonly hasRequestCancel: boolean;
  /** Whether the package has the template of comments, without which comments are impossible. */
  readonly hasComments: boolean;
}

/** Returns the model of the licensing package on a ledger. */
export const licensingModel = (features: LicensingFeatures): ContractModel =>
  defineModel({
    templates: [AppInstallRequest, AppInstall, License, LicenseRenewalRequest, LicenseComment],
    operations: Object.values(OPERATIONS),
    interfaces: [
      { name: ALLOCATION, wakesPolicies: true },
      { name: ALLOCATION_REQUEST, wakesPolicies: false },
    ],
    tick: {
      template: APP_INSTALL_REQUEST,
      argument: (user, provider) => ({ provider, user, meta: { ...NO_METADATA } }),
    },
    reasonIn,
    features: new Set([
      ...(features.hasRequestCancel ? [REQUEST_CANCEL] : []),
      ...(features.hasComments ? [COMMENTS] : []),
    ]),
  });

/** The model of the package version on LocalNet. */
export const NEWEST_MODEL = licensingModel({ hasRequestCancel: true, hasComments: true });
