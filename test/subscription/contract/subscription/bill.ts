import { randomUUID } from 'node:crypto';
import { textAt } from '../../../../src/domain/json.ts';
import { isoAfter, isoToMs } from '../../../../src/domain/time.ts';
import { TEXT, TIMESTAMP, record } from '../../../../src/app/contract/lf.ts';
import type { Attempt, Recording } from '../../../../src/app/contract/operation.ts';
import { defineOperation } from '../../../../src/app/contract/operation.ts';
import { subscription } from '../../machines/subscription.machine.ts';
import { Invoice } from '../invoice/template.ts';
import { DECIMAL, SUBSCRIPTION } from '../names.ts';

interface Body {
  readonly amount: string;
  readonly periodMicros: string;
}

interface Fixed {
  readonly invoiceId: string;
  readonly paysUntil: string;
}

const fix = ({ body, lifecycle, pastMs }: Recording<Body>): Fixed => {
  const paidUntil = textAt(lifecycle.context, 'paidUntil');
  const fromMs = paidUntil === undefined ? pastMs : isoToMs(paidUntil);
  return { invoiceId: randomUUID(), paysUntil: isoAfter(fromMs, BigInt(body.periodMicros)) };
};

/** The vendor bills the next period. This does not change the subscription. */
export const billSubscription = defineOperation(subscription, {
  name: 'bill-subscription',
  action: 'bill',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: SUBSCRIPTION,
    name: 'Subscription_Bill',
    argument: record({ invoiceId: TEXT, amount: DECIMAL, paysUntil: TIMESTAMP }),
    consequence: { kind: 'keeps' },
  },
  fix,
  argument: ({ body, fixed }: Attempt<Body, Fixed>) => ({ ...fixed, amount: body.amount }),
  answer: ({ created }) => {
    const made = created(Invoice);
    return {
      status: 201,
      body: { contractId: made?.contractId ?? null, paysUntil: made?.payload.paysUntil ?? null },
    };
  },
  // The subscription's contract stays active, so other clients may bill it too. The ID shows which invoice belongs to
  // this operation.
  isEffect: ({ created, fixed }) => created(Invoice)?.payload.invoiceId === fixed.invoiceId,
});
