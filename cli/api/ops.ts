import { OPERATIONS } from '../../src/domain/licensing.ts';
import { PAUSE_SCOPES } from '../../src/domain/pause.ts';
import { COUNT_GROUPINGS } from '../../src/domain/grouping.ts';
import type { ApiGroup, Column, Option } from './description.ts';
import { DESK } from './desk.ts';
import { FILTER, oldOptionsOf } from './filter.ts';

const REASON: Option = {
  flags: '--reason <text>',
  about: 'why; the audit log keeps it',
  isRequired: true,
};

const OPERATION: readonly Column[] = [
  ['id', 'id', 'whole'],
  ['state', 'state', 'state'],
  ['operation', 'operation', 'whole'],
  ['age', 'acceptedAt', 'age'],
  ['code', 'code'],
  ['ledger code', 'ledgerCode'],
  ['waits for', 'waitingFor.kind'],
  ['submissions', 'submissions'],
  ['lifecycle', 'lifecycleId'],
  ['command', 'commandId'],
];

const SORTED: Option = {
  flags: '--sort <order>',
  about: 'by acceptance; newest first by default',
  choices: ['-acceptedAt', 'acceptedAt'],
};
const SORT: readonly Option[] = [SORTED, ...oldOptionsOf('/ops/operations', [SORTED])];

/** Commands for operators: `/ops`. */
export const OPS: ApiGroup = {
  name: 'ops',
  about: 'the operations desk: what is on its way, what failed, and what to do about it',
  commands: [
    {
      usage: 'search',
      about: 'find operations: all for which everything holds that is asked for',
      path: '/ops/operations',
      options: [...FILTER, ...SORT],
      isPaged: true,
      columns: OPERATION,
      none: 'no such operations',
      examples: [
        'ops search --state failed in-doubt --since 1d',
        'ops search --state queued --until 15m --sort acceptedAt',
        'ops search --policy expiry --state rejected failed',
        'ops search --command-id "tenure:expire:*" --all --json',
      ],
    },
    {
      usage: 'counts',
      about: 'how many operations there are, and of each group of them',
      path: '/ops/operations/counts',
      options: [
        ...FILTER,
        {
          flags: '--group-by <what>',
          about: 'what a group has in common; hour and day by UTC, with the states of each',
          choices: COUNT_GROUPINGS,
        },
      ],
      examples: [
        'ops counts --group-by state',
        'ops counts --state failed --group-by code',
        'ops counts --group-by hour --since 2d',
      ],
    },
    {
      usage: 'show <id>',
      about: 'one operation: its attempts, what they were answered, and what was done about it',
      path: '/ops/operations/{id}',
      examples: ['ops show 0197a3f2-5b6c-7d8e-9f01-23456789abcd'],
    },
    {
      usage: 'retry <id>',
      about: 'have an operation done again that ended without an effect',
      method: 'POST',
      path: '/ops/operations/{id}/retry',
      options: [REASON],
      examples: [
        'ops retry 0197a3f2-5b6c-7d8e-9f01-23456789abcd --reason "the participant is back"',
      ],
    },
    {
      usage: 'cancel <id>',
      about: 'end an operation before it takes effect',
      method: 'POST',
      path: '/ops/operations/{id}/cancel',
      options: [REASON],
      examples: ['ops cancel 0197a3f2-5b6c-7d8e-9f01-23456789abcd --reason "asked for by mistake"'],
    },
    {
      usage: 'decide <id> <decision>',
      about: 'record what you have found about an operation in doubt, and go on with it',
      choices: { decision: ['took-effect', 'no-effect', 'submit-again'] },
      method: 'POST',
      path: '/ops/operations/{id}/decide',
      preview: '/ops/operations/{id}/preview-decide',
      options: [REASON, { flags: '--update-id <id>', about: 'with took-effect: which it was' }],
      examples: [
        'ops decide 0197a3f2-5b6c-7d8e-9f01-23456789abcd no-effect --reason "no update with its workflow ID"',
      ],
    },
    {
      usage: 'in-doubt',
      about: 'operations that wait for a decision, oldest first',
      path: '/ops/in-doubt',
      isPaged: true,
      columns: [
        ['id', 'id', 'whole'],
        ['operation', 'operation', 'whole'],
        ['age', 'acceptedAt', 'age'],
        ['advice', 'doubt.advice'],
        ['lifecycle', 'lifecycleId'],
        ['command', 'commandId'],
      ],
      none: 'no operation is in doubt',
      examples: ['ops in-doubt', 'ops in-doubt --json'],
    },
    {
      usage: 'alarms',
      about: 'operations that have waited too long for one thing',
      path: '/ops/alarms',
      isPaged: true,
      columns: [
        ['operation', 'operationId', 'whole'],
        ['severity', 'severity', 'whole'],
        ['waits for', 'kind', 'whole'],
        ['waits', 'since', 'age'],
        ['raised', 'raisedAt', 'age'],
        ['detail', 'detail'],
      ],
      none: 'no alarms',
      examples: ['ops alarms'],
    },
    {
      usage: 'pauses',
      about: 'what is stopped, by whom and why, and how much waits for it',
      path: '/ops/pauses',
      columns: [
        ['id', 'id', 'whole'],
        ['scope', 'scope', 'whole'],
        ['mode', 'mode', 'state'],
        ['since', 'since', 'age'],
        ['held', 'held', 'whole'],
        ['until', 'until', 'age'],
        ['name', 'name'],
        ['reason', 'reason'],
        ['by', 'bySubject'],
      ],
      none: 'nothing is stopped',
      examples: ['ops pauses'],
    },
    ...(['pause', 'drain'] as const).map((mode) => ({
      usage: `${mode} <scope> <name>`,
      about:
        mode === 'pause'
          ? 'submit nothing more of a participant, an operation or a provider'
          : 'pause, but let what is at the head of its lane go on',
      choices: { scope: PAUSE_SCOPES },
      method: 'POST' as const,
      path: '/ops/pauses',
      options: [REASON],
      fixed: { mode },
      examples: [
        `ops ${mode} participant app-provider --reason "the participant is being upgraded"`,
        `ops ${mode} operation ${OPERATIONS[6]} --reason "prices have changed"`,
      ],
    })),
    {
      usage: 'resume <id>',
      about: 'let go on what was stopped; ops pauses has the IDs',
      method: 'POST',
      path: '/ops/pauses/{id}/resume',
      options: [REASON],
      examples: ['ops resume 4f1c2d3e-5b6c-4d8e-9f01-23456789abcd --reason "the upgrade is done"'],
    },
    {
      usage: 'acts [id]',
      about: 'acts on many operations, the newest first; with an ID how far that one is',
      path: '/ops/acts/{id}',
      isPaged: true,
      columns: [
        ['id', 'id', 'whole'],
        ['action', 'action', 'whole'],
        ['state', 'state', 'state'],
        ['count', 'count', 'whole'],
        ['done', 'done', 'whole'],
        ['refused', 'refused', 'whole'],
        ['left', 'left', 'whole'],
        ['applied', 'appliedAt', 'age'],
        ['reason', 'reason'],
        ['by', 'bySubject'],
      ],
      none: 'no acts',
      examples: ['ops acts', 'ops acts 4f1c2d3e-5b6c-4d8e-9f01-23456789abcd'],
    },
    {
      usage: 'stop <id>',
      about: 'do no more of an act on many operations; what is done stays done',
      method: 'POST',
      path: '/ops/acts/{id}/stop',
      options: [REASON],
      examples: [
        'ops stop 4f1c2d3e-5b6c-4d8e-9f01-23456789abcd --reason "the first ones failed again"',
      ],
    },
    {
      usage: 'timers',
      about: 'what lapses and when, and what of it has fired',
      path: '/ops/timers',
      options: [
        { flags: '--kind <kind>', about: 'only these', choices: ['expire', 'withdraw'] },
        {
          flags: '--state <state>',
          about: 'only these',
          choices: ['waiting', 'fired', 'given-up'],
        },
      ],
      isPaged: true,
      columns: [
        ['lapses', 'lapsesAt', 'time'],
        ['kind', 'kind', 'whole'],
        ['state', 'state', 'state'],
        ['lifecycle', 'lifecycleId', 'whole'],
        ['licence', 'licenseNum', 'whole'],
        ['never renewed', 'neverRenewed', 'whole'],
        ['failures', 'generation', 'whole'],
        ['not before', 'notBefore', 'time'],
        ['operation', 'operationId'],
        ['user', 'user'],
      ],
      none: 'no timers',
      examples: ['ops timers --state given-up', 'ops timers --kind expire --all --json'],
    },
    {
      usage: 'rearm <id>',
      about: 'set a timer going again that was given up, by its lifecycle or contract',
      method: 'POST',
      path: '/ops/timers/{id}/rearm',
      options: [REASON],
      examples: ['ops rearm license-45a630df7f69f19e28ef28a4a55cabd1 --reason "the right is back"'],
    },
    ...DESK,
  ],
};
