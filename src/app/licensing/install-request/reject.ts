import { APP_INSTALL_REQUEST } from '../../../domain/licensing.ts';
import { installRequest } from '../../../../machines/install-request.machine.ts';
import { record } from '../../contract/lf.ts';
import type { Attempt } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { metaOnly } from '../arguments.ts';
import type { MetaBody } from '../values.ts';
import { METADATA, NO_CONTENT, toLedger } from '../values.ts';

/** The provider rejects an install request. */
export const rejectInstallRequest = defineOperation(installRequest, {
  name: 'reject-install-request',
  action: 'reject',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: APP_INSTALL_REQUEST,
    name: 'AppInstallRequest_Reject',
    argument: record({ meta: METADATA }),
    consequence: { kind: 'ends', event: 'ledger.requestRejected', state: 'rejected' },
  },
  argument: ({ body }: Attempt<MetaBody>) => ({ meta: toLedger(body.meta) }),
  answer: () => NO_CONTENT,
  means: metaOnly,
});
