import { Type } from '@fastify/type-provider-typebox';
import { CHANGE_STATES, WAITS } from '../../../domain/change.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';
import {
  alarmSeverity,
  component,
  describedObject,
  openObject,
  optionalInteger,
  optionalText,
  words,
  nullableText,
} from '../../kit/schema.ts';

/* Schemas of answers about operations: see `schemas.ts`. */

const party = Type.String({ examples: ['app_provider_quickstart-root-1::1220f5d3'] });

const ATTEMPT = {
  n: Type.Integer(),
  submissionId: Type.String(),
  at: Type.String(),
  tries: optionalInteger('Number of tries, if earlier tries of this attempt sent nothing'),
  since: optionalText('With `tries`: when the first of them began'),
  answer: Type.String({ examples: ['accepted'] }),
  explanation: Type.String({ examples: ['the ledger accepted it'] }),
  ledgerCode: optionalText(),
  offset: optionalInteger(),
};

const Attempt = openObject(ATTEMPT);

const OpsAttempt = openObject({
  ...ATTEMPT,
  answeredAt: optionalText(),
  participant: Type.String({ examples: ['app-provider'] }),
  actAs: party,
  contractId: optionalText('The contract on which the choice was exercised'),
  cost: optionalInteger('Traffic cost of the attempt in bytes, if the ledger reports it'),
});

const Related = openObject({
  id: Type.String(),
  commandId: Type.String({ examples: ['accept-1'] }),
  state: words(CHANGE_STATES),
});

export const Operation = component('Operation', {
  id: Type.String(),
  commandId: Type.String({ examples: ['accept-1'] }),
  operation: words(OPERATIONS),
  lifecycleId: nullableText(),
  state: words(CHANGE_STATES),
  acceptedAt: Type.String(),
  finishedAt: optionalText(),
  policy: Type.Optional(
    describedObject('The policy that requested the operation, if it was a policy', {
      name: words(['expiry', 'renewal']),
      version: Type.Integer({
        description: 'The version of the policy that requested the operation',
      }),
      reason: Type.String({ examples: ['the licence expired at 2026-01-31T12:00:00Z'] }),
    }),
  ),
  waitingFor: Type.Optional(
    openObject({
      kind: words(WAITS),
      detail: Type.String(),
      since: Type.String(),
      until: optionalText('The time at which the operation continues automatically'),
      after: Type.Optional(
        describedObject('During a retry: the previous wait, which returns if the retry fails', {
          kind: Type.String(),
          since: Type.String(),
        }),
      ),
    }),
  ),
  attempts: Type.Array(Attempt),
  result: Type.Optional(
    describedObject('The answer that the call returned, or would have returned', {
      status: Type.Integer({ examples: [201] }),
      body: Type.Unsafe<unknown>({}),
      exercised: Type.Optional(Type.Unsafe<unknown>({ $ref: 'Exercised#' })),
    }),
  ),
  error: Type.Optional(Type.Unsafe<unknown>({ $ref: 'ErrorResponse#' })),
  retryOf: Type.Optional(Related),
  retriedAs: Type.Optional(Type.Array(Related, { description: 'The retries of the operation' })),
});

/** The traffic that was paid for the attempts of an operation. */
export const COST = {
  bytes: Type.Integer({
    description: 'Traffic paid to the network, as far as the ledger reports it',
    examples: [18_432],
  }),
  unknown: Type.Integer({
    description: 'Attempts with unknown cost, which is not the same as no cost',
  }),
};

export const OpsOperation = component('OpsOperation', {
  ...Operation.properties,
  attempts: Type.Array(OpsAttempt),
  cost: describedObject('The cost of all attempts', COST),
  provider: party,
  user: party,
  callerParty: party,
  callerSubject: Type.String({ description: 'The identity behind the party' }),
  failure: optionalText('Its fingerprint: see /ops/failures'),
  timeline: Type.Array(
    openObject({
      at: Type.String(),
      what: Type.String({
        description:
          '`accepted`; `queued`: at the head of its lane, on its way to a worker; `submitted`, `answered`: an attempt; `finished`; else an act of a person',
        examples: ['accepted', 'queued', 'submitted', 'answered', 'retried', 'finished'],
      }),
      detail: Type.String({ description: 'In words' }),
      attempt: optionalInteger(),
    }),
    { description: 'The events of the operation, oldest first' },
  ),
  doubt: Type.Optional(
    describedObject('Evidence about an operation in doubt', {
      advice: Type.String({ description: 'The evidence, and where to find more' }),
      openUntil: optionalText('The time until which an attempt may still take effect'),
      deduplicationOffset: Type.Integer({
        description: 'The ledger offset after which every possible effect lies',
      }),
      participant: Type.String({ examples: ['app-provider'] }),
      actAs: party,
      workflowId: Type.String({ description: 'The workflow ID of its update, if there is one' }),
      undecided: Type.Array(openObject({}), {
        description: 'Attempts of which it is not known whether they were accepted',
      }),
      contracts: Type.Array(openObject({}), {
        description: 'The contracts that they named, as the query store knows them',
      }),
      decisions: Type.Array(Type.String()),
      decidedBy: Type.Array(party, {
        description: 'The parties whose operators may decide it',
      }),
    }),
  ),
  audit: Type.Array(openObject({}), {
    description: 'The actions of people on the operation, oldest first',
  }),
});

export const Alarm = component('Alarm', {
  operationId: Type.String(),
  changeId: Type.String({ description: 'Use `operationId`', deprecated: true }),
  kind: Type.String({ description: 'The reason of the wait', examples: ['ledger'] }),
  severity: alarmSeverity,
  since: Type.String(),
  raisedAt: Type.String(),
  detail: Type.String(),
});
