import type { ApiGroup, Option } from './description.ts';
import { oldOptionsOf } from './filter.ts';

const ONE = 'renewal-a1b2c3d4e5f60718293a';

const ZONE: Option = {
  flags: '--time-zone <zone>',
  about: 'days are those of this time zone, such as Europe/Zurich',
};

const span = (what: string): readonly Option[] => [
  { flags: '--since <day>', about: `${what}, such as 2026-01-01 or 30d`, isAge: true },
  { flags: '--until <day>', about: 'before this day, such as 2026-02-01 or 1d', isAge: true },
  ZONE,
];

const PERIOD: Option = {
  flags: '--group-by <period>',
  about: 'days, unless months are asked for',
  choices: ['day', 'month'],
};

const NAMED: readonly Option[] = [PERIOD, ...span('from this day on')];
const FIGURES: readonly Option[] = [...NAMED, ...oldOptionsOf('/stats/licenses', [PERIOD])];

/** Commands for payments of renewals: `/payments`. */
export const PAYMENTS: ApiGroup = {
  name: 'payments',
  about: 'what renewals ask for and what was paid, with the numbers of receipts',
  commands: [
    {
      usage: 'list',
      about: 'payments, the newest request first',
      path: '/payments',
      options: [
        {
          flags: '--state <state...>',
          about: 'only in these states',
          choices: ['requested', 'allocated', 'settled', 'withdrawn', 'rejected'],
        },
        { flags: '--party <party>', about: 'only of this user or provider' },
        { flags: '--user <party>', about: 'only of this user' },
        { flags: '--provider <party>', about: 'only of this provider' },
        { flags: '--license-num <number>', about: 'only of licences with this number' },
        { flags: '--license-id <id>', about: 'only of this licence' },
        { flags: '--plan <plan>', about: 'only under this plan' },
        {
          flags: '--since <age>',
          about: 'requested not longer ago, such as 30d, or since an instant',
          isAge: true,
        },
        {
          flags: '--until <age>',
          about: 'requested longer ago, or before an instant',
          isAge: true,
        },
        {
          flags: '--sort <order>',
          about: 'by the request; newest first by default',
          choices: ['-requestedAt', 'requestedAt'],
        },
      ],
      isPaged: true,
      hasCsv: true,
      columns: [
        ['receipt', 'receiptNo', 'whole'],
        ['state', 'state', 'state'],
        ['amount', 'amount', 'whole'],
        ['in', 'instrument.id', 'whole'],
        ['licence', 'reference', 'whole'],
        ['number', 'licenseNum', 'whole'],
        ['customer', 'customer'],
        ['plan', 'plan.id'],
        ['requested', 'requestedAt', 'time'],
        ['ended', 'endedAt', 'time'],
        ['renewal', 'renewalId', 'whole'],
        ['user', 'user'],
        ['update', 'updateId'],
      ],
      none: 'no payments',
      examples: ['payments list --state settled --since 30d', 'payments list --csv > payments.csv'],
    },
    {
      usage: 'show <id>',
      about: 'the payment of a renewal, with its receipt number once it is settled',
      path: '/payments/{id}',
      examples: [`payments show ${ONE}`],
    },
    {
      usage: 'sums',
      about: 'what was paid, by month or by plan',
      path: '/payments/sums',
      options: [
        {
          flags: '--group-by <what>',
          about: 'months, unless plans are asked for',
          choices: ['month', 'plan'],
        },
        ...span('settled since this day'),
      ],
      columns: [
        ['month', 'month', 'whole'],
        ['plan', 'plan', 'whole'],
        ['payments', 'payments', 'whole'],
        ['amount', 'amount', 'whole'],
        ['in', 'instrument.id', 'whole'],
      ],
      none: 'nothing was paid',
      examples: ['payments sums', 'payments sums --group-by plan --since 90d'],
    },
  ],
};

/** Commands for the figures of a provider: `/stats`. */
export const STATISTICS: ApiGroup = {
  name: 'stats',
  about: 'how many licences there are, and what they bring, by day or month',
  commands: [
    {
      usage: 'licenses',
      about: 'licences at the end of each day, or now',
      path: '/stats/licenses',
      options: FIGURES,
      columns: [
        ['period', 'period', 'whole'],
        ['active', 'active', 'whole'],
        ['trial', 'trial', 'whole'],
        ['past due', 'pastDue', 'whole'],
        ['not started', 'notStarted', 'whole'],
        ['expiring', 'expiringIn30Days', 'whole'],
        ['new', 'new', 'whole'],
        ['ended', 'ended', 'whole'],
        ['renewed', 'renewalRate', 'whole'],
      ],
      examples: ['stats licenses --since 7d', 'stats licenses --group-by month --since 2026-01-01'],
    },
    {
      usage: 'revenue',
      about: 'what was paid, and what recurs in 30 days',
      path: '/stats/revenue',
      options: FIGURES,
      columns: [
        ['period', 'period', 'whole'],
        ['payments', 'payments', 'whole'],
        ['amount', 'amount', 'whole'],
        ['recurring', 'recurring', 'whole'],
        ['in', 'instrument.id', 'whole'],
      ],
      none: 'nothing was paid',
      examples: ['stats revenue --group-by month'],
    },
  ],
};
