import type { ApiGroup, Option } from './description.ts';

const ONE = 'cus_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b';

const CUSTOMER: readonly Option[] = [
  { flags: '--short-name <name>', about: 'begins the references of its next licences: ACME' },
  { flags: '--emails <address...>', about: 'its mail addresses' },
  { flags: '--time-zone <name>', about: 'an IANA name, such as Europe/Zurich' },
  { flags: '--language <tag>', about: 'a BCP 47 tag, such as de-CH' },
  { flags: '--note <text>', about: 'what you want to remember' },
  {
    flags: '--external-references <reference...>',
    about: 'its IDs in other systems: crm=4711',
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
      about: 'your customers by name',
      path: '/customers',
      options: [
        { flags: '--search <text>', about: 'part of a name or a reference, or a whole party' },
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
      about: 'one of them',
      path: '/customers/{id}',
      examples: [`customers show ${ONE}`],
    },
    {
      usage: 'add',
      about: 'name a party',
      method: 'POST',
      path: '/customers',
      options: [
        { flags: '--party <party>', about: 'the party on the ledger', isRequired: true },
        { flags: '--name <name>', about: 'its name', isRequired: true },
        ...CUSTOMER,
      ],
      examples: ['customers add --party "$PARTY" --name Acme --short-name ACME'],
    },
    {
      usage: 'change <id>',
      about: 'change what is known of one; what is left out stays',
      method: 'PATCH',
      path: '/customers/{id}',
      options: [{ flags: '--name <name>', about: 'its name' }, ...CUSTOMER],
      examples: [`customers change ${ONE} --emails billing@acme.example`],
    },
    {
      usage: 'remove <id>',
      about: 'forget what is known of one; its licences stay',
      method: 'DELETE',
      path: '/customers/{id}',
      examples: [`customers remove ${ONE}`],
    },
  ],
};

const term = (flags: string, about: string): Option => ({ flags, about, isAge: true });

const TERMS: readonly Option[] = [
  { flags: '--instrument <id>', about: 'a token-standard instrument; Amulet by default' },
  term('--prepare-until-duration <duration>', 'how long the user may set a fee aside: 3d'),
  term('--settle-before-duration <duration>', 'how long a renewal may be completed: 4d'),
  term('--trial <duration>', 'how long no policy ends a new licence: 14d'),
  term('--grace <duration>', 'how long after its end no policy ends a licence: 3d'),
  term('--offline-time <duration>', 'the longest validity of an offline licence file: 7d'),
  term('--heartbeat-time <duration>', 'a machine that is silent for so long frees its seat: 1h'),
  { flags: '--seats <count>', about: 'machines at a time', as: 'number' },
  {
    flags: '--entitlements <entitlement...>',
    about: 'what the licence entitles to: projects=10',
    as: 'pairs',
  },
  {
    flags: '--renews <member...>',
    about: 'licences renew themselves: offerBefore=7d tries=3 endUnpaid=true, or none',
    as: 'values',
  },
];
const PERIOD = term('--period <duration>', 'what one fee pays for: P1M is a month, 30d is fixed');
const FEE: Option = { flags: '--fee <amount>', about: 'a decimal' };
const NAME: Option = { flags: '--name <name>', about: 'its name' };

/** Commands for the provider's plans: `/plans`. */
export const PLANS: ApiGroup = {
  name: 'plans',
  about: 'plans: what you sell, in versions that licences keep',
  commands: [
    {
      usage: 'list',
      about: 'your plans, each at its newest version',
      path: '/plans',
      options: [
        { flags: '--archived <boolean>', about: 'with archived ones', choices: ['true', 'false'] },
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
      about: 'one of them',
      path: '/plans/{id}',
      examples: ['plans show pro'],
    },
    {
      usage: 'versions <id>',
      about: 'all its versions, newest first',
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
      about: 'sell something',
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
      about: 'make another version; what is left out stays, and licences keep theirs',
      method: 'PATCH',
      path: '/plans/{id}',
      options: [NAME, PERIOD, FEE, ...TERMS],
      examples: ['plans change pro --fee 15'],
    },
    ...(['archive', 'restore'] as const).map((verb) => ({
      usage: `${verb} <id>`,
      about: verb === 'archive' ? 'sell it no more' : 'sell it again',
      method: 'POST' as const,
      path: `/plans/{id}/${verb}`,
      examples: [`plans ${verb} pro`],
    })),
  ],
};
