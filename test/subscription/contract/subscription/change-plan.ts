import { TEXT, record } from '../../../../src/app/contract/lf.ts';
import type { Attempt } from '../../../../src/app/contract/operation.ts';
import { defineOperation } from '../../../../src/app/contract/operation.ts';
import { subscription } from '../../machines/subscription.machine.ts';
import { SUBSCRIPTION } from '../names.ts';
import { Subscription } from './template.ts';

/** The vendor changes the plan. This replaces the contract. */
export const changePlan = defineOperation(subscription, {
  name: 'change-plan',
  action: 'change-plan',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: SUBSCRIPTION,
    name: 'Subscription_ChangePlan',
    argument: record({ plan: TEXT }),
    consequence: { kind: 'replaces' },
  },
  argument: ({ body }: Attempt<{ readonly plan: string }>) => ({ plan: body.plan }),
  answer: ({ created, result }) => ({
    status: 200,
    body: { contractId: result, revision: created(Subscription)?.payload.revision ?? null },
  }),
});
