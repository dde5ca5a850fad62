import { KIND_WORD } from '../../app/licensing/operations.ts';
import type { LifecycleView } from '../../app/ports/views.ts';
import {
  appInstallBody,
  appInstallRequestBody,
  licenseBody,
  renewalBody,
} from '../../app/licensing/views.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { LifecycleKind } from '../../domain/lifecycle.ts';
import { RESOURCE_PATHS } from './address.ts';
import type { SharedSchemaName } from '../schemas.ts';

/** What callers see of one kind of lifecycle. */
export interface Resource {
  readonly kind: LifecycleKind;
  /** First segment of its addresses. */
  readonly path: string;
  /** The contract template's name, as in messages and operation ids. */
  readonly word: SharedSchemaName;
  /** In running text. */
  readonly plural: string;
  /** @param nowMs ledger time */
  readonly body: (view: LifecycleView, nowMs: number) => JsonRecord;
}

const withState = (view: LifecycleView, body: JsonRecord): JsonRecord => ({
  ...body,
  state: view.lifecycle.state,
});

export const APP_INSTALL_REQUESTS: Resource = {
  kind: 'install-request',
  path: RESOURCE_PATHS['install-request'],
  word: 'AppInstallRequest',
  plural: 'install requests',
  body: (view) => {
    const { lifecycle, payload } = view;
    return withState(view, appInstallRequestBody(payload, lifecycle.contractId, lifecycle));
  },
};

export const APP_INSTALLS: Resource = {
  kind: 'install',
  path: RESOURCE_PATHS.install,
  word: 'AppInstall',
  plural: 'installs',
  body: (view) => {
    const { lifecycle, payload } = view;
    return withState(view, appInstallBody(payload, lifecycle.contractId, lifecycle));
  },
};

export const LICENSES: Resource = {
  kind: 'license',
  path: RESOURCE_PATHS.license,
  word: 'License',
  plural: 'licences',
  body: (view, nowMs) => {
    const { lifecycle, payload, renewals } = view;
    return withState(view, licenseBody(payload, lifecycle.contractId, lifecycle, renewals, nowMs));
  },
};

export const LICENSE_RENEWAL_REQUESTS: Resource = {
  kind: 'renewal',
  path: RESOURCE_PATHS.renewal,
  word: 'LicenseRenewalRequest',
  plural: 'renewal requests',
  body: renewalBody,
};

/** The reference's words for what is not there, and for what is not the caller's. */
export const notFoundMessage = (kind: LifecycleKind, id: string): string =>
  `${KIND_WORD[kind]} not found for contract ${id}`;
