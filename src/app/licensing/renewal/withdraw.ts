import type { Json, JsonRecord } from '../../../domain/json.ts';
import { ALLOCATION_REQUEST } from '../../../domain/licensing.ts';
import { renewal } from '../../../../machines/renewal.machine.ts';
import { record } from '../../contract/lf.ts';
import type { Attempt, Meaning } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { checkExtraArgs, recordWith } from '../arguments.ts';
import { EXTRA_ARGS, NO_CONTENT, NO_METADATA, withNote } from '../values.ts';

function means(argument: Json): Meaning {
  checkExtraArgs(recordWith(argument, 'argument', ['extraArgs'])['extraArgs']);
  return { body: {} };
}

/** The provider withdraws a renewal request, by a choice of the token standard's interface. */
export const withdrawRenewal = defineOperation(renewal, {
  name: 'withdraw-renewal',
  action: 'withdraw',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: ALLOCATION_REQUEST,
    name: 'AllocationRequest_Withdraw',
    argument: record({ extraArgs: EXTRA_ARGS }),
    consequence: { kind: 'ends', event: 'ledger.renewalWithdrawn', state: 'withdrawn' },
  },
  notFound: (id) => `AllocationRequest ${id} not found`,
  argument: ({ change, lifecycle }: Attempt<JsonRecord>) => ({
    extraArgs: {
      context: { values: {} },
      meta: withNote(NO_METADATA, change, lifecycle.provider),
    },
  }),
  answer: () => NO_CONTENT,
  means,
});
