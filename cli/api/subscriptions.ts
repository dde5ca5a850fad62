import type { ApiGroup } from './description.ts';

const ONE = 'license-a1b2c3d4e5f60718293a';
const ADDRESS = '/licenses/{contractId}/subscription';

/** Commands for subscriptions, by which licences renew themselves: `/subscriptions`. */
export const SUBSCRIPTIONS: ApiGroup = {
  name: 'subscriptions',
  about: 'subscriptions: licences that renew themselves',
  commands: [
    {
      usage: 'list',
      about: 'licences that renew themselves, with their offers',
      path: '/subscriptions',
      isPaged: true,
      columns: [
        ['license', 'licenseId', 'whole'],
        ['state', 'state', 'state'],
        ['ends', 'expiresAt', 'time'],
        ['open offer', 'offer.fee', 'whole'],
        ['until', 'offer.settleBefore', 'time'],
        ['next offer', 'nextOffer.at', 'time'],
        ['fee', 'nextOffer.fee', 'whole'],
        ['user', 'user'],
      ],
      none: 'no licence renews itself',
      examples: ['subscriptions list', 'subscriptions list --json'],
    },
    {
      usage: 'show <contractId>',
      about: 'how a licence renews itself',
      path: ADDRESS,
      examples: [`subscriptions show ${ONE}`],
    },
    {
      usage: 'set <contractId>',
      about: 'let a licence renew itself; values that are left out have their defaults',
      method: 'PUT',
      path: ADDRESS,
      options: [
        { flags: '--plan-id <id>', about: 'the plan to offer (default: the plan of the licence)' },
        {
          flags: '--offer-before <duration>',
          about: 'how long before its end the next period is offered: 7d',
          isAge: true,
        },
        {
          flags: '--tries <count>',
          about: 'the number of offers of one period without payment: 3',
          as: 'number',
        },
        {
          flags: '--end-unpaid <boolean>',
          about: 'whether the licence ends after the last unpaid offer',
          choices: ['true', 'false'],
          as: 'boolean',
        },
      ],
      examples: [
        `subscriptions set ${ONE}`,
        `subscriptions set ${ONE} --offer-before 14d --tries 2 --end-unpaid true`,
      ],
    },
    {
      usage: 'cancel <contractId>',
      about: 'cancel a subscription at the end of the period',
      method: 'DELETE',
      path: ADDRESS,
      examples: [`subscriptions cancel ${ONE} --as user`],
    },
  ],
};
