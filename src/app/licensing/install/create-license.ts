import type { Json } from '../../../domain/json.ts';
import { isJsonRecord, textAt } from '../../../domain/json.ts';
import { APP_INSTALL } from '../../../domain/licensing.ts';
import { install } from '../../../../machines/install.machine.ts';
import { record } from '../../contract/lf.ts';
import type { Attempt, Meaning } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { invalid, metadata, recordWith } from '../arguments.ts';
import type { MetaBody } from '../values.ts';
import { License } from '../license/template.ts';
import { METADATA, identity, toLedger } from '../values.ts';

interface Body {
  readonly params?: MetaBody;
}

function means(argument: Json): Meaning<Body> {
  const { params } = recordWith(argument, 'argument', ['params']);
  if (params === undefined) return invalid('argument.params', 'is required');
  const { meta } = recordWith(params, 'argument.params', ['meta']);
  return { body: { params: { meta: metadata(meta, 'argument.params.meta') } } };
}

/** The provider gives the user a licence. A new licence has already expired, until it is renewed. */
export const createLicense = defineOperation(install, {
  name: 'create-license',
  action: 'create-license',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: APP_INSTALL,
    name: 'AppInstall_CreateLicense',
    argument: record({ params: record({ meta: METADATA }) }),
    consequence: { kind: 'replaces' },
  },
  argument: ({ body }: Attempt<Body>) => ({
    params: { meta: toLedger(body.params?.meta) },
  }),
  answer: ({ created, result }) => {
    const ids = isJsonRecord(result) ? result : {};
    return {
      status: 201,
      body: {
        installId: textAt(ids, 'installId') ?? null,
        licenseId: textAt(ids, 'licenseId') ?? null,
        ...identity(created(License)?.lifecycle),
      },
    };
  },
  means,
});
