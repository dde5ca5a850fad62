import type { Path } from '../paths.ts';
import { PATHS } from '../paths.ts';
import type { Permission, Right } from '../api/caller.tsx';
import * as t from '../texts/shell.tsx';

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
  name: t.mine,
  entries: [
    entry(t.home, PATHS.overview, 'h'),
    entry(t.licences, PATHS.licenses, 'l'),
    entry(t.toPay, PATHS.renewals, 'p'),
    entry(t.subscriptions, PATHS.subscriptions, 'j'),
    entry(t.installations, PATHS.installs, 'i'),
    entry(t.requests, PATHS.requests, 'r'),
  ],
};

const FOR_PROVIDERS: readonly NavGroup[] = [
  {
    name: t.customers,
    entries: [
      entry(t.home, PATHS.overview, 'h'),
      entry(t.requests, PATHS.requests, 'r'),
      entry(t.installations, PATHS.installs, 'i'),
      entry(t.licences, PATHS.licenses, 'l'),
      entry(t.renewals, PATHS.renewals, 'p'),
      entry(t.subscriptions, PATHS.subscriptions, 'j'),
      entry(t.customers, PATHS.customers, 'e'),
      entry(t.payments, PATHS.payments, 'd'),
      entry(t.statistics, PATHS.statistics, 'x'),
    ],
  },
  {
    name: t.settings,
    entries: [
      entry(t.plans, PATHS.plans, 'v'),
      { ...entry(t.policies, PATHS.policies, 'y'), needs: 'policy' },
      entry(t.webhooks, PATHS.webhooks, 'w'),
      { ...entry(t.tenants, PATHS.tenants, 't'), needs: 'admin' },
    ],
  },
];

const FOR_OPERATORS: readonly NavGroup[] = [
  {
    name: t.desk,
    entries: [
      entry(t.needsAttention, PATHS.attention, 'a'),
      entry(t.operations, PATHS.operations, 'o'),
      entry(t.failures, PATHS.failures, 'f'),
      entry(t.lifecycles, PATHS.lifecycles, 'c'),
      entry(t.timers, PATHS.timers, 'm'),
      entry(t.bulkActs, PATHS.acts, 'b'),
    ],
  },
  {
    name: t.system,
    entries: [
      entry(t.streamsAndLeases, PATHS.streams, 's'),
      entry(t.costs, PATHS.costs, 'k'),
      entry(t.quotas, PATHS.quotas, 'q'),
      entry(t.sessions, PATHS.opsSessions, 'n'),
      entry(t.audit, PATHS.audit, 'u'),
    ],
  },
];

const WEBHOOKS_ALONE: NavGroup = {
  name: t.settings,
  entries: [entry(t.webhooks, PATHS.webhooks, 'w')],
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
