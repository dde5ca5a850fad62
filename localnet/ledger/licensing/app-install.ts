import { addInt64 } from '../contract-failures.ts';
import { contractIdOf, int64, party, record, unit } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { choice, template, typeNamer } from '../package-definition.ts';
import type { TemplateDefinition } from '../package-definition.ts';
import { License, LicenseParams } from './license.ts';
import { Metadata } from '../tokens/metadata.ts';

const named = typeNamer('quickstart-licensing');
const INSTALL = named('Licensing.AppInstall:AppInstall');

const RequestPayload = record(named('Licensing.AppInstall:AppInstallRequest'), {
  provider: party,
  user: party,
  meta: Metadata,
});
export type AppInstallRequestPayload = LfValue<typeof RequestPayload>;

const InstallPayload = record(INSTALL, {
  provider: party,
  user: party,
  meta: Metadata,
  numLicensesCreated: int64,
});
export type AppInstallPayload = LfValue<typeof InstallPayload>;

const CreateLicenseResult = record(named('Licensing.AppInstall:AppInstall_CreateLicense_Result'), {
  installId: contractIdOf(INSTALL),
  licenseId: contractIdOf(named('Licensing.License:License')),
});

const CreateLicense = choice({
  name: 'AppInstall_CreateLicense',
  kind: 'consuming',
  argument: record(named('Licensing.AppInstall:AppInstall_CreateLicense'), {
    params: LicenseParams,
  }),
  result: CreateLicenseResult,
  controllers: ({ provider }: AppInstallPayload) => [provider],
  exercise: (ledger, { payload }, { params }) => {
    const { provider, user } = payload;
    const numLicensesCreated = addInt64(ledger, payload.numLicensesCreated, 1n);
    const licenseId = ledger.create(License, {
      provider,
      user,
      expiresAt: ledger.getTime(),
      licenseNum: numLicensesCreated,
      params,
    });
    const installId = ledger.create(AppInstall, { ...payload, numLicensesCreated });
    return { installId, licenseId };
  },
});

const CancelInstall = choice({
  name: 'AppInstall_Cancel',
  kind: 'consuming',
  argument: record(named('Licensing.AppInstall:AppInstall_Cancel'), {
    actor: party,
    meta: Metadata,
  }),
  result: unit,
  controllers: (_install: AppInstallPayload, { actor }) => [actor],
  exercise: (ledger, { payload }, { actor }) => {
    const isSignatory = actor === payload.provider || actor === payload.user;
    ledger.require('Actor is a signatory', isSignatory);
    return {};
  },
});

/**
 * The agreement that lets the provider create licences for the user. Each new licence replaces this contract by a new
 * one.
 */
export const AppInstall: TemplateDefinition<AppInstallPayload> = template({
  name: INSTALL,
  payload: InstallPayload,
  signatories: ({ provider, user }) => [provider, user],
  observers: () => [],
  choices: [CreateLicense, CancelInstall],
});

const Accept = choice({
  name: 'AppInstallRequest_Accept',
  kind: 'consuming',
  argument: record(named('Licensing.AppInstall:AppInstallRequest_Accept'), {
    installMeta: Metadata,
    meta: Metadata,
  }),
  result: contractIdOf(INSTALL),
  controllers: ({ provider }: AppInstallRequestPayload) => [provider],
  exercise: (ledger, { payload: { provider, user } }, { installMeta }) =>
    ledger.create(AppInstall, { provider, user, meta: installMeta, numLicensesCreated: 0n }),
});

const Reject = choice({
  name: 'AppInstallRequest_Reject',
  kind: 'consuming',
  argument: record(named('Licensing.AppInstall:AppInstallRequest_Reject'), { meta: Metadata }),
  result: unit,
  controllers: ({ provider }: AppInstallRequestPayload) => [provider],
  exercise: () => ({}),
});

const CancelRequest = choice({
  name: 'AppInstallRequest_Cancel',
  kind: 'consuming',
  argument: record(named('Licensing.AppInstall:AppInstallRequest_Cancel'), { meta: Metadata }),
  result: unit,
  controllers: ({ user }: AppInstallRequestPayload) => [user],
  exercise: () => ({}),
});

/** A user's request to install the provider's app, which the provider accepts or rejects. */
export const AppInstallRequest = template<AppInstallRequestPayload>({
  name: named('Licensing.AppInstall:AppInstallRequest'),
  payload: RequestPayload,
  signatories: ({ user }) => [user],
  observers: ({ provider }) => [provider],
  choices: [Accept, Reject, CancelRequest],
});
