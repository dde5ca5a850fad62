import { defineModel } from '../../../src/app/contract/model.ts';
import { payInvoice } from './invoice/pay.ts';
import { Invoice } from './invoice/template.ts';
import { voidInvoice } from './invoice/void.ts';
import { SUBSCRIPTION_REQUEST } from './names.ts';
import { acceptSubscription } from './request/accept.ts';
import { askForSubscription } from './request/ask.ts';
import { declineSubscription } from './request/decline.ts';
import { SubscriptionRequest } from './request/template.ts';
import { withdrawSubscription } from './request/withdraw.ts';
import { billSubscription } from './subscription/bill.ts';
import { changePlan } from './subscription/change-plan.ts';
import { stopSubscription } from './subscription/stop.ts';
import { Subscription } from './subscription/template.ts';

/** All definitions of subscriptions. */
export const SUBSCRIPTIONS = defineModel({
  templates: [SubscriptionRequest, Subscription, Invoice],
  operations: [
    askForSubscription,
    acceptSubscription,
    declineSubscription,
    withdrawSubscription,
    billSubscription,
    changePlan,
    stopSubscription,
    payInvoice,
    voidInvoice,
  ],
  tick: {
    template: SUBSCRIPTION_REQUEST,
    argument: (customer, vendor) => ({ vendor, customer, subscriptionId: 'tick', plan: 'none' }),
  },
  features: new Set(),
});
