import type { Path } from '../paths.ts';
import { PATHS } from '../paths.ts';
import type { Role } from '../api/caller.tsx';

export interface NavEntry {
  readonly name: string;
  readonly to: Path;
  /** After `g`. */
  readonly key: string;
}

export interface NavGroup {
  readonly name: string;
  readonly entries: readonly NavEntry[];
}

const entry = (name: string, to: Path, key: string): NavEntry => ({ name, to, key });

const FOR_USERS: NavGroup = {
  name: 'Mine',
  entries: [
    entry('Licences', PATHS.licenses, 'l'),
    entry('To pay', PATHS.renewals, 'p'),
    entry('Installations', PATHS.installs, 'i'),
    entry('Requests', PATHS.requests, 'r'),
  ],
};

const FOR_PROVIDERS: readonly NavGroup[] = [
  {
    name: 'Customers',
    entries: [
      entry('Requests', PATHS.requests, 'r'),
      entry('Installations', PATHS.installs, 'i'),
      entry('Licences', PATHS.licenses, 'l'),
      entry('Renewals', PATHS.renewals, 'p'),
    ],
  },
  {
    name: 'Settings',
    entries: [
      entry('Policies', PATHS.policies, 'y'),
      entry('Webhooks', PATHS.webhooks, 'w'),
      entry('Tenants', PATHS.tenants, 't'),
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
      entry('Audit', PATHS.audit, 'u'),
    ],
  },
];

const WEBHOOKS_ALONE: NavGroup = {
  name: 'Settings',
  entries: [entry('Webhooks', PATHS.webhooks, 'w')],
};

/** The pages of these roles. */
export function navFor(roles: ReadonlySet<Role>): readonly NavGroup[] {
  return [
    ...(roles.has('operator') ? FOR_OPERATORS : []),
    ...(roles.has('provider') ? FOR_PROVIDERS : []),
    ...(roles.has('user') ? [FOR_USERS, WEBHOOKS_ALONE] : []),
  ];
}

/** Where the application begins: with what waits for this person. */
export function homeFor(roles: ReadonlySet<Role>): Path {
  if (roles.has('operator')) return PATHS.attention;
  return roles.has('provider') ? PATHS.requests : PATHS.licenses;
}
