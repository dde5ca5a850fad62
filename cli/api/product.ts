import type { ApiGroup, Option } from './description.ts';

const ONE = 'cus_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b';

const CUSTOMER: readonly Option[] = [
  {
    flags: '--short-name <name>',
    about: 'the beginning of the references of later licences: ACME',
  },
  { flags: '--emails <address...>', about: 'the mail addresses of the customer' },
  { flags: '--time-zone <name>', about: 'an IANA name, such as Europe/Zurich' },
  { flags: '--language <tag>', about: 'a BCP 47 tag, such as de-CH' },
  { flags: '--note <text>', about: 'notes about the customer' },
  {
    flags: '--external-references <reference...>',
    about: 'the IDs of the customer in other systems: crm=4711',
    as: 'pairs',
  },
];

/** Commands for customers, which are parties with names: `/customers`. */
export const CUSTOMERS: ApiGroup = {
  name: 'customers',
  about: 'customers: parties with a name, addresses and references',
  commands: [
    {
      usage: 'list',
      about: 'list your customers by name',
      path: '/customers',
      options: [
        {
          flags: '--search <text>',
          about: 'a part of a name or a reference, or a complete party ID',
        },
      ],
      isPaged: true,
      columns: [
        ['id', 'id', 'whole'],
        ['name', 'name'],
        ['short', 'shortName', 'whole'],
        ['emails', 'emails'],
        ['unsubscribed', 'unsubscribedEmails'],
        ['party', 'party'],
      ],
      none: 'no customers',
      examples: ['customers list', 'customers list --search acme --json'],
    },
    {
      usage: 'show <id>',
      about: 'show one customer',
      path: '/customers/{id}',
      examples: [`customers show ${ONE}`],
    },
    {
      usage: 'add',
      about: 'add a party as a customer',
      method: 'POST',
      path: '/customers',
      options: [
        { flags: '--party <party>', about: 'the party on the ledger', isRequired: true },
        { flags: '--name <name>', about: 'the name', isRequired: true },
        ...CUSTOMER,
      ],
      examples: ['customers add --party "$PARTY" --name Acme --short-name ACME'],
    },
    {
      usage: 'change <id>',
      about: 'change the data of a customer; values that are left out stay',
      method: 'PATCH',
      path: '/customers/{id}',
      options: [{ flags: '--name <name>', about: 'the name' }, ...CUSTOMER],
      examples: [`customers change ${ONE} --emails billing@acme.example`],
    },
    {
      usage: 'remove <id>',
      about: 'remove the data of a customer; the licences stay',
      method: 'DELETE',
      path: '/customers/{id}',
      examples: [`customers remove ${ONE}`],
    },
  ],
};

const term = (flags: string, about: string): Option => ({ flags, about, isAge: true });

const TERMS: readonly Option[] = [
  { flags: '--instrument <id>', about: 'a token-standard instrument (default: Amulet)' },
  term(
    '--prepare-until-duration <duration>',
    'the time in which the user may pay a fee, such as 3d',
  ),
  term(
    '--settle-before-duration <duration>',
    'the time in which a renewal may be completed, such as 4d',
  ),
  term('--trial <duration>', 'the trial period, in which no policy ends a new licence: 14d'),
  term(
    '--grace <duration>',
    'the grace period after the expiry, in which no policy ends a licence: 3d',
  ),
  term('--offline-time <duration>', 'the longest validity of an offline licence file: 7d'),
  term(
    '--heartbeat-time <duration>',
    'the time after which a machine without a heartbeat frees its seat: 1h',
  ),
  { flags: '--seats <count>', about: 'the maximum number of machines at a time', as: 'number' },
  {
    flags: '--entitlements <entitlement...>',
    about: 'the entitlements of the licence: projects=10',
    as: 'pairs',
  },
  {
    flags: '--renews <member...>',
    about: 'automatic renewal: offerBefore=7d tries=3 endUnpaid=true, or none',
    as: 'values',
  },
];
const PERIOD = term(
  '--period <duration>',
  'the period that one fee pays for: P1M is a calendar month, 30d is 30 days',
);
const FEE: Option = { flags: '--fee <amount>', about: 'a decimal' };
const NAME: Option = { flags: '--name <name>', about: 'the name' };

/** Commands for the provider's plans: `/plans`. */
export const PLANS: ApiGroup = {
  name: 'plans',
  about: 'plans: your products, in versions; a licence keeps the version of its plan',
  commands: [
    {
      usage: 'list',
      about: 'list your plans, each in its newest version',
      path: '/plans',
      options: [
        {
          flags: '--archived <boolean>',
          about: 'true also lists archived plans',
          choices: ['true', 'false'],
        },
      ],
      isPaged: true,
      columns: [
        ['id', 'id', 'whole'],
        ['version', 'version', 'whole'],
        ['name', 'name'],
        ['period', 'period', 'whole'],
        ['fee', 'fee', 'whole'],
        ['in', 'instrument', 'whole'],
        ['seats', 'seats', 'whole'],
        ['archived', 'archivedAt', 'time'],
      ],
      none: 'no plans',
      examples: ['plans list', 'plans list --archived true --json'],
    },
    {
      usage: 'show <id>',
      about: 'show one plan',
      path: '/plans/{id}',
      examples: ['plans show pro'],
    },
    {
      usage: 'versions <id>',
      about: 'list all versions of a plan, newest first',
      path: '/plans/{id}/versions',
      isPaged: true,
      columns: [
        ['version', 'version', 'whole'],
        ['period', 'period', 'whole'],
        ['fee', 'fee', 'whole'],
        ['in', 'instrument', 'whole'],
        ['made', 'createdAt', 'time'],
        ['archived', 'archivedAt', 'time'],
      ],
      examples: ['plans versions pro'],
    },
    {
      usage: 'add <id>',
      about: 'add a plan',
      method: 'POST',
      path: '/plans',
      options: [
        { ...NAME, isRequired: true },
        { ...PERIOD, isRequired: true },
        { ...FEE, isRequired: true },
        ...TERMS,
      ],
      examples: [
        'plans add pro --name Pro --period P1M --fee 12.50 --seats 5 --entitlements projects=10',
        'plans add team --name Team --period P1M --fee 20 --renews offerBefore=7d tries=3',
      ],
    },
    {
      usage: 'change <id>',
      about:
        'add a version of a plan; values that are left out stay, and licences keep their version',
      method: 'PATCH',
      path: '/plans/{id}',
      options: [NAME, PERIOD, FEE, ...TERMS],
      examples: ['plans change pro --fee 15'],
    },
    ...(['archive', 'restore'] as const).map((verb) => ({
      usage: `${verb} <id>`,
      about:
        verb === 'archive'
          ? 'archive a plan, so that it is no longer sold'
          : 'restore an archived plan',
      method: 'POST' as const,
      path: `/plans/{id}/${verb}`,
      examples: [`plans ${verb} pro`],
    })),
  ],
};
