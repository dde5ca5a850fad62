import { APP_INSTALL_REQUEST } from '../../../domain/licensing.ts';
import { installRequest } from '../../../../machines/install-request.machine.ts';
import { record } from '../../contract/lf.ts';
import type { Attempt } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { metaOnly } from '../arguments.ts';
import type { MetaBody } from '../values.ts';
import { METADATA, NO_CONTENT, REQUEST_CANCEL, toLedger } from '../values.ts';

/** The user cancels an install request. */
export const cancelInstallRequest = defineOperation(installRequest, {
  name: 'cancel-install-request',
  action: 'cancel',
  actAs: 'caller',
  command: {
    kind: 'choice',
    template: APP_INSTALL_REQUEST,
    name: 'AppInstallRequest_Cancel',
    argument: record({ meta: METADATA }),
    consequence: { kind: 'ends', event: 'ledger.requestCancelled', state: 'cancelled' },
    // `Archive` needs the same signature.
    elseArchive: { lacking: REQUEST_CANCEL },
  },
  argument: ({ body }: Attempt<MetaBody>) => ({ meta: toLedger(body.meta) }),
  answer: () => NO_CONTENT,
  means: metaOnly,
});
