import { Type } from '@fastify/type-provider-typebox';
import { PAUSE_SCOPES } from '../domain/pause.ts';

/* What answers about the acts of operators look like: see `schemas.ts`. */

const open = { additionalProperties: true } as const;

export const Pause = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'Of what a person has stopped' })),
    scope: Type.Unsafe<string>({ type: 'string', enum: [...PAUSE_SCOPES] }),
    name: Type.String({
      description: 'Of the participant or operation, or the provider’s party',
      examples: ['app-provider'],
    }),
    mode: Type.Unsafe<string>({
      type: 'string',
      enum: ['pause', 'drain', 'busy'],
      description:
        'pause: nothing of it is submitted; drain: nothing of it that was not at the head of its lane; busy: the participant has too much to do, and is left alone by itself',
    }),
    since: Type.String(),
    until: Type.Optional(Type.String({ description: 'When it ends by itself: busy' })),
    byParty: Type.Optional(Type.String()),
    bySubject: Type.Optional(Type.String({ description: 'The identity behind the party' })),
    reason: Type.String(),
    held: Type.Optional(
      Type.Integer({ description: 'Operations at the head of their lanes that wait for it' }),
    ),
  },
  { $id: 'Pause', ...open },
);
