import { OPERATIONS } from '../../src/domain/licensing.ts';
import { PAUSE_SCOPES } from '../../src/domain/pause.ts';
import { COUNT_GROUPINGS } from '../../src/domain/grouping.ts';
import type { ApiGroup, Column, Option } from './description.ts';
import { DESK } from './desk.ts';
import { FILTER, oldOptionsOf } from './filter.ts';

const REASON: Option = {
  flags: '--reason <text>',
  about: 'the reason, for the audit log',
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
  about: 'the order by acceptance (default: newest first)',
  choices: ['-acceptedAt', 'acceptedAt'],
};
const SORT: readonly Option[] = [SORTED, ...oldOptionsOf('/ops/operations', [SORTED])];

/** Commands for operators: `/ops`. */
export const OPS: ApiGroup = {
  name: 'ops',
  about: 'the operations desk: find operations, see failures, and act on them',
  commands: [
    {
      usage: 'search',
      about: 'find the operations that match all the given conditions',
      path: '/ops/operations',
      options: [...FILTER, ...SORT],
      isPaged: true,
      columns: OPERATION,
      none: 'no operation matches',
      examples: [
        'ops search --state failed in-doubt --since 1d',
        'ops search --state queued --until 15m --sort acceptedAt',
        'ops search --policy expiry --state rejected failed',
        'ops search --command-id "tenure:expire:*" --all --json',
      ],
    },
    {
      usage: 'counts',
      about: 'the number of operations, in total and by group',
      path: '/ops/operations/counts',
      options: [
        ...FILTER,
        {
          flags: '--group-by <what>',
          about: 'how to group; hour and day are in UTC and show the states of each group',
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
      about: 'show one operation: its attempts, their answers, and actions by operators',
      path: '/ops/operations/{id}',
      examples: ['ops show 0197a3f2-5b6c-7d8e-9f01-23456789abcd'],
    },
    {
      usage: 'retry <id>',
      about: 'retry an operation that ended without an effect',
      method: 'POST',
      path: '/ops/operations/{id}/retry',
      options: [REASON],
      examples: [
        'ops retry 0197a3f2-5b6c-7d8e-9f01-23456789abcd --reason "the participant is back"',
      ],
    },
    {
      usage: 'cancel <id>',
      about: 'cancel an operation before it takes effect',
      method: 'POST',
      path: '/ops/operations/{id}/cancel',
      options: [REASON],
      examples: ['ops cancel 0197a3f2-5b6c-7d8e-9f01-23456789abcd --reason "asked for by mistake"'],
    },
    {
      usage: 'decide <id> <decision>',
      about: 'decide an operation in doubt, so that its mailbox continues',
      choices: { decision: ['took-effect', 'no-effect', 'submit-again'] },
      method: 'POST',
      path: '/ops/operations/{id}/decide',
      preview: '/ops/operations/{id}/preview-decide',
      options: [
        REASON,
        { flags: '--update-id <id>', about: 'for took-effect: the ID of the update' },
      ],
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
      about: 'alarms: operations that have waited too long for the same reason',
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
      about: 'the pauses, with their author, reason and number of waiting operations',
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
      none: 'nothing is paused',
      examples: ['ops pauses'],
    },
    ...(['pause', 'drain'] as const).map((mode) => ({
      usage: `${mode} <scope> <name>`,
      about:
        mode === 'pause'
          ? 'pause the submissions of a participant, an operation or a provider'
          : 'like pause, but operations that are first in their mailbox continue',
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
      about: 'end a pause; `ops pauses` lists the IDs',
      method: 'POST',
      path: '/ops/pauses/{id}/resume',
      options: [REASON],
      examples: ['ops resume 4f1c2d3e-5b6c-4d8e-9f01-23456789abcd --reason "the upgrade is done"'],
    },
    {
      usage: 'acts [id]',
      about: 'bulk actions, newest first; with an ID: the progress of one bulk action',
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
      none: 'no bulk action exists',
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
      about: 'timers, with their due times and states',
      path: '/ops/timers',
      options: [
        { flags: '--kind <kind>', about: 'only these timers', choices: ['expire', 'withdraw'] },
        {
          flags: '--state <state>',
          about: 'only these timers',
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
