import { OPERATIONS } from '../../src/domain/licensing.ts';
import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import type { ApiCommand, Option } from './description.ts';
import { oldOptionsOf } from './filter.ts';

const FAILURE = '9f86d081884c7d65';

const REASON: Option = {
  flags: '--reason <text>',
  about: 'why; the audit log keeps it',
  isRequired: true,
};

/** Returns an option, together with its old names. */
const withOld = (path: string, option: Option): readonly Option[] => [
  option,
  ...oldOptionsOf(path, [option]),
];

const ACTS = {
  resolve: 'take a failure for settled: it is open again once it happens again',
  ignore: 'leave a failure alone, also when it happens again',
  reopen: 'take back that a failure is resolved or ignored',
} as const;

const FAILURES: readonly ApiCommand[] = [
  {
    usage: 'failures',
    about: 'ways in which operations have failed, each with how many did',
    path: '/ops/failures',
    options: [
      {
        flags: '--state <state>',
        about: 'open ones by default',
        choices: ['open', 'resolved', 'ignored', 'all'],
      },
      { flags: '--operation <operation>', about: 'only of this', choices: OPERATIONS },
      { flags: '--code <code>', about: 'of the problem, or of the ledger' },
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
  about: 'what operations have paid the network for traffic, by operation, party and day',
  path: '/ops/costs',
  options: [
    ...withOld('/ops/costs', {
      flags: '--since <age>',
      about: 'accepted not longer ago, or since an instant; 7d by default',
      isAge: true,
    }),
    { flags: '--until <age>', about: 'accepted longer ago, or before an instant', isAge: true },
    { flags: '--party <party>', about: 'whom they are about, whoever asked' },
    { flags: '--operation <operation...>', about: 'any of these', choices: OPERATIONS },
    {
      flags: '--group-by <what...>',
      about: 'what is added up apart: all of these by default',
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
  none: 'nothing was attempted',
  examples: ['ops costs --since 30d --group-by day', 'ops costs --group-by party --all --json'],
};

const QUOTAS: ApiCommand = {
  usage: 'quotas',
  about: 'what each tenant uses of its quotas',
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
  none: 'no tenant uses anything',
  examples: ['ops quotas'],
};

const SESSIONS: readonly ApiCommand[] = [
  {
    usage: 'sessions',
    about: 'browsers in which persons are signed in',
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
    none: 'no such sessions',
    examples: ['ops sessions', 'ops sessions --subject c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'],
  },
  {
    usage: 'end-session <id>',
    about: 'sign a person out in one browser',
    method: 'POST',
    path: '/ops/sessions/{id}/end',
    options: [REASON],
    examples: [`ops end-session ${FAILURE} --reason "the laptop was lost"`],
  },
];

const OLD: readonly Option[] = [
  { flags: '--kind <kind>', about: 'only these', choices: LIFECYCLE_KINDS },
  { flags: '--state <state>', about: 'only in this state, as the counts name it' },
  { flags: '--party <party>', about: 'whose they are: the provider, or a user' },
  { flags: '--user <party>', about: 'only of this user' },
  { flags: '--provider <party>', about: 'only of this provider' },
  { flags: '--since <age>', about: 'begun not longer ago, or since an instant', isAge: true },
  ...withOld('/ops/lifecycles', {
    flags: '--until <age>',
    about: 'begun longer ago, or before an instant',
    isAge: true,
  }),
];

const LIFECYCLES: readonly ApiCommand[] = [
  {
    usage: 'lifecycles',
    about: 'what is alive, oldest first, and how long it has been what it is',
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
    none: 'no such lifecycles',
    examples: ['ops lifecycles --kind renewal --until 30d', 'ops lifecycles --all --json'],
  },
  {
    usage: 'lifecycle-counts',
    about: 'how many lifecycles there are of each kind and state',
    path: '/ops/lifecycles/counts',
    options: OLD,
    columns: [
      ['kind', 'kind', 'whole'],
      ['state', 'state', 'state'],
      ['count', 'count', 'whole'],
      ['more', 'more', 'whole'],
      ['oldest', 'oldestAt', 'age'],
    ],
    none: 'no such lifecycles',
    examples: ['ops lifecycle-counts'],
  },
];

const UPKEEP: readonly ApiCommand[] = [
  {
    usage: 'streams',
    about: 'how far each stream of the ledger is followed, and how far it lags',
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
    none: 'no stream is followed',
    examples: ['ops streams'],
  },
  {
    usage: 'synchronizers',
    about: 'how far each participant has told of each synchronizer: what proofs wait for',
    path: '/ops/synchronizers',
    columns: [
      ['participant', 'participant', 'whole'],
      ['told', 'toldAt', 'age'],
      ['given up', 'givenUpAt', 'age'],
      ['synchronizer', 'synchronizer'],
    ],
    none: 'nothing has been told yet',
    examples: ['ops synchronizers'],
  },
  {
    usage: 'give-up <participant> <synchronizer>',
    about: 'say of a synchronizer that a participant has left that it will not come back',
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
    about: 'which process does what only one may do at a time',
    path: '/ops/leases',
    columns: [
      ['lease', 'name', 'whole'],
      ['held', 'held', 'whole'],
      ['until', 'until', 'age'],
      ['epoch', 'epoch', 'whole'],
      ['holder', 'holder'],
    ],
    none: 'nobody has ever held one',
    examples: ['ops leases'],
  },
  {
    usage: 'audit',
    about: 'what persons did, and why, newest first',
    path: '/ops/audit',
    options: [
      ...withOld('/ops/audit', { flags: '--subject <subject>', about: 'the identity that acted' }),
      { flags: '--act <act>', about: 'what was done, such as retried' },
      { flags: '--object <object>', about: 'what it was done to, such as the ID of an operation' },
      { flags: '--since <age>', about: 'not longer ago, or since an instant', isAge: true },
      { flags: '--until <age>', about: 'longer ago, or before an instant', isAge: true },
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
    none: 'nothing was done',
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
