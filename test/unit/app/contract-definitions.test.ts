import { describe, expect, test } from 'vitest';
import { INT64, PARTY, TEXT, record } from '../../../src/app/contract/lf.ts';
import type { ContractDefinition } from '../../../src/app/contract/model.ts';
import { defineModel } from '../../../src/app/contract/model.ts';
import type { Attempt, OperationDefinition } from '../../../src/app/contract/operation.ts';
import { defineOperation } from '../../../src/app/contract/operation.ts';
import { defineTemplate } from '../../../src/app/contract/template.ts';
import { defineLifecycle } from '../../../machines/machine-kit.ts';
import { INVOICE, SUBSCRIPTION } from '../../subscription/contract/names.ts';
import { Invoice } from '../../subscription/contract/invoice/template.ts';
import { payInvoice } from '../../subscription/contract/invoice/pay.ts';
import { billSubscription } from '../../subscription/contract/subscription/bill.ts';
import { Subscription } from '../../subscription/contract/subscription/template.ts';
import { invoice, invoiceMachine } from '../../subscription/machines/invoice.machine.ts';
import {
  subscription,
  subscriptionMachine,
} from '../../subscription/machines/subscription.machine.ts';

/*
 * A definition that does not fit its machine or its package does not compile. If types cannot express the mismatch, the
 * start fails.
 */

const FIELDS = { vendor: PARTY, customer: PARTY, revision: INT64 };
const template = { name: SUBSCRIPTION, fields: FIELDS, required: ['vendor', 'customer'] } as const;
const lifecycle = { word: 'Subscription', endings: {}, body: () => ({}) };
const input = { plan: 'basic', paidUntil: '2026-01-01T00:00:00.000000Z' };

const change = {
  name: 'change-plan',
  action: 'change-plan',
  actAs: 'provider',
  answer: () => ({ status: 204, body: null }),
} as const;
const choice = { kind: 'choice', template: SUBSCRIPTION, name: 'Choice' } as const;
const argument = record({ plan: TEXT, reason: TEXT });
const replaces = { kind: 'replaces' } as const;

describe('does not compile:', () => {
  test('a misspelt field of a payload', () => {
    expect([
      defineTemplate(subscription, {
        ...template,
        lifecycle: {
          ...lifecycle,
          // @ts-expect-error the template's field is called vendor
          read: ({ vendr, customer }) => ({ provider: vendr, appUser: customer, input }),
        },
      }),
      defineTemplate(subscription, {
        ...template,
        // @ts-expect-error the template has no field of this name
        required: ['vendor', 'custommer'],
        lifecycle: {
          ...lifecycle,
          read: ({ vendor }) => ({ provider: vendor, appUser: vendor, input }),
        },
      }),
    ]).toHaveLength(2);
  });

  test('what a machine begins with, in part', () => {
    expect([
      defineTemplate(subscription, {
        ...template,
        lifecycle: {
          ...lifecycle,
          read: ({ vendor, customer }) => ({
            provider: vendor,
            appUser: customer,
            // @ts-expect-error the machine also requires paidUntil as input
            input: { plan: 'basic' },
          }),
        },
      }),
    ]).toHaveLength(1);
  });

  test('a misspelt event in an ending', () => {
    expect([
      defineTemplate(subscription, {
        ...template,
        lifecycle: {
          ...lifecycle,
          read: ({ vendor, customer }) => ({ provider: vendor, appUser: customer, input }),
          // @ts-expect-error the machine's event is ledger.subscriptionStopped
          endings: { Archive: { event: 'ledger.subscriptionStoped', state: 'stopped' } },
        },
      }),
      defineOperation(subscription, {
        ...change,
        command: {
          ...choice,
          argument,
          // @ts-expect-error the event belongs to another machine
          consequence: { kind: 'ends', event: 'ledger.invoicePaid', state: 'paid' },
        },
        argument: () => ({ plan: 'basic', reason: '' }),
      }),
    ]).toHaveLength(2);
  });

  test('an argument that lacks a field, or has one of another type', () => {
    expect([
      defineOperation(subscription, {
        ...change,
        command: { ...choice, argument, consequence: replaces },
        // @ts-expect-error the choice also takes a reason
        argument: ({ body }: Attempt<{ readonly plan: string }>) => ({ plan: body.plan }),
      }),
      defineOperation(subscription, {
        ...change,
        command: { ...choice, argument, consequence: replaces },
        // @ts-expect-error a reason is a string, not a number
        argument: () => ({ plan: 'basic', reason: 7 }),
      }),
    ]).toHaveLength(2);
  });

  test('an action of an event that its machine does not know, or without the fields of that', () => {
    const rest = { version: 1, migrations: [] };
    expect([
      defineLifecycle({
        ...rest,
        kind: 'invoice',
        machine: invoiceMachine,
        // @ts-expect-error the machine's event is invoice.pay
        actions: [{ name: 'pay', event: 'invoice.pays', role: 'user', verb: 'pay' }],
      }),
      defineLifecycle({
        ...rest,
        kind: 'subscription',
        machine: subscriptionMachine,
        // @ts-expect-error the event carries a time
        actions: [{ name: 'stop', event: 'subscription.stop', role: 'either', verb: 'stop' }],
      }),
    ]).toHaveLength(2);
  });
});

describe('fails the start:', () => {
  const model = (over: Partial<ContractDefinition>) =>
    defineModel({
      templates: [Subscription, Invoice],
      operations: [],
      tick: { template: INVOICE, argument: () => ({}) },
      features: new Set(),
      ...over,
    });
  const voiding: OperationDefinition = { ...payInvoice, name: 'void-invoice', action: 'void' };

  test.each<[string, Partial<ContractDefinition>, string]>([
    ['an operation twice', { operations: [payInvoice, payInvoice] }, 'is defined once'],
    [
      'an ending twice',
      { operations: [payInvoice, voiding] },
      'every ending of invoice is defined once',
    ],
    ['a template twice', { templates: [Invoice, Invoice] }, 'is defined once'],
    [
      'an operation of a kind that no template has',
      { templates: [Subscription], operations: [payInvoice] },
      'pay-invoice is of invoice, which no template has',
    ],
    [
      'an action that the machine lacks',
      { operations: [{ ...payInvoice, action: 'dispute' }] },
      'pay-invoice asks for dispute, which the machine of invoice lacks',
    ],
    [
      'an action for which the machine submits another operation',
      { operations: [{ ...payInvoice, action: 'void' }] },
      `the machine of ${invoice.kind} submits pay-invoice when it takes invoice.void`,
    ],
    [
      'an ending in a state that the machine lacks, or does not end in',
      {
        operations: [
          defineOperation(invoice, {
            ...payInvoice,
            action: 'pay',
            command: {
              ...choice,
              argument: record({}),
              consequence: { kind: 'ends', event: 'ledger.invoicePaid', state: 'open' },
            },
          }),
        ],
      },
      'ledger.invoicePaid ends no invoice as open: its machine has no such final state',
    ],
    [
      'what keeps its contract and does not say what its effect is',
      {
        operations: [
          defineOperation(subscription, {
            name: billSubscription.name,
            action: 'bill',
            actAs: 'provider',
            command: { ...choice, argument: record({}), consequence: { kind: 'keeps' } },
            argument: () => ({}),
            answer: billSubscription.answer,
          }),
        ],
      },
      'bill-subscription says what is its effect',
    ],
  ])('%s', (_what, over, words) => {
    expect(() => model(over)).toThrow(words);
  });
});
