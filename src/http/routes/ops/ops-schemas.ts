import { Type } from '@fastify/type-provider-typebox';
import { FAILURE_STATES } from '../../../app/desk/failure-list.ts';
import { CHANGE_STATES } from '../../../domain/change.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';
import { LIFECYCLE_KINDS } from '../../../domain/licensing.ts';
import { ANSWER_CLASSES } from '../../../domain/answer.ts';
import { OpsAttention } from './attention-schemas.ts';
import { COST } from '../operations/operation-schemas.ts';
import {
  component,
  describedObject,
  openObject,
  optionalInteger,
  optionalText,
  words,
  nullableText,
} from '../../kit/schema.ts';

/* Schemas of answers of the operations desk: see `schemas.ts`. */

const party = Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] });

const OperationSummary = component('OperationSummary', {
  id: Type.String(),
  commandId: Type.String({ examples: ['renew-17'] }),
  operation: words(OPERATIONS),
  lifecycleId: nullableText(),
  state: words(CHANGE_STATES),
  acceptedAt: Type.String(),
  finishedAt: optionalText(),
  provider: party,
  user: party,
  callerParty: party,
  callerSubject: Type.String({ description: 'The identity behind the party' }),
  submissions: Type.Integer({ examples: [2] }),
  waitingFor: Type.Optional(openObject({ kind: Type.String(), detail: Type.String() })),
  code: optionalText('The code of the problem with which the operation ended'),
  message: optionalText(),
  ledgerCode: optionalText(
    'The ledger code of the problem; for an open operation, of the newest answer',
  ),
  class: Type.Optional(words(ANSWER_CLASSES)),
  failure: optionalText('Its fingerprint: see /ops/failures'),
});

const count = {
  count: Type.Integer({ examples: [10_000] }),
  more: Type.Boolean({ description: 'There are more than that' }),
};

const OpsCounts = component('OpsCounts', {
  total: openObject(count),
  groups: Type.Array(
    openObject({
      key: nullableText({ description: 'For groups by time: the beginning of the group' }),
      ...count,
      states: Type.Optional(
        Type.Unsafe<object>({
          type: 'object',
          propertyNames: { enum: [...CHANGE_STATES] },
          additionalProperties: { type: 'integer' },
          description: 'For groups by time: the number of operations in each state',
          examples: [{ succeeded: 40, failed: 2 }],
        }),
      ),
    }),
  ),
});

const who = Type.String({ description: 'The identity behind the party' });

const Failure = component('Failure', {
  fingerprint: Type.String({ examples: ['9f86d081884c7d65'] }),
  state: words(FAILURE_STATES),
  operation: words(OPERATIONS),
  outcome: Type.String({ description: 'The state they ended in', examples: ['rejected'] }),
  code: Type.String({ description: 'The code of the problem', examples: ['LEDGER_REFUSED'] }),
  ledgerCode: Type.Optional(Type.String({ examples: ['DAML_FAILURE'] })),
  class: Type.Optional(words(ANSWER_CLASSES)),
  explanation: Type.String({ description: 'Why, without ids, times and numbers' }),
  ...count,
  firstAt: Type.String({ description: 'Acceptance of the first of them' }),
  lastAt: Type.String({ description: 'Acceptance of the last of them' }),
  example: describedObject('The last of them', {
    id: Type.String(),
    commandId: Type.String({ examples: ['renew-17'] }),
    lifecycleId: nullableText(),
    user: party,
  }),
  decision: Type.Optional(
    describedObject('The last decision of operators of the same party', {
      state: words(['resolved', 'ignored']),
      at: Type.String(),
      bySubject: who,
      reason: Type.String(),
      reopenedAt: optionalText('It was resolved, and has happened again'),
    }),
  ),
});

const Cost = component('Cost', {
  day: optionalText('The day of acceptance in UTC', '2026-01-31'),
  operation: Type.Optional(words(OPERATIONS)),
  party: Type.Optional(party),
  operations: Type.Integer({ description: 'Operations with at least one attempt' }),
  attempts: Type.Integer(),
  ...COST,
});

const quotaOf = (description: string) =>
  describedObject(description, {
    used: Type.Integer(),
    limit: optionalInteger('Absent: no limit'),
  });

const TenantQuotas = component('TenantQuotas', {
  party,
  openOperations: quotaOf('Operations that have not ended'),
  commentsPerDay: quotaOf('Comments of this day, by UTC, that took effect or are open'),
  webhooks: quotaOf('Webhooks'),
  trafficPerDay: Type.Optional(
    quotaOf('Bytes of ledger traffic of this day, by UTC; absent without a quota of traffic'),
  ),
});

const OpsLifecycle = component('OpsLifecycle', {
  id: Type.String({ examples: ['license-a1b2c3d4e5f60718293a'] }),
  kind: words(LIFECYCLE_KINDS),
  state: Type.String({ examples: ['active'] }),
  stateSince: Type.String({ description: 'Since when it is in its state' }),
  createdAt: Type.String({ description: 'Ledger time of its first contract' }),
  provider: party,
  user: party,
  contractId: Type.String(),
  licenseNum: optionalInteger(),
  expiresAt: optionalText('For licences: the ledger time of the expiry'),
  version: Type.Integer(),
  machineVersion: Type.Integer({ description: 'The version of the machine: see /machines' }),
});

const OpsLifecycleCount = component('OpsLifecycleCount', {
  kind: words(LIFECYCLE_KINDS),
  state: Type.String({ examples: ['active'] }),
  ...count,
  oldestAt: Type.String({ description: 'When the oldest of them began' }),
});

const OpsStream = component('OpsStream', {
  stream: Type.String({ examples: ['updates', 'completions:app-provider'] }),
  participant: Type.String({ examples: ['app-provider'] }),
  offset: Type.Integer({ description: 'Up to here it has been applied' }),
  oldestOffset: Type.Integer({ description: 'Updates after this offset are available' }),
  recordTime: optionalText(
    'The record time of the newest applied update, if the stream reports times',
  ),
  ledgerEnd: optionalInteger(
    'The ledger end of the participant; missing if the participant does not answer',
  ),
  lagOffsets: optionalInteger('To the ledger end'),
  lagSeconds: Type.Optional(
    Type.Number({ description: '0 at the ledger end, else how long ago `recordTime` was' }),
  ),
  reason: optionalText('Why the participant’s end is not known'),
});

const OpsSynchronizer = component('OpsSynchronizer', {
  participant: Type.String({ examples: ['app-provider'] }),
  synchronizer: Type.String({ examples: ['global-domain::1220be58'] }),
  toldAt: Type.String({
    description:
      'The completions of the participant have reported everything up to this record time',
  }),
  givenUpAt: optionalText(
    'The last record time of the synchronizer when an operator gave it up; absent if none did',
  ),
});

const OpsLease = component('OpsLease', {
  name: Type.String({ examples: ['projector'] }),
  holder: Type.String({ description: 'The process that holds the lease, or held it last' }),
  epoch: Type.Integer({ description: 'Rises with every holder' }),
  until: Type.String({ description: 'The end of the lease, by the clock of the database' }),
  held: Type.Boolean(),
});

const AuditEntry = component('AuditEntry', {
  id: Type.Integer(),
  at: Type.String(),
  byParty: party,
  bySubject: who,
  act: Type.String({ examples: ['retried', 'failure-resolved', 'paused'] }),
  object: Type.String({
    description:
      'The object of the action: the ID of an operation, or kind and name such as `failure:9f86d081884c7d65`',
  }),
  reason: Type.String(),
  from: Type.Optional(words(CHANGE_STATES)),
  to: Type.Optional(words(CHANGE_STATES)),
  operation: Type.Optional(
    describedObject('Where it was done to one', {
      id: Type.String(),
      commandId: Type.String(),
      operation: words(OPERATIONS),
      lifecycleId: nullableText(),
    }),
  ),
  detail: openObject({}),
});

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
