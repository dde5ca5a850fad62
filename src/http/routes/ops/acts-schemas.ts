import { Type } from '@fastify/type-provider-typebox';
import { ACT_STATES, BULK_ACTIONS } from '../../../app/desk/bulk-acts.ts';
import { DECISIONS } from '../../../app/desk/decide-doubt.ts';
import { PAUSE_MODES, PAUSE_SCOPES } from '../../../domain/pause.ts';
import { CIRCUIT_REASONS } from '../../../domain/participant-health.ts';
import {
  component,
  describedObject,
  openObject,
  optionalInteger,
  optionalText,
  words,
} from '../../kit/schema.ts';

/* Schemas of answers about the acts of operators: see `schemas.ts`. */

export const Pause = component('Pause', {
  id: optionalText('The ID of a pause that an operator has set'),
  scope: words(PAUSE_SCOPES),
  name: Type.String({
    description: 'The name of the participant or operation, or the party of the provider',
    examples: ['app-provider'],
  }),
  mode: Type.Unsafe<string>({
    type: 'string',
    enum: [...PAUSE_MODES, ...CIRCUIT_REASONS],
    description:
      'pause: nothing of it is submitted; drain: nothing of it that was not at the head of its lane; and of participants that are left alone by themselves, busy: too much to do; traffic: nothing left to pay the network with; unreachable: no connection',
  }),
  since: Type.String(),
  until: optionalText(
    'When it ends by itself; traffic and unreachable: when one operation at a time finds out whether it is over',
  ),
  byParty: optionalText(),
  bySubject: optionalText('The identity behind the party'),
  reason: Type.String(),
  held: optionalInteger('Operations at the head of their lanes that wait for it'),
});

export const BulkPreview = component('BulkPreview', {
  count: Type.Integer({ description: 'Operations that it can be done to' }),
  token: Type.String({ description: 'For `:apply`' }),
  expiresAt: Type.String(),
  refused: Type.Array(
    openObject({
      reason: Type.String({ examples: ['the operation has succeeded'] }),
      count: Type.Integer(),
    }),
    { description: 'Matching operations to which the action does not apply' },
  ),
  sample: Type.Array(openObject({}), {
    description: 'The first of those it can be done to, in the order in which they come',
  }),
});

export const BulkAct = component('BulkAct', {
  id: Type.String(),
  action: words(BULK_ACTIONS),
  decision: Type.Optional(words(DECISIONS)),
  filter: describedObject('As it was understood: ages have become instants', {}),
  reason: Type.String(),
  byParty: Type.String(),
  bySubject: Type.String({ description: 'The identity behind the party' }),
  state: words(ACT_STATES),
  count: Type.Integer({ description: 'Operations that it is about' }),
  done: Type.Integer(),
  refused: Type.Integer({
    description: 'Operations that were refused when they were processed',
  }),
  left: Type.Integer({ description: 'Operations that are not processed yet' }),
  appliedAt: Type.String(),
  finishedAt: optionalText(),
  refusals: Type.Optional(
    Type.Array(
      openObject({
        code: Type.String({ examples: ['NOT_RETRYABLE'] }),
        reason: Type.String({ description: 'The reason of one refusal' }),
        count: Type.Integer(),
      }),
      { description: 'The refusals, by reason; shown for a single bulk action, not in lists' },
    ),
  ),
});
