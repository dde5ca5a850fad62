import type { ContractId } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { APP_INSTALL_REQUEST } from '../../../domain/licensing.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { installRequest } from '../../../../machines/install-request.machine.ts';
import { PARTY } from '../../contract/lf.ts';
import type { Payload } from '../../contract/payload.ts';
import { defineTemplate } from '../../contract/template.ts';
import type { LifecycleView } from '../../ports/views.ts';
import { METADATA, identity, toRest } from '../values.ts';

const FIELDS = { provider: PARTY, user: PARTY, meta: METADATA } as const;

/** A user's request to install the app. */
export const AppInstallRequest = defineTemplate(installRequest, {
  name: APP_INSTALL_REQUEST,
  fields: FIELDS,
  required: ['provider', 'user'],
  lifecycle: {
    word: 'AppInstallRequest',
    read: ({ provider, user }) => ({ provider, appUser: user, input: {} }),
    endings: { Archive: { event: 'ledger.requestCancelled', state: 'cancelled' } },
    body,
  },
});

/** Returns the REST body of an install request: the reference application's members and its lifecycle's identity. */
export const requestBody = (
  { provider, user, meta }: Payload<typeof FIELDS, 'provider' | 'user'>,
  contractId: ContractId,
  lifecycle?: Lifecycle,
): JsonRecord => ({ contractId, provider, user, meta: toRest(meta), ...identity(lifecycle) });

function body({ lifecycle, payload }: LifecycleView): JsonRecord {
  return requestBody(AppInstallRequest.read(payload), lifecycle.contractId, lifecycle);
}
