import type { Json } from '../../../domain/json.ts';
import { APP_INSTALL_REQUEST } from '../../../domain/licensing.ts';
import { installRequest } from '../../../../machines/install-request.machine.ts';
import { record } from '../../contract/lf.ts';
import type { Attempt, Meaning } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { invalid, metadata, recordWith } from '../arguments.ts';
import { AppInstall, installBody } from '../install/template.ts';
import type { MetaBody, RestMetadata } from '../values.ts';
import { METADATA, createdAnswer, toLedger } from '../values.ts';

interface Body extends MetaBody {
  readonly installMeta?: RestMetadata;
}

function means(argument: Json): Meaning<Body> {
  const { installMeta, meta } = recordWith(argument, 'argument', ['installMeta', 'meta']);
  if (installMeta === undefined) return invalid('argument.installMeta', 'is required');
  return {
    body: {
      installMeta: metadata(installMeta, 'argument.installMeta'),
      meta: metadata(meta, 'argument.meta'),
    },
  };
}

/** The provider accepts an install request, which creates an install. */
export const acceptInstallRequest = defineOperation(installRequest, {
  name: 'accept-install-request',
  action: 'accept',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: APP_INSTALL_REQUEST,
    name: 'AppInstallRequest_Accept',
    argument: record({ installMeta: METADATA, meta: METADATA }),
    consequence: { kind: 'ends', event: 'ledger.requestAccepted', state: 'accepted' },
  },
  argument: ({ body }: Attempt<Body>) => ({
    installMeta: toLedger(body.installMeta),
    meta: toLedger(body.meta),
  }),
  answer: ({ created }) => createdAnswer(created(AppInstall), installBody),
  means,
});
