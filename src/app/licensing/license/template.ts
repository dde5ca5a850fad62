import type { JsonRecord } from '../../../domain/json.ts';
import { LICENSE } from '../../../domain/licensing.ts';
import { isPast, isoToMs } from '../../../domain/time.ts';
import { license } from '../../../../machines/license.machine.ts';
import { INT64, PARTY, TIMESTAMP, record } from '../../contract/lf.ts';
import { defineTemplate } from '../../contract/template.ts';
import type { LifecycleView } from '../../ports/views.ts';
import { renewalBody } from '../renewal/template.ts';
import { COMPLETE_RENEWAL, METADATA, identity, toRest } from '../values.ts';

/** A user's licence of the app. Completing a renewal archives the contract and creates the next one. */
export const License = defineTemplate(license, {
  name: LICENSE,
  fields: {
    provider: PARTY,
    user: PARTY,
    licenseNum: INT64,
    expiresAt: TIMESTAMP,
    params: record({ meta: METADATA }),
  },
  required: ['provider', 'user', 'licenseNum', 'expiresAt'],
  lifecycle: {
    word: 'License',
    read: ({ provider, user, licenseNum, expiresAt }) => ({
      provider,
      appUser: user,
      input: { expiresAt },
      columns: { licenseNum: BigInt(licenseNum), expiresAt: expiresAt === '' ? null : expiresAt },
    }),
    replacement: {
      inside: COMPLETE_RENEWAL,
      event: ({ expiresAt }) => ({ type: 'ledger.licenseRenewed', expiresAt }),
    },
    endings: { Archive: { event: 'ledger.licenseExpired', state: 'expired' } },
    lapse: ({ expiresAt }) => expiresAt,
    body: licenseBody,
  },
});

/**
 * Returns the REST body of a licence: the reference application's members, and the identity of its lifecycle. `nowMs`
 * is ledger time, because `isExpired` must agree with the ledger.
 */
function licenseBody({ lifecycle, payload, renewals }: LifecycleView, nowMs: number): JsonRecord {
  const { provider, user, licenseNum, expiresAt, params } = License.read(payload);
  return {
    contractId: lifecycle.contractId,
    provider,
    user,
    params: { meta: toRest(params?.meta) },
    expiresAt,
    licenseNum: Number(licenseNum),
    isExpired: isPast(expiresAt, nowMs),
    renewalRequests: renewals.map((renewal) => renewalBody(renewal, nowMs)),
    isNeverRenewed: isoToMs(expiresAt) <= isoToMs(lifecycle.createdAt),
    ...identity(lifecycle),
  };
}
