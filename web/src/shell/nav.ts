import type { Path } from '../paths.ts';
import { PATHS } from '../paths.ts';
import type { Permission, Right } from '../api/caller.tsx';

export interface NavEntry {
  readonly name: string;
  readonly to: Path;
  /** The key to press after `g`. */
  readonly key: string;
  /** The permission that the page needs. */
  readonly needs?: Permission;
}

export interface NavGroup {
  readonly name: string;
  readonly entries: readonly NavEntry[];
}

const entry = (name: string, to: Path, key: string): NavEntry => ({ name, to, key });

const FOR_USERS: NavGroup = {
  name: 'Mine',
  entries: [
    entry('Home', PATHS.overview, 'h'),
    entry('Licences', PATHS.licenses, 'l'),
    entry('To pay', PATHS.renewals, 'p'),
    entry('Subscriptions', PATHS.subscriptions, 'j'),
    entry('Installations', PATHS.installs, 'i'),
    entry('Requests', PATHS.requests, 'r'),
  ],
};

const FOR_PROVIDERS: readonly NavGroup[] = [
  {
    name: 'Customers',
    entries: [
      entry('Home', PATHS.overview, 'h'),
      entry('Requests', PATHS.requests, 'r'),
      entry('Installations', PATHS.installs, 'i'),
      entry('Licences', PATHS.licenses, 'l'),
      entry('Renewals', PATHS.renewals, 'p'),
      entry('Subscriptions', PATHS.subscriptions, 'j'),
      entry('Customers', PATHS.customers, 'e'),
      entry('Payments', PATHS.payments, 'd'),
      entry('Statistics', PATHS.statistics, 'x'),
    ],
  },
  {
    name: 'Settings',
    entries: [
      entry('Plans', PATHS.plans, 'v'),
      { ...entry('Policies', PATHS.policies, 'y'), needs: 'policy' },
      entry('Webhooks', PATHS.webhooks, 'w'),
      { ...entry('Tenants', PATHS.tenants, 't'), needs: 'admin' },
    ],
  },
];

const FOR_OPERATORS: readonly NavGroup[] = [
  {
    name: 'Desk',
    entries: [
      entry('Needs attention', PATHS.attention, 'a'),
      entry('Operations', PATHS.operations, 'o'),
      entry('Failures', PATHS.failures, 'f'),
      entry('Lifecycles', PATHS.lifecycles, 'c'),
      entry('Timers', PATHS.timers, 'm'),
      entry('Bulk acts', PATHS.acts, 'b'),
    ],
  },
  {
    name: 'System',
    entries: [
      entry('Streams and leases', PATHS.streams, 's'),
      entry('Costs', PATHS.costs, 'k'),
      entry('Quotas', PATHS.quotas, 'q'),
      entry('Sessions', PATHS.opsSessions, 'n'),
      entry('Audit', PATHS.audit, 'u'),
    ],
  },
];

const WEBHOOKS_ALONE: NavGroup = {
  name: 'Settings',
  entries: [entry('Webhooks', PATHS.webhooks, 'w')],
};

/** Returns the pages for roles and permissions. */
export function navFor(roles: ReadonlySet<Right>): readonly NavGroup[] {
  const groups = [
    ...(roles.has('operator') ? FOR_OPERATORS : []),
    ...(roles.has('provider') ? FOR_PROVIDERS : []),
    ...(roles.has('user') ? [FOR_USERS, WEBHOOKS_ALONE] : []),
  ];
  return groups.map(({ name, entries }) => ({
    name,
    entries: entries.filter(({ needs }) => needs === undefined || roles.has(needs)),
  }));
}

/** Returns the first page: for operators, the list of what needs a person. */
export function homeFor(roles: ReadonlySet<Right>): Path {
  return roles.has('operator') ? PATHS.attention : PATHS.overview;
}
