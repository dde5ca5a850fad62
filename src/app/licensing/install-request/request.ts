import type { Party } from '../../../domain/ids.ts';
import { textAt } from '../../../domain/json.ts';
import { APP_INSTALL_REQUEST } from '../../../domain/licensing.ts';
import { PARTY, record } from '../../contract/lf.ts';
import type { FirstAttempt } from '../../contract/operation.ts';
import { defineBeginning } from '../../contract/operation.ts';
import type { MetaBody } from '../values.ts';
import { METADATA, createdAnswer, toLedger } from '../values.ts';
import { AppInstallRequest, requestBody } from './template.ts';

interface Body extends MetaBody {
  readonly provider: Party;
}

/** A user requests the app from the provider. */
export const requestInstall = defineBeginning({
  name: 'request-install',
  actAs: 'caller',
  command: {
    kind: 'create',
    template: APP_INSTALL_REQUEST,
    argument: record({ provider: PARTY, user: PARTY, meta: METADATA }),
    begins: {
      provider: (body) => textAt(body, 'provider') as Party | undefined,
      refusal: ({ party }, body) =>
        textAt(body, 'provider') === party
          ? 'the provider cannot request an installation from itself: only a user may'
          : null,
    },
  },
  argument: ({ change, body: { provider, meta } }: FirstAttempt<Body>) => ({
    provider,
    user: change.submitter.actAs,
    meta: toLedger(meta),
  }),
  answer: ({ created }) => createdAnswer(created(AppInstallRequest), requestBody),
  isEffect: ({ change, created }) =>
    created(AppInstallRequest)?.payload.user === change.submitter.actAs,
});
