import type { TemplateName } from './ledger.ts';
import { isoToMs } from './time.ts';

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

/** The token standard's interface of what a wallet may be asked to pay. A renewal request is one. */
export const ALLOCATION_REQUEST: TemplateName = {
  packageName: 'splice-api-token-allocation-request-v1',
  moduleName: 'Splice.Api.Token.AllocationRequestV1',
  entityName: 'AllocationRequest',
};

/** The token standard's interface of money set aside for one settlement. */
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

/** What the projector subscribes to, as far as the participant knows it. */
export const LICENSING_TEMPLATES: readonly TemplateName[] = [
  APP_INSTALL_REQUEST,
  APP_INSTALL,
  LICENSE,
  LICENSE_RENEWAL_REQUEST,
  LICENSE_COMMENT,
];

/** Interfaces whose views the projector subscribes to, as far as the participant knows them. */
export const LICENSING_INTERFACES: readonly TemplateName[] = [ALLOCATION];

/** Ledger time, milliseconds since 1970: as it is taken to be, and what of it is certainly past. See `LedgerClock`. */
export interface LedgerTimes {
  readonly nowMs: number;
  readonly certainMs: number;
}

/**
 * A deadline is exceeded at the very instant it names. Source: Daml's `assertDeadlineExceeded`, inclusive.
 * `deadline` is ISO 8601, `nowMs` may have a fraction.
 */
export const isPast = (deadline: string, nowMs: number): boolean => isoToMs(deadline) <= nowMs;
