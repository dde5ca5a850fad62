import { Type } from '@fastify/type-provider-typebox';
import { FAILURE_STATES } from '../../../app/desk/failure-list.ts';
import { CHANGE_STATES } from '../../../domain/change.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';
import { ANSWER_CLASSES } from '../../../domain/answer.ts';
import { LIFECYCLE_KINDS } from '../../../domain/licensing.ts';
import { OpsAttention } from './attention-schemas.ts';
import { COST } from '../operations/operation-schemas.ts';

/* Schemas of answers of the operations desk: see `schemas.ts`. */

const open = { additionalProperties: true } as const;
const named = (values: readonly string[]) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values] });
const party = Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] });

const OperationSummary = Type.Object(
  {
    id: Type.String(),
    commandId: Type.String({ examples: ['renew-17'] }),
    operation: named(OPERATIONS),
    lifecycleId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    state: named(CHANGE_STATES),
    acceptedAt: Type.String(),
    finishedAt: Type.Optional(Type.String()),
    provider: party,
    user: party,
    callerParty: party,
    callerSubject: Type.String({ description: 'The identity behind the party' }),
    submissions: Type.Integer({ examples: [2] }),
    waitingFor: Type.Optional(Type.Object({ kind: Type.String(), detail: Type.String() }, open)),
    code: Type.Optional(Type.String({ description: 'Of the problem that it ended with' })),
    message: Type.Optional(Type.String()),
    ledgerCode: Type.Optional(
      Type.String({ description: 'Of that problem; while it is open, of the newest answer' }),
    ),
    class: Type.Optional(named(ANSWER_CLASSES)),
    failure: Type.Optional(Type.String({ description: 'Its fingerprint: see /ops/failures' })),
  },
  { $id: 'OperationSummary', ...open },
);

const count = {
  count: Type.Integer({ examples: [10_000] }),
  more: Type.Boolean({ description: 'There are more than that' }),
};

const OpsCounts = Type.Object(
  {
    total: Type.Object(count, open),
    groups: Type.Array(
      Type.Object(
        {
          key: Type.Unsafe<string | null>({
            type: ['string', 'null'],
            description: 'By time: when it begins',
          }),
          ...count,
          states: Type.Optional(
            Type.Unsafe<object>({
              type: 'object',
              propertyNames: { enum: [...CHANGE_STATES] },
              additionalProperties: { type: 'integer' },
              description: 'By time: how many there are in each state that there is',
              examples: [{ succeeded: 40, failed: 2 }],
            }),
          ),
        },
        open,
      ),
    ),
  },
  { $id: 'OpsCounts', ...open },
);

const who = Type.String({ description: 'The identity behind the party' });

const Failure = Type.Object(
  {
    fingerprint: Type.String({ examples: ['9f86d081884c7d65'] }),
    state: named(FAILURE_STATES),
    operation: named(OPERATIONS),
    outcome: Type.String({ description: 'The state they ended in', examples: ['rejected'] }),
    code: Type.String({ description: 'Of the problem', examples: ['LEDGER_REFUSED'] }),
    ledgerCode: Type.Optional(Type.String({ examples: ['DAML_FAILURE'] })),
    class: Type.Optional(named(ANSWER_CLASSES)),
    explanation: Type.String({ description: 'Why, without ids, times and numbers' }),
    ...count,
    firstAt: Type.String({ description: 'Acceptance of the first of them' }),
    lastAt: Type.String({ description: 'Acceptance of the last of them' }),
    example: Type.Object(
      {
        id: Type.String(),
        commandId: Type.String({ examples: ['renew-17'] }),
        lifecycleId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
        user: party,
      },
      { description: 'The last of them', ...open },
    ),
    decision: Type.Optional(
      Type.Object(
        {
          state: named(['resolved', 'ignored']),
          at: Type.String(),
          bySubject: who,
          reason: Type.String(),
          reopenedAt: Type.Optional(
            Type.String({ description: 'It was resolved, and has happened again' }),
          ),
        },
        { description: 'What operators of the same party said of it last', ...open },
      ),
    ),
  },
  { $id: 'Failure', ...open },
);

const Cost = Type.Object(
  {
    day: Type.Optional(
      Type.String({ description: 'By UTC, of their acceptance', examples: ['2026-01-31'] }),
    ),
    operation: Type.Optional(named(OPERATIONS)),
    party: Type.Optional(party),
    operations: Type.Integer({ description: 'Those that were attempted' }),
    attempts: Type.Integer(),
    ...COST,
  },
  { $id: 'Cost', ...open },
);

const quotaOf = (description: string) =>
  Type.Object(
    {
      used: Type.Integer(),
      limit: Type.Optional(Type.Integer({ description: 'Absent: no limit' })),
    },
    { description, ...open },
  );

const TenantQuotas = Type.Object(
  {
    party,
    openOperations: quotaOf('Operations that have not ended'),
    commentsPerDay: quotaOf('Comments of this day, by UTC, that took effect or are open'),
    webhooks: quotaOf('Webhooks'),
    trafficPerDay: Type.Optional(
      quotaOf('Bytes of ledger traffic of this day, by UTC; absent without a quota of traffic'),
    ),
  },
  { $id: 'TenantQuotas', ...open },
);

const OpsLifecycle = Type.Object(
  {
    id: Type.String({ examples: ['license-a1b2c3d4e5f60718293a'] }),
    kind: named(LIFECYCLE_KINDS),
    state: Type.String({ examples: ['active'] }),
    stateSince: Type.String({ description: 'Since when it is in its state' }),
    createdAt: Type.String({ description: 'Ledger time of its first contract' }),
    provider: party,
    user: party,
    contractId: Type.String(),
    licenseNum: Type.Optional(Type.Integer()),
    expiresAt: Type.Optional(Type.String({ description: 'Of licences; ledger time' })),
    version: Type.Integer(),
    machineVersion: Type.Integer({ description: 'Of the machine: see /machines' }),
  },
  { $id: 'OpsLifecycle', ...open },
);

const OpsLifecycleCount = Type.Object(
  {
    kind: named(LIFECYCLE_KINDS),
    state: Type.String({ examples: ['active'] }),
    ...count,
    oldestAt: Type.String({ description: 'When the oldest of them began' }),
  },
  { $id: 'OpsLifecycleCount', ...open },
);

const OpsStream = Type.Object(
  {
    stream: Type.String({ examples: ['updates', 'completions:app-provider'] }),
    participant: Type.String({ examples: ['app-provider'] }),
    offset: Type.Integer({ description: 'Up to here it has been applied' }),
    oldestOffset: Type.Integer({ description: 'What came after this is there' }),
    recordTime: Type.Optional(
      Type.String({ description: 'Of the newest that was applied, where the stream tells times' }),
    ),
    ledgerEnd: Type.Optional(
      Type.Integer({ description: 'Of its participant; missing when it does not answer' }),
    ),
    lagOffsets: Type.Optional(Type.Integer({ description: 'To the ledger end' })),
    lagSeconds: Type.Optional(
      Type.Number({ description: '0 at the ledger end, else how long ago `recordTime` was' }),
    ),
    reason: Type.Optional(Type.String({ description: 'Why the participant’s end is not known' })),
  },
  { $id: 'OpsStream', ...open },
);

const OpsSynchronizer = Type.Object(
  {
    participant: Type.String({ examples: ['app-provider'] }),
    synchronizer: Type.String({ examples: ['global-domain::1220be58'] }),
    toldAt: Type.String({
      description: 'Everything up to this record time has been told by its completions',
    }),
    givenUpAt: Type.Optional(
      Type.String({ description: 'A person has said that it will not come back' }),
    ),
  },
  { $id: 'OpsSynchronizer', ...open },
);

const OpsLease = Type.Object(
  {
    name: Type.String({ examples: ['projector'] }),
    holder: Type.String({ description: 'The process that holds it, or held it last' }),
    epoch: Type.Integer({ description: 'Rises with every holder' }),
    until: Type.String({ description: 'By the clock of the database' }),
    held: Type.Boolean(),
  },
  { $id: 'OpsLease', ...open },
);

const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    at: Type.String(),
    byParty: party,
    bySubject: who,
    act: Type.String({ examples: ['retried', 'failure-resolved', 'paused'] }),
    object: Type.String({
      description:
        'What it was done to: the id of an operation, or kind and name such as `failure:9f86d081884c7d65`',
    }),
    reason: Type.String(),
    from: Type.Optional(named(CHANGE_STATES)),
    to: Type.Optional(named(CHANGE_STATES)),
    operation: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          commandId: Type.String(),
          operation: named(OPERATIONS),
          lifecycleId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
        },
        { description: 'Where it was done to one', ...open },
      ),
    ),
    detail: Type.Object({}, open),
  },
  { $id: 'AuditEntry', ...open },
);

export const OPS_SCHEMAS = [
  OperationSummary,
  OpsCounts,
  Cost,
  TenantQuotas,
  Failure,
  OpsLifecycle,
  OpsLifecycleCount,
  OpsStream,
  OpsSynchronizer,
  OpsLease,
  AuditEntry,
  OpsAttention,
] as const;

export type OpsSchemaName =
  | 'OperationSummary'
  | 'OpsCounts'
  | 'Cost'
  | 'TenantQuotas'
  | 'Failure'
  | 'OpsLifecycle'
  | 'OpsLifecycleCount'
  | 'OpsStream'
  | 'OpsSynchronizer'
  | 'OpsLease'
  | 'AuditEntry'
  | 'OpsAttention';
