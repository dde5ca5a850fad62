import { Type } from '@fastify/type-provider-typebox';
import { CHANGE_STATES, WAITS } from '../../../domain/change.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';

/* Schemas of answers about operations: see `schemas.ts`. */

const open = { additionalProperties: true } as const;

const party = Type.String({ examples: ['app_provider_quickstart-root-1::1220f5d3'] });

const ATTEMPT = {
  n: Type.Integer(),
  submissionId: Type.String(),
  at: Type.String(),
  tries: Type.Optional(
    Type.Integer({
      description:
        'Where the tries before this one sent nothing: how many there were, with this one',
    }),
  ),
  since: Type.Optional(Type.String({ description: 'With `tries`: when the first of them began' })),
  answer: Type.String({ examples: ['accepted'] }),
  explanation: Type.String({ examples: ['the ledger accepted it'] }),
  ledgerCode: Type.Optional(Type.String()),
  offset: Type.Optional(Type.Integer()),
};

const Attempt = Type.Object(ATTEMPT, open);

const OpsAttempt = Type.Object(
  {
    ...ATTEMPT,
    answeredAt: Type.Optional(Type.String()),
    participant: Type.String({ examples: ['app-provider'] }),
    actAs: party,
    contractId: Type.Optional(Type.String({ description: 'That its choice was exercised on' })),
    cost: Type.Optional(
      Type.Integer({
        description: 'Traffic that was paid for it, in bytes, where the ledger says so',
      }),
    ),
  },
  open,
);

const Related = Type.Object(
  {
    id: Type.String(),
    commandId: Type.String({ examples: ['accept-1'] }),
    state: Type.Unsafe<string>({ type: 'string', enum: [...CHANGE_STATES] }),
  },
  open,
);

export const Operation = Type.Object(
  {
    id: Type.String(),
    commandId: Type.String({ examples: ['accept-1'] }),
    operation: Type.Unsafe<string>({ type: 'string', enum: [...OPERATIONS] }),
    lifecycleId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    state: Type.Unsafe<string>({ type: 'string', enum: [...CHANGE_STATES] }),
    acceptedAt: Type.String(),
    finishedAt: Type.Optional(Type.String()),
    policy: Type.Optional(
      Type.Object(
        {
          name: Type.Unsafe<string>({ type: 'string', enum: ['expiry', 'renewal'] }),
          version: Type.Integer({ description: 'Of the policy that decided it' }),
          reason: Type.String({ examples: ['it lapsed at 2026-01-31T12:00:00Z'] }),
        },
        { description: 'Where nobody asked for it but a policy', ...open },
      ),
    ),
    waitingFor: Type.Optional(
      Type.Object(
        {
          kind: Type.Unsafe<string>({ type: 'string', enum: [...WAITS] }),
          detail: Type.String(),
          since: Type.String(),
          until: Type.Optional(Type.String({ description: 'When it goes on by itself' })),
          after: Type.Optional(
            Type.Object(
              { kind: Type.String(), since: Type.String() },
              {
                description:
                  'While it is tried again: what it waited for, and will again if that changes nothing',
                ...open,
              },
            ),
          ),
        },
        open,
      ),
    ),
    attempts: Type.Array(Attempt),
    result: Type.Optional(
      Type.Object(
        {
          status: Type.Integer({ examples: [201] }),
          body: Type.Unsafe<unknown>({}),
          exercised: Type.Optional(Type.Unsafe<unknown>({ $ref: 'Exercised#' })),
        },
        { description: 'What its call was or would have been answered with', ...open },
      ),
    ),
    error: Type.Optional(Type.Unsafe<unknown>({ $ref: 'ErrorResponse#' })),
    retryOf: Type.Optional(Related),
    retriedAs: Type.Optional(
      Type.Array(Related, { description: 'What was made of it when it was done again' }),
    ),
  },
  { $id: 'Operation', ...open },
);

/** The traffic paid for attempts. */
export const COST = {
  bytes: Type.Integer({
    description: 'Traffic that was paid to the network, as far as the ledger tells',
    examples: [18_432],
  }),
  unknown: Type.Integer({
    description: 'Attempts of which nobody says what they cost: that is unknown, not nothing',
  }),
};

export const OpsOperation = Type.Object(
  {
    ...Operation.properties,
    attempts: Type.Array(OpsAttempt),
    cost: Type.Object(COST, { description: 'Of all its attempts', ...open }),
    provider: party,
    user: party,
    callerParty: party,
    callerSubject: Type.String({ description: 'The identity behind the party' }),
    failure: Type.Optional(Type.String({ description: 'Its fingerprint: see /ops/failures' })),
    timeline: Type.Array(
      Type.Object(
        {
          at: Type.String(),
          what: Type.String({
            description:
              '`accepted`; `queued`: at the head of its lane, on its way to a worker; `submitted`, `answered`: an attempt; `finished`; else an act of a person',
            examples: ['accepted', 'queued', 'submitted', 'answered', 'retried', 'finished'],
          }),
          detail: Type.String({ description: 'In words' }),
          attempt: Type.Optional(Type.Integer()),
        },
        open,
      ),
      { description: 'What happened to it, oldest first' },
    ),
    doubt: Type.Optional(
      Type.Object(
        {
          advice: Type.String({ description: 'What is known, and where to look' }),
          openUntil: Type.Optional(
            Type.String({ description: 'Until then an attempt may still take effect' }),
          ),
          deduplicationOffset: Type.Integer({
            description: 'All it could have done lies behind it',
          }),
          participant: Type.String({ examples: ['app-provider'] }),
          actAs: party,
          workflowId: Type.String({ description: 'What its update carries, if there is one' }),
          undecided: Type.Array(Type.Object({}, open), {
            description: 'Attempts of which it is not known whether they were accepted',
          }),
          contracts: Type.Array(Type.Object({}, open), {
            description: 'The contracts that they named, as the query store knows them',
          }),
          decisions: Type.Array(Type.String()),
          decidedBy: Type.Array(party, {
            description: 'The parties whose operators may decide it',
          }),
        },
        { description: 'Of an operation in doubt', ...open },
      ),
    ),
    audit: Type.Array(Type.Object({}, open), {
      description: 'What persons have done to it, oldest first',
    }),
  },
  { $id: 'OpsOperation', ...open },
);

export const Alarm = Type.Object(
  {
    operationId: Type.String(),
    changeId: Type.String({ description: 'Use `operationId`', deprecated: true }),
    kind: Type.String({ description: 'What it waits for', examples: ['ledger'] }),
    since: Type.String(),
    raisedAt: Type.String(),
    detail: Type.String(),
  },
  { $id: 'Alarm', ...open },
);
