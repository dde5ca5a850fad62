import { APP_INSTALL } from '../../../domain/licensing.ts';
import { install } from '../../../../machines/install.machine.ts';
import { PARTY, record } from '../../contract/lf.ts';
import type { Attempt } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { actorAndMeta } from '../arguments.ts';
import type { MetaBody } from '../values.ts';
import { METADATA, NO_CONTENT, toLedger } from '../values.ts';

/** Either side ends an install. The install's licences remain. */
export const cancelInstall = defineOperation(install, {
  name: 'cancel-install',
  action: 'cancel',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: APP_INSTALL,
    name: 'AppInstall_Cancel',
    argument: record({ actor: PARTY, meta: METADATA }),
    consequence: { kind: 'ends', event: 'ledger.installCancelled', state: 'cancelled' },
  },
  argument: ({ body, lifecycle }: Attempt<MetaBody>) => ({
    actor: lifecycle.provider,
    meta: toLedger(body.meta),
  }),
  answer: () => NO_CONTENT,
  means: actorAndMeta,
});
