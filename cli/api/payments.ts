import type { ApiGroup, Option } from './description.ts';
import { oldOptionsOf } from './filter.ts';

const ONE = 'renewal-a1b2c3d4e5f60718293a';

const ZONE: Option = {
  flags: '--time-zone <zone>',
  about: 'the time zone of the days, such as Europe/Zurich',
};

const span = (what: string): readonly Option[] => [
  { flags: '--since <day>', about: `${what}, such as 2026-01-01 or 30d`, isAge: true },
  { flags: '--until <day>', about: 'before this day, such as 2026-02-01 or 1d', isAge: true },
  ZONE,
];

const PERIOD: Option = {
  flags: '--group-by <period>',
  about: 'group by day or month (default: day)',
  choices: ['day', 'month'],
};

const NAMED: readonly Option[] = [PERIOD, ...span('from this day on')];
const FIGURES: readonly Option[] = [...NAMED, ...oldOptionsOf('/stats/licenses', [PERIOD])];

/** Commands for payments of renewals: `/payments`. */
export const PAYMENTS: ApiGroup = {
  name: 'payments',
  about: 'payments: the fees of renewals, and the payments with their receipt numbers',
  commands: [
    {
      usage: 'list',
      about: 'list the payments, newest request first',
      path: '/payments',
      options: [
        {
          flags: '--state <state...>',
          about: 'only those in these states',
          choices: ['requested', 'allocated', 'settled', 'withdrawn', 'rejected'],
        },
        { flags: '--party <party>', about: 'only those of this user or provider' },
        { flags: '--user <party>', about: 'only those of this user' },
        { flags: '--provider <party>', about: 'only those of this provider' },
        { flags: '--license-num <number>', about: 'only those of licences with this number' },
        { flags: '--license-id <id>', about: 'only those of this licence' },
        { flags: '--plan <plan>', about: 'only those of this plan' },
        {
          flags: '--since <age>',
          about: 'requested at or after this time, or within a duration such as 30d',
          isAge: true,
        },
        {
          flags: '--until <age>',
          about: 'requested before this time, or earlier than this duration ago',
          isAge: true,
        },
        {
          flags: '--sort <order>',
          about: 'the order by request (default: newest first)',
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
      about: 'show the payment of a renewal, with its receipt number once it is settled',
      path: '/payments/{id}',
      examples: [`payments show ${ONE}`],
    },
    {
      usage: 'sums',
      about: 'the sums of settled payments, by month or by plan',
      path: '/payments/sums',
      options: [
        {
          flags: '--group-by <what>',
          about: 'group by month or plan (default: month)',
          choices: ['month', 'plan'],
        },
        ...span('only payments settled since this day'),
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
  about: 'statistics of licences and revenue, by day or month',
  commands: [
    {
      usage: 'licenses',
      about: 'the number of licences at the end of each day, and now',
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
      about: 'settled payments, and the recurring revenue of 30 days',
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
