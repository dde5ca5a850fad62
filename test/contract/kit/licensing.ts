import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type {
  Identifier,
  Record as LfRecord,
  Value,
} from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import {
  contractId,
  int64,
  numeric,
  party,
  record,
  recordValue,
  text,
  textMap,
  timestamp,
} from './values.ts';

/*
 * Commands on the licensing package, as any client would write them down: by package name, with labels.
 */

export const LICENSING = '#quickstart-licensing';

const inModule = (module: string) => (entity: string) => ({
  packageId: LICENSING,
  moduleName: `Licensing.${module}`,
  entityName: entity,
});

export const REQUEST: Identifier = inModule('AppInstall')('AppInstallRequest');
export const INSTALL: Identifier = inModule('AppInstall')('AppInstall');
export const LICENSE: Identifier = inModule('License')('License');
export const RENEWAL: Identifier = inModule('License')('LicenseRenewalRequest');
export const COMMENT: Identifier = inModule('LicenseComment')('LicenseComment');
export const ALLOCATION_REQUEST: Identifier = {
  packageId: '#splice-api-token-allocation-request-v1',
  moduleName: 'Splice.Api.Token.AllocationRequestV1',
  entityName: 'AllocationRequest',
};

/** `package:Module:Entity` without the package, which is a hash in events and a name in commands. */
export const templateName = (id: Identifier | undefined): string =>
  `${id?.moduleName}:${id?.entityName}`;

export const meta = (entries: Readonly<Record<string, string>> = {}): Value =>
  recordValue({ values: textMap(entries) });

export const create = (templateId: Identifier, createArguments: LfRecord): Command => ({
  command: { $case: 'create', value: { templateId, createArguments } },
});

export const exercise = (
  templateId: Identifier,
  cid: string,
  choice: string,
  choiceArgument: Value,
): Command => ({
  command: { $case: 'exercise', value: { templateId, contractId: cid, choice, choiceArgument } },
});

/** The two parties of a licence. */
export interface Sides {
  readonly user: string;
  readonly provider: string;
}

export const requestArguments = (
  { user, provider }: Sides,
  entries: Readonly<Record<string, string>> = {},
): LfRecord => record({ provider: party(provider), user: party(user), meta: meta(entries) });

/** Signed by the user; the provider sees it. */
export const createRequest = (
  sides: Sides,
  entries: Readonly<Record<string, string>> = {},
): Command => create(REQUEST, requestArguments(sides, entries));

/** Needs both signatures. */
export const createInstall = ({ user, provider }: Sides): Command =>
  create(
    INSTALL,
    record({
      provider: party(provider),
      user: party(user),
      meta: meta(),
      numLicensesCreated: int64(0n),
    }),
  );

/** Needs both signatures. @param expiresAt microseconds since the epoch */
export const createLicenseContract = (
  { user, provider }: Sides,
  licenseNum: bigint,
  expiresAt: bigint,
): Command =>
  create(
    LICENSE,
    record({
      provider: party(provider),
      user: party(user),
      expiresAt: timestamp(expiresAt),
      licenseNum: int64(licenseNum),
      params: recordValue({ meta: meta() }),
    }),
  );

export const archive = (templateId: Identifier, cid: string): Command =>
  exercise(templateId, cid, 'Archive', recordValue({}));

/** By the provider. */
export const accept = (cid: string, entries: Readonly<Record<string, string>> = {}): Command =>
  exercise(
    REQUEST,
    cid,
    'AppInstallRequest_Accept',
    recordValue({ installMeta: meta(entries), meta: meta() }),
  );

/** By the provider. */
export const reject = (cid: string): Command =>
  exercise(REQUEST, cid, 'AppInstallRequest_Reject', recordValue({ meta: meta() }));

/** By the user. */
export const cancelRequest = (cid: string): Command =>
  exercise(REQUEST, cid, 'AppInstallRequest_Cancel', recordValue({ meta: meta() }));

/** By the provider. */
export const createLicense = (installCid: string): Command =>
  exercise(
    INSTALL,
    installCid,
    'AppInstall_CreateLicense',
    recordValue({ params: recordValue({ meta: meta() }) }),
  );

/** By `actor`, who must be a signatory. */
export const cancelInstall = (installCid: string, actor: string): Command =>
  exercise(
    INSTALL,
    installCid,
    'AppInstall_Cancel',
    recordValue({ actor: party(actor), meta: meta() }),
  );

/** By `actor`, who must be a signatory, once the licence has expired. */
export const expire = (licenseCid: string, actor: string): Command =>
  exercise(
    LICENSE,
    licenseCid,
    'License_Expire',
    recordValue({ actor: party(actor), meta: meta() }),
  );

export interface Renewal {
  readonly requestId: string;
  /** Party that issues the instrument. */
  readonly admin: string;
  readonly amount?: string;
  /** Microseconds since the epoch. */
  readonly requestedAt: bigint;
  readonly prepareUntil: bigint;
  readonly settleBefore: bigint;
  readonly description?: string;
}

/** By the provider; does not consume the licence. */
export const renew = (licenseCid: string, renewal: Renewal): Command =>
  exercise(
    LICENSE,
    licenseCid,
    'License_Renew',
    recordValue({
      requestId: text(renewal.requestId),
      licenseFeeInstrumentId: recordValue({ admin: party(renewal.admin), id: text('Amulet') }),
      licenseFeeAmount: numeric(renewal.amount ?? '100.0'),
      licenseExtensionDuration: recordValue({ microseconds: int64(86_400_000_000n) }),
      requestedAt: timestamp(renewal.requestedAt),
      prepareUntil: timestamp(renewal.prepareUntil),
      settleBefore: timestamp(renewal.settleBefore),
      description: text(renewal.description ?? 'one more day'),
    }),
  );

/** By the provider, through the interface; ends the renewal. */
export const withdraw = (renewalCid: string): Command =>
  exercise(
    ALLOCATION_REQUEST,
    renewalCid,
    'AllocationRequest_Withdraw',
    recordValue({
      extraArgs: recordValue({ context: recordValue({ values: textMap({}) }), meta: meta() }),
    }),
  );

/** Signed by the commenter alone; both sides see it. */
export const createComment = (
  { user, provider }: Sides,
  commenter: string,
  body: string,
): Command =>
  create(
    COMMENT,
    record({
      provider: party(provider),
      user: party(user),
      licenseNum: int64(1n),
      commenter: party(commenter),
      body: text(body),
      createdAt: timestamp(BigInt(Date.now()) * 1_000n),
    }),
  );

export const completeRenewal = (
  renewalCid: string,
  licenseCid: string,
  allocationCid: string,
): Command =>
  exercise(
    RENEWAL,
    renewalCid,
    'LicenseRenewalRequest_CompleteRenewal',
    recordValue({
      allocationCid: contractId(allocationCid),
      licenseCid: contractId(licenseCid),
      extraArgs: recordValue({ context: recordValue({ values: textMap({}) }), meta: meta() }),
    }),
  );
