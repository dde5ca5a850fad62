import { int64, party, record, timestamp, unit } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { choice, template, typeNamer } from '../package-definition.ts';
import { Metadata } from './metadata.ts';

const named = typeNamer('quickstart-licensing');

export const LicenseParams = record(named('Licensing.License:LicenseParams'), { meta: Metadata });

const Payload = record(named('Licensing.License:License'), {
  provider: party,
  user: party,
  expiresAt: timestamp,
  licenseNum: int64,
  params: LicenseParams,
});
export type LicensePayload = LfValue<typeof Payload>;

const Expire = choice({
  name: 'License_Expire',
  kind: 'consuming',
  argument: record(named('Licensing.License:License_Expire'), { actor: party, meta: Metadata }),
  result: unit,
  controllers: (_license: LicensePayload, { actor }) => [actor],
  exercise: (ledger, { payload }, { actor }) => {
    const isSignatory = actor === payload.provider || actor === payload.user;
    ledger.require('Actor is a signatory', isSignatory);
    ledger.requireDeadlineExceeded('expiresAt', payload.expiresAt);
    return {};
  },
});

/** The user's right to use the provider's app, under both signatures. */
export const License = template<LicensePayload>({
  name: named('Licensing.License:License'),
  payload: Payload,
  signatories: ({ provider, user }) => [provider, user],
  observers: () => [],
  choices: [Expire],
});
