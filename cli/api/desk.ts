import { OPERATIONS } from '../../src/domain/licensing.ts';
import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import type { ApiCommand, Option } from './description.ts';
import { oldOptionsOf } from './filter.ts';

const FAILURE = '9f86d081884c7d65';

const REASON: Option = {
  flags: '--reason <text>',
  about: 'the reason, for the audit log',
  isRequired: true,
};

/** Returns an option, together with its old names. */
const withOld = (path: string, option: Option): readonly Option[] => [
  option,
  ...oldOptionsOf(path, [option]),
];

const ACTS = {
  resolve: 'mark a failure as resolved; it opens again if it happens again',
  ignore: 'ignore a failure, even if it happens again',
  reopen: 'open a resolved or ignored failure again',
} as const;

const FAILURES: readonly ApiCommand[] = [
  {
    usage: 'failures',
    about: 'failures: groups of operations that failed in the same way, with their numbers',
    path: '/ops/failures',
    options: [
      {
        flags: '--state <state>',
        about: 'the state of the failure (default: open)',
        choices: ['open', 'resolved', 'ignored', 'all'],
      },
      {
        flags: '--operation <operation>',
        about: 'only failures of this operation',
        choices: OPERATIONS,
      },
      { flags: '--code <code>', about: 'the code of the problem or of the ledger' },
    ],
    isPaged: true,
    columns: [
      ['fingerprint', 'fingerprint', 'whole'],
      ['state', 'state', 'state'],
      ['operation', 'operation', 'whole'],
      ['count', 'count', 'whole'],
      ['last', 'lastAt', 'age'],
      ['first', 'firstAt', 'age'],
      ['code', 'code'],
      ['ledger code', 'ledgerCode'],
      ['explanation', 'explanation'],
      ['example', 'example.id'],
    ],
    none: 'no failures',
    examples: ['ops failures', 'ops failures --state all --operation renew-license'],
  },
  ...(['resolve', 'ignore', 'reopen'] as const).map((act) => ({
    usage: `${act} <id>`,
    about: ACTS[act],
    method: 'POST' as const,
    path: `/ops/failures/{id}/${act}`,
    options: [REASON],
    examples: [`ops ${act} ${FAILURE} --reason "the participant is back"`],
  })),
];

const COSTS: ApiCommand = {
  usage: 'costs',
  about: 'the traffic cost of operations, by operation, party and day',
  path: '/ops/costs',
  options: [
    ...withOld('/ops/costs', {
      flags: '--since <age>',
      about: 'accepted at or after this time, or within this duration (default 7d)',
      isAge: true,
    }),
    {
      flags: '--until <age>',
      about: 'accepted before this time, or earlier than this duration ago',
      isAge: true,
    },
    { flags: '--party <party>', about: 'the party that the operations concern' },
    { flags: '--operation <operation...>', about: 'only these operations', choices: OPERATIONS },
    {
      flags: '--group-by <what...>',
      about: 'the groups of the sums (default: all)',
      choices: ['day', 'operation', 'party'],
    },
  ],
  isPaged: true,
  columns: [
    ['day', 'day', 'whole'],
    ['operation', 'operation', 'whole'],
    ['operations', 'operations', 'whole'],
    ['attempts', 'attempts', 'whole'],
    ['bytes', 'bytes', 'whole'],
    ['unknown', 'unknown', 'whole'],
    ['party', 'party'],
  ],
  none: 'no operation was attempted',
  examples: ['ops costs --since 30d --group-by day', 'ops costs --group-by party --all --json'],
};

const QUOTAS: ApiCommand = {
  usage: 'quotas',
  about: 'how much of its quotas each tenant uses',
  path: '/ops/quotas',
  isPaged: true,
  columns: [
    ['open', 'openOperations.used', 'whole'],
    ['of', 'openOperations.limit', 'whole'],
    ['comments today', 'commentsPerDay.used', 'whole'],
    ['of', 'commentsPerDay.limit', 'whole'],
    ['webhooks', 'webhooks.used', 'whole'],
    ['of', 'webhooks.limit', 'whole'],
    ['bytes today', 'trafficPerDay.used', 'whole'],
    ['of', 'trafficPerDay.limit', 'whole'],
    ['party', 'party'],
  ],
  none: 'no tenant uses a quota',
  examples: ['ops quotas'],
};

const SESSIONS: readonly ApiCommand[] = [
  {
    usage: 'sessions',
    about: 'sessions of people who are signed in with a browser',
    path: '/ops/sessions',
    options: [
      { flags: '--subject <subject>', about: 'the identity that signed in' },
      { flags: '--party <party>', about: 'the party that the person acts for' },
    ],
    isPaged: true,
    columns: [
      ['id', 'id', 'whole'],
      ['last used', 'seenAt', 'age'],
      ['signed in', 'createdAt', 'age'],
      ['ends', 'endsAt', 'time'],
      ['name', 'name'],
      ['subject', 'subject', 'whole'],
      ['party', 'party'],
    ],
    none: 'no session matches',
    examples: ['ops sessions', 'ops sessions --subject c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'],
  },
  {
    usage: 'end-session <id>',
    about: 'end a session, which signs the person out of one browser',
    method: 'POST',
    path: '/ops/sessions/{id}/end',
    options: [REASON],
    examples: [`ops end-session ${FAILURE} --reason "the laptop was lost"`],
  },
];

const OLD: readonly Option[] = [
  { flags: '--kind <kind>', about: 'only these', choices: LIFECYCLE_KINDS },
  { flags: '--state <state>', about: 'only in this state, as in `ops lifecycle-counts`' },
  { flags: '--party <party>', about: 'the party of the lifecycles: the provider, or a user' },
  { flags: '--user <party>', about: 'only of this user' },
  { flags: '--provider <party>', about: 'only of this provider' },
  {
    flags: '--since <age>',
    about: 'begun at or after this time, or within this duration',
    isAge: true,
  },
  ...withOld('/ops/lifecycles', {
    flags: '--until <age>',
    about: 'begun before this time, or earlier than this duration ago',
    isAge: true,
  }),
];

const LIFECYCLES: readonly ApiCommand[] = [
  {
    usage: 'lifecycles',
    about: 'active lifecycles, oldest first, with the time in their state',
    path: '/ops/lifecycles',
    options: OLD,
    isPaged: true,
    columns: [
      ['id', 'id', 'whole'],
      ['kind', 'kind', 'whole'],
      ['state', 'state', 'state'],
      ['for', 'stateSince', 'age'],
      ['age', 'createdAt', 'age'],
      ['expires', 'expiresAt', 'time'],
      ['licence', 'licenseNum', 'whole'],
      ['user', 'user'],
      ['contract', 'contractId'],
    ],
    none: 'no lifecycle matches',
    examples: ['ops lifecycles --kind renewal --until 30d', 'ops lifecycles --all --json'],
  },
  {
    usage: 'lifecycle-counts',
    about: 'the number of lifecycles of each kind and state',
    path: '/ops/lifecycles/counts',
    options: OLD,
    columns: [
      ['kind', 'kind', 'whole'],
      ['state', 'state', 'state'],
      ['count', 'count', 'whole'],
      ['more', 'more', 'whole'],
      ['oldest', 'oldestAt', 'age'],
    ],
    none: 'no lifecycle matches',
    examples: ['ops lifecycle-counts'],
  },
];

const UPKEEP: readonly ApiCommand[] = [
  {
    usage: 'streams',
    about: 'the position and the lag of each stream of the ledger',
    path: '/ops/streams',
    columns: [
      ['stream', 'stream', 'whole'],
      ['participant', 'participant', 'whole'],
      ['offset', 'offset', 'whole'],
      ['ledger end', 'ledgerEnd', 'whole'],
      ['behind', 'lagOffsets', 'whole'],
      ['seconds', 'lagSeconds', 'whole'],
      ['why not', 'reason'],
    ],
    none: 'no stream is read',
    examples: ['ops streams'],
  },
  {
    usage: 'synchronizers',
    about: 'the time that each participant has reported for each synchronizer',
    path: '/ops/synchronizers',
    columns: [
      ['participant', 'participant', 'whole'],
      ['told', 'toldAt', 'age'],
      ['given up', 'givenUpAt', 'age'],
      ['synchronizer', 'synchronizer'],
    ],
    none: 'no participant has reported a time yet',
    examples: ['ops synchronizers'],
  },
  {
    usage: 'give-up <participant> <synchronizer>',
    about: 'give up a synchronizer that a participant has left permanently',
    method: 'POST',
    path: '/ops/synchronizers/give-up',
    preview: '/ops/synchronizers/preview-give-up',
    options: [REASON],
    examples: [
      'ops give-up app-provider global-domain::1220be58 --reason "the synchronizer was shut down"',
    ],
  },
  {
    usage: 'leases',
    about: 'the processes that hold the leases for tasks of a single process',
    path: '/ops/leases',
    columns: [
      ['lease', 'name', 'whole'],
      ['held', 'held', 'whole'],
      ['until', 'until', 'age'],
      ['epoch', 'epoch', 'whole'],
      ['holder', 'holder'],
    ],
    none: 'no process has held a lease yet',
    examples: ['ops leases'],
  },
  {
    usage: 'audit',
    about: 'the actions of people, with their reasons, newest first',
    path: '/ops/audit',
    options: [
      ...withOld('/ops/audit', { flags: '--subject <subject>', about: 'the identity that acted' }),
      { flags: '--act <act>', about: 'the action, such as retried' },
      {
        flags: '--object <object>',
        about: 'the object of the action, such as the ID of an operation',
      },
      {
        flags: '--since <age>',
        about: 'at or after this time, or within this duration',
        isAge: true,
      },
      {
        flags: '--until <age>',
        about: 'before this time, or earlier than this duration ago',
        isAge: true,
      },
    ],
    isPaged: true,
    columns: [
      ['at', 'at', 'time'],
      ['act', 'act', 'whole'],
      ['object', 'object', 'whole'],
      ['from', 'from'],
      ['to', 'to'],
      ['reason', 'reason'],
      ['by', 'bySubject'],
    ],
    none: 'no action matches',
    examples: ['ops audit --since 1d', 'ops audit --act retried --all --json'],
  },
];

/** Commands of the operations desk, except those of operations. */
export const DESK: readonly ApiCommand[] = [
  ...FAILURES,
  COSTS,
  QUOTAS,
  ...SESSIONS,
  ...LIFECYCLES,
  ...UPKEEP,
];
