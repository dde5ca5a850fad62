import type { ContractId, LifecycleId } from '../../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../../src/domain/json.ts';
import { textAt } from '../../../../src/domain/json.ts';
import { fail } from '../../../../src/domain/problems.ts';
import { assert } from '../../../../src/domain/unreachable.ts';
import { CONTRACT_ID, record } from '../../../../src/app/contract/lf.ts';
import type { Attempt, Recording } from '../../../../src/app/contract/operation.ts';
import { defineOperation } from '../../../../src/app/contract/operation.ts';
import { invoice } from '../../machines/invoice.machine.ts';
import { subscription } from '../../machines/subscription.machine.ts';
import { INVOICE } from '../names.ts';
import { Subscription } from '../subscription/template.ts';

interface Fixed {
  /** The subscription that the invoice pays; absent if the invoice has ended. */
  readonly pays?: LifecycleId;
}

const fix = async ({ tx, lifecycle }: Recording): Promise<Fixed> => {
  const { originId } = lifecycle;
  const paid = originId === null ? null : await tx.findLifecycle(originId);
  // If the invoice itself has ended, the machine refuses the payment with a better error message.
  if (lifecycle.endedAt === null && paid?.endedAt !== null) {
    return fail('CONTRACT_GONE', 'the subscription that it is of is no longer active');
  }
  return paid === null ? {} : { pays: paid.id };
};

/** The customer pays an invoice. This extends the subscription. */
export const payInvoice = defineOperation(invoice, {
  name: 'pay-invoice',
  action: 'pay',
  actAs: 'caller',
  command: {
    kind: 'choice',
    template: INVOICE,
    name: 'Invoice_Pay',
    argument: record({ subscriptionCid: CONTRACT_ID }),
    consequence: { kind: 'ends', event: 'ledger.invoicePaid', state: 'paid' },
  },
  through: {
    kind: subscription.kind,
    idOf: (fixed) => textAt(fixed, 'pays') as LifecycleId | undefined,
    ended: { code: 'SUBSCRIPTION_ENDED', explanation: 'the subscription has ended' },
  },
  fix,
  // Reads the subscription's current contract, because a change of plan may have replaced the contract.
  gather: async ({ through }) => {
    assert(through !== null, 'the subscription was known when the payment was recorded');
    return { facts: through.contractId, disclosed: [] };
  },
  argument: ({ facts }: Attempt<JsonRecord, Fixed, ContractId>) => ({ subscriptionCid: facts }),
  answer: ({ created }) => ({
    status: 200,
    body: { paidUntil: created(Subscription)?.payload.paidUntil ?? null },
  }),
});
