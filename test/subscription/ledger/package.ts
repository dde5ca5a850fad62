import {
  contractId,
  int64,
  numeric,
  party,
  record,
  text,
  timestamp,
  unit,
} from '../../../localnet/ledger/lf-types.ts';
import type { LfValue } from '../../../localnet/ledger/lf-types.ts';
import {
  choice,
  definePackage,
  template,
  typeNamer,
} from '../../../localnet/ledger/package-definition.ts';
import type { TemplateDefinition } from '../../../localnet/ledger/package-definition.ts';

/*
 * The ledger's model of subscriptions: a customer requests one from a vendor, the vendor bills it, changes its plan and
 * is paid, and either party stops it when it is no longer paid for.
 */

const named = typeNamer('subscriptions');
const inModule = (entity: string) => named(`Subscriptions:${entity}`);

const SubscriptionPayload = record(inModule('Subscription'), {
  vendor: party,
  customer: party,
  subscriptionId: text,
  plan: text,
  paidUntil: timestamp,
  revision: int64,
});
type SubscriptionPayload = LfValue<typeof SubscriptionPayload>;

const InvoicePayload = record(inModule('Invoice'), {
  vendor: party,
  customer: party,
  subscriptionId: text,
  invoiceId: text,
  amount: numeric(10),
  paysUntil: timestamp,
});
type InvoicePayload = LfValue<typeof InvoicePayload>;

const Bill = choice({
  name: 'Subscription_Bill',
  kind: 'nonconsuming',
  argument: record(inModule('Subscription_Bill'), {
    invoiceId: text,
    amount: numeric(10),
    paysUntil: timestamp,
  }),
  result: contractId,
  controllers: ({ vendor }: SubscriptionPayload) => [vendor],
  exercise: (ledger, { payload: { vendor, customer, subscriptionId } }, bill) => {
    ledger.require('The amount is above zero', Number(bill.amount) > 0);
    return ledger.create(Invoice, { vendor, customer, subscriptionId, ...bill });
  },
});

const ChangePlan = choice({
  name: 'Subscription_ChangePlan',
  kind: 'consuming',
  argument: record(inModule('Subscription_ChangePlan'), { plan: text }),
  result: contractId,
  controllers: ({ vendor }: SubscriptionPayload) => [vendor],
  exercise: (ledger, { payload }, { plan }) =>
    ledger.create(Subscription, { ...payload, plan, revision: payload.revision + 1n }),
});

/**
 * Extends a subscription that was paid. The payment of an invoice, which both parties have signed, exercises this
 * choice.
 */
const Extend = choice({
  name: 'Subscription_Extend',
  kind: 'consuming',
  argument: record(inModule('Subscription_Extend'), { paidUntil: timestamp }),
  result: contractId,
  controllers: ({ vendor, customer }: SubscriptionPayload) => [vendor, customer],
  exercise: (ledger, { payload }, { paidUntil }) =>
    ledger.create(Subscription, { ...payload, paidUntil, revision: payload.revision + 1n }),
});

const Stop = choice({
  name: 'Subscription_Stop',
  kind: 'consuming',
  argument: record(inModule('Subscription_Stop'), { actor: party }),
  result: unit,
  controllers: (_subscription: SubscriptionPayload, { actor }) => [actor],
  exercise: (ledger, { payload: { vendor, customer, paidUntil } }, { actor }) => {
    ledger.require('The actor is a signatory', actor === vendor || actor === customer);
    ledger.requireDeadlineExceeded('paidUntil', paidUntil);
    return {};
  },
});

/** The subscription for which the customer pays. Both parties sign it. */
const Subscription: TemplateDefinition<SubscriptionPayload> = template({
  name: inModule('Subscription'),
  payload: SubscriptionPayload,
  signatories: ({ vendor, customer }) => [vendor, customer],
  observers: () => [],
  choices: [Bill, ChangePlan, Extend, Stop],
});

const Pay = choice({
  name: 'Invoice_Pay',
  kind: 'consuming',
  argument: record(inModule('Invoice_Pay'), { subscriptionCid: contractId }),
  result: contractId,
  controllers: ({ customer }: InvoicePayload) => [customer],
  exercise: (ledger, { payload: { subscriptionId, paysUntil } }, { subscriptionCid }) => {
    const subscription = ledger.fetch(Subscription, subscriptionCid);
    ledger.requireEqual(subscription.subscriptionId, subscriptionId, text);
    return ledger.exercise(Subscription, subscriptionCid, Extend, { paidUntil: paysUntil });
  },
});

const Void = choice({
  name: 'Invoice_Void',
  kind: 'consuming',
  argument: record(inModule('Invoice_Void'), { reason: text }),
  result: unit,
  controllers: ({ vendor }: InvoicePayload) => [vendor],
  exercise: () => ({}),
});

const Invoice: TemplateDefinition<InvoicePayload> = template({
  name: inModule('Invoice'),
  payload: InvoicePayload,
  signatories: ({ vendor, customer }) => [vendor, customer],
  observers: () => [],
  choices: [Pay, Void],
});

const RequestPayload = record(inModule('SubscriptionRequest'), {
  vendor: party,
  customer: party,
  subscriptionId: text,
  plan: text,
});
type RequestPayload = LfValue<typeof RequestPayload>;

const Accept = choice({
  name: 'SubscriptionRequest_Accept',
  kind: 'consuming',
  argument: record(inModule('SubscriptionRequest_Accept'), { paidUntil: timestamp }),
  result: contractId,
  controllers: ({ vendor }: RequestPayload) => [vendor],
  exercise: (ledger, { payload }, { paidUntil }) =>
    ledger.create(Subscription, { ...payload, paidUntil, revision: 0n }),
});

const Decline = choice({
  name: 'SubscriptionRequest_Decline',
  kind: 'consuming',
  argument: record(inModule('SubscriptionRequest_Decline'), { reason: text }),
  result: unit,
  controllers: ({ vendor }: RequestPayload) => [vendor],
  exercise: () => ({}),
});

const SubscriptionRequest = template<RequestPayload>({
  name: inModule('SubscriptionRequest'),
  payload: RequestPayload,
  signatories: ({ customer }) => [customer],
  observers: ({ vendor }) => [vendor],
  // The customer withdraws the request with the choice `Archive`, which every template has.
  choices: [Accept, Decline],
});

/** The package that the networks of these tests have in addition to the usual packages. */
export const subscriptionPackage = definePackage({
  name: 'subscriptions',
  version: '1.0.0',
  templates: [SubscriptionRequest, Subscription, Invoice],
});
