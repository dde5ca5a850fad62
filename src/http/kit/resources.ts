import type { LicensingKind } from '../../domain/licensing.ts';
import type { SharedSchemaName } from '../schemas.ts';
import { RESOURCE_PATHS } from './address.ts';
import type { CsvColumns } from './csv.ts';

/** How the API presents one kind of lifecycle. */
export interface Resource {
  readonly kind: LicensingKind;
  /** The first segment of its addresses. */
  readonly path: string;
  /** The contract template's name, as in messages and operation ids. */
  readonly word: SharedSchemaName;
  /** The plural name in running text. */
  readonly plural: string;
  /** Whether its body also shows the time or other contracts, which can change without a new version. */
  readonly showsOthers: boolean;
  /** Columns of its list as a CSV file. Absent: the list has no CSV form. */
  readonly csv?: CsvColumns;
}

export const APP_INSTALL_REQUESTS: Resource = {
  kind: 'install-request',
  path: RESOURCE_PATHS['install-request'],
  word: 'AppInstallRequest',
  plural: 'install requests',
  showsOthers: false,
};

export const APP_INSTALLS: Resource = {
  kind: 'install',
  path: RESOURCE_PATHS.install,
  word: 'AppInstall',
  plural: 'installs',
  showsOthers: false,
};

export const LICENSES: Resource = {
  kind: 'license',
  path: RESOURCE_PATHS.license,
  word: 'License',
  plural: 'licences',
  showsOthers: true,
  csv: [
    'lifecycleId',
    'reference',
    'licenseNum',
    'state',
    'provider',
    'user',
    'customer.name',
    'plan.id',
    'plan.version',
    'expiresAt',
    'isExpired',
    'contractId',
  ],
};

export const LICENSE_RENEWAL_REQUESTS: Resource = {
  kind: 'renewal',
  path: RESOURCE_PATHS.renewal,
  word: 'LicenseRenewalRequest',
  plural: 'renewal requests',
  showsOthers: true,
  csv: [
    'lifecycleId',
    'licenseLifecycleId',
    'licenseNum',
    'state',
    'provider',
    'user',
    'licenseFeeAmount',
    'licenseFeeInstrument',
    'licenseExtensionDuration',
    'description',
    'requestedAt',
    'prepareUntil',
    'settleBefore',
    'endedAt',
    'updateId',
    'contractId',
  ],
};

/** The message of the reference application for a lifecycle that does not exist or belongs to another party. */
export const notFoundMessage = ({ word }: Resource, id: string): string =>
  `${word} not found for contract ${id}`;
