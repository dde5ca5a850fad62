import type { ContractId } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { APP_INSTALL } from '../../../domain/licensing.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { install } from '../../../../machines/install.machine.ts';
import { INT64, PARTY } from '../../contract/lf.ts';
import type { Payload } from '../../contract/payload.ts';
import { defineTemplate } from '../../contract/template.ts';
import type { LifecycleView } from '../../ports/views.ts';
import { METADATA, identity, toRest } from '../values.ts';

const FIELDS = {
  provider: PARTY,
  user: PARTY,
  meta: METADATA,
  numLicensesCreated: INT64,
} as const;

/** One installation of the app for one user. Creating a licence archives the contract and creates the next one. */
export const AppInstall = defineTemplate(install, {
  name: APP_INSTALL,
  fields: FIELDS,
  required: ['provider', 'user'],
  lifecycle: {
    word: 'AppInstall',
    read: ({ provider, user, numLicensesCreated = '0' }) => ({
      provider,
      appUser: user,
      input: { numLicensesCreated },
    }),
    replacement: {
      event: ({ numLicensesCreated = '0' }) => ({
        type: 'ledger.installReplaced',
        numLicensesCreated,
      }),
    },
    endings: {
      Archive: { event: 'ledger.installCancelled', state: 'cancelled' },
      // Here the next contract was archived in the same transaction, so the install has ended.
      AppInstall_CreateLicense: { event: 'ledger.installCancelled', state: 'cancelled' },
    },
    body,
  },
});

/** Returns the REST body of an install: the reference application's members, and the identity of its lifecycle. */
export function installBody(
  { provider, user, meta, numLicensesCreated = '0' }: Payload<typeof FIELDS, 'provider' | 'user'>,
  contractId: ContractId,
  lifecycle?: Lifecycle,
): JsonRecord {
  const created = Number(numLicensesCreated);
  return {
    contractId,
    provider,
    user,
    meta: toRest(meta),
    numLicensesCreated: created,
    licenseNum: created,
    ...identity(lifecycle),
  };
}

function body({ lifecycle, payload }: LifecycleView): JsonRecord {
  return installBody(AppInstall.read(payload), lifecycle.contractId, lifecycle);
}
