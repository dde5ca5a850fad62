import { Type } from '@fastify/type-provider-typebox';
import { PAYMENT_STATES } from '../../../app/ports/books.ts';
import { component, optionalText, words } from '../../kit/schema.ts';

/* Payments and statistics in answers. Each member's description says whether it comes from the contract or Tenure. */

const open = { additionalProperties: true } as const;
const instant = (description: string) => Type.String({ format: 'date-time', description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const amount = (description: string) => Type.String({ description, examples: ['100.0000000000'] });

const Instrument = Type.Object(
  { admin: Type.String(), id: Type.String({ examples: ['Amulet'] }) },
  { ...open, description: 'A token-standard instrument; from the contract' },
);

const Payment = component('Payment', {
  renewalId: Type.String({ description: 'The renewal' }),
  licenseId: optionalText('The licence, where it is known'),
  licenseLifecycleId: optionalText(
    'Equal to `licenseId`, under the name that renewals and comments use',
  ),
  licenseNum: Type.Integer({ description: 'The number in the contract' }),
  reference: optionalText('The reference of the licence, which is not on the ledger'),
  provider: Type.String({ description: 'The provider in the contract' }),
  user: Type.String({ description: 'The user in the contract' }),
  customer: optionalText('The name of the user, for its provider; from Tenure'),
  plan: Type.Optional(
    Type.Object(
      { id: Type.String(), version: Type.Integer() },
      {
        ...open,
        description:
          'The plan that the description names, otherwise the plan of the licence in Tenure',
      },
    ),
  ),
  amount: amount('A decimal with the digits of the contract'),
  instrument: Instrument,
  description: Type.String({ description: 'The description in the contract' }),
  state: words(PAYMENT_STATES),
  requestedAt: instant('Ledger time'),
  settleBefore: instant('The deadline for the completion, in the contract'),
  endedAt: Type.Optional(instant('Ledger time of the payment, the withdrawal or the rejection')),
  updateId: optionalText(
    'The ledger update that ended the renewal, otherwise the update of the request',
  ),
  offset: Type.String({ description: 'The place of that update on the participant' }),
  validFrom: Type.Optional(instant('For settled payments: the beginning of the paid period')),
  validUntil: Type.Optional(instant('For settled payments: the end of the paid period')),
  receiptNo: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'For settled payments: a sequence number for each provider, in the order of the ledger',
    }),
  ),
  receiptState: Type.Unsafe<string>({
    type: 'string',
    enum: ['none', 'pending', 'numbered'],
    description: 'none: not settled. pending: settled, and the number is not given yet',
  }),
});

const PaymentSum = component('PaymentSum', {
  month: Type.Optional(Type.String({ examples: ['2026-01'] })),
  plan: optionalText('Empty: payments without a plan'),
  instrument: Instrument,
  payments: count('Settled ones'),
  amount: amount('Their sum'),
});

const LicenseStatistics = component('LicenseStatistics', {
  period: Type.String({ examples: ['2026-01-31', '2026-01'] }),
  active: count('Paid and not expired'),
  trial: count('Not paid yet, and in the trial period of the plan'),
  pastDue: count('Paid before, expired, and still active on the ledger'),
  notStarted: count('Never paid, and not in a trial period'),
  expiringIn30Days: count('Active licences that expire within 30 days'),
  new: count('Created in the period'),
  ended: count('Ended in the period'),
  due: count('Paid periods that ended in this period'),
  renewed: count('Ended paid periods that were followed by another paid period, at once or later'),
  renewalRate: Type.Union([Type.String({ examples: ['0.9750'] }), Type.Null()], {
    description: 'The share of renewed periods; null if none was due',
  }),
});

const RevenueStatistics = component('RevenueStatistics', {
  period: Type.String({ examples: ['2026-01-31', '2026-01'] }),
  instrument: Instrument,
  payments: count('Settled in the period'),
  amount: amount('Their sum'),
  recurring: amount('The recurring revenue of 30 days at the end of the period'),
});

export const MONEY_SCHEMAS = [Payment, PaymentSum, LicenseStatistics, RevenueStatistics] as const;
