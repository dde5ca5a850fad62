import { Type } from '@fastify/type-provider-typebox';

/* What answers about one lifecycle look like, besides its body: see `schemas.ts`. */

const open = { additionalProperties: true } as const;

export const Action = Type.Object(
  {
    name: Type.String({ examples: ['expire'] }),
    allowed: Type.Boolean(),
    reason: Type.Optional(
      Type.String({ description: 'Why not', examples: ['it has ended: expired'] }),
    ),
    method: Type.String({ examples: ['POST'] }),
    href: Type.String({ examples: ['/licenses/license-a1b2c3d4e5f60718293a:expire'] }),
    needsBody: Type.Boolean({ description: 'Its request has a body that cannot be left out' }),
  },
  { $id: 'Action', ...open },
);

export const HistoryEntry = Type.Object(
  {
    at: Type.String({ examples: ['2026-01-31T12:00:00.000000Z'] }),
    kind: Type.String({
      description:
        'The event, as `events` of the machine’s transitions name it, where a step was taken; else ledger.created, or a step beside the machine',
      examples: ['ledger.created', 'license.expire'],
    }),
    state: Type.String({
      description: 'The state then; the one before it is that of the entry before',
      examples: ['active'],
    }),
    by: Type.Optional(Type.String({ description: 'The party that asked for it' })),
    commandId: Type.Optional(Type.String({ description: 'Of the caller’s own changes only' })),
    offset: Type.Optional(Type.Integer({ examples: [42] })),
    updateId: Type.Optional(Type.String()),
    contractId: Type.Optional(Type.String()),
    detail: Type.Object(
      {},
      { ...open, description: 'What was asked: operation, subject, policy, reason, code' },
    ),
  },
  { $id: 'HistoryEntry', ...open },
);
