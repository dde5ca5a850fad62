import { anotherLapse } from '../../../domain/expiry-policy.ts';
import { LICENSE } from '../../../domain/licensing.ts';
import { license } from '../../../../machines/license.machine.ts';
import { openRenewals } from '../../../../machines/renewal.machine.ts';
import { PARTY, record } from '../../contract/lf.ts';
import type { Attempt } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { actorAndMeta } from '../arguments.ts';
import type { MetaBody } from '../values.ts';
import { METADATA, toLedger, withNote } from '../values.ts';

/** Either side, or the provider's policy, ends a licence that has lapsed. */
export const expireLicense = defineOperation(license, {
  name: 'expire-license',
  action: 'expire',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: LICENSE,
    name: 'License_Expire',
    argument: record({ actor: PARTY, meta: METADATA }),
    consequence: { kind: 'ends', event: 'ledger.licenseExpired', state: 'expired' },
  },
  argument: ({ change, body, lifecycle: { provider } }: Attempt<MetaBody>) => ({
    actor: provider,
    meta: withNote(toLedger(body.meta), change, provider),
  }),
  answer: () => ({ status: 200, body: 'License expired successfully' }),
  means: actorAndMeta,
  // If a renewal was opened before the change's turn, the licence must be kept.
  outdated: (origin, lifecycle, { around, certainMs }) =>
    openRenewals(around, certainMs).length > 0
      ? 'a renewal is open, so the policy does not end the licence'
      : anotherLapse(lifecycle, origin),
});
