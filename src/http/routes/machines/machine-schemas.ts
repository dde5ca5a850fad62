import { Type } from '@fastify/type-provider-typebox';
import { CAUSES } from '../../../../machines/charts.ts';
import { ACTION_ROLES } from '../../../../machines/machine-kit.ts';
import { LIFECYCLE_KINDS, OPERATIONS } from '../../../domain/licensing.ts';
import {
  component,
  describedObject,
  nullableText,
  openObject,
  optionalText,
  words,
} from '../../kit/schema.ts';

/* Schemas of answers about the state machines of lifecycles: see `schemas.ts`. */

const open = { additionalProperties: true } as const;

const about = {
  kind: words(LIFECYCLE_KINDS),
  version: Type.Integer({
    description: 'As `machineVersion` of a lifecycle names it',
    examples: [3],
  }),
  title: Type.String({ description: 'For people', examples: ['Install request'] }),
};

const Machine = component('Machine', {
  ...about,
  newest: Type.Boolean({ description: 'Steps are taken by this version now' }),
  states: Type.Array(Type.String(), { examples: [['active', 'renewing', 'expired']] }),
  href: Type.String({ description: 'Of its chart', examples: ['/machines/license/3'] }),
});

const length = Type.Number({ examples: [132] });
const box = { x: length, y: length, width: length, height: length };
const nullableState = (description: string) => nullableText({ description, examples: ['active'] });

const MachineState = component('MachineState', {
  id: Type.String({ description: 'As `state` of a lifecycle', examples: ['creatingLicense'] }),
  label: Type.String({ description: 'In words', examples: ['creating licence'] }),
  initial: Type.Boolean(),
  final: Type.Boolean(),
  waits: Type.Boolean({ description: 'A command is on its way to the ledger' }),
  ...box,
});

const MachineTransition = component('MachineTransition', {
  from: nullableState('`null`: whatever the state, until a final one'),
  to: nullableState('`null`: the state stays'),
  events: Type.Array(Type.String(), {
    description: 'Any of them, as `kind` of a history entry names it',
    examples: [['license.expire']],
  }),
  cause: Type.Unsafe<string>({
    type: 'string',
    enum: [...CAUSES],
    description: 'A caller asks, a command was answered, or the ledger says that it happened',
  }),
  label: Type.String({ description: 'In words', examples: ['expire'] }),
  action: Type.Optional(
    describedObject('Where a caller asks for it', {
      name: Type.String({ description: 'As an `Action` has it', examples: ['expire'] }),
      operation: words(OPERATIONS),
      role: Type.Unsafe<string>({
        type: 'string',
        enum: [...ACTION_ROLES],
        description: 'Who may ask for it: one of the parties of the lifecycle',
      }),
      path: Type.String({
        description: 'What follows the address of the lifecycle',
        examples: [':expire', '/comments'],
      }),
    }),
  ),
  guard: optionalText('Taken only then; in words', 'its time is over'),
  points: Type.Array(openObject({ x: length, y: length }), {
    description: 'The way of its line, from its beginning to its end',
  }),
  labelBox: describedObject('The place of the label', box),
});

const states = Type.Array(Type.Unsafe<unknown>({ $ref: 'MachineState#' }));
const transitions = Type.Array(Type.Unsafe<unknown>({ $ref: 'MachineTransition#' }));

const MachineChart = component(
  'MachineChart',
  {
    ...about,
    width: length,
    height: length,
    states,
    transitions,
    rail: describedObject('What happens whatever the state, until a final one', {
      label: Type.String({ examples: ['whatever the state'] }),
      ...box,
      transitions,
    }),
  },
  {
    description: 'Lengths are pixels for a text of 11 to 12 px; places are of upper left corners',
    ...open,
  },
);

export const MACHINE_SCHEMAS = [Machine, MachineState, MachineTransition, MachineChart] as const;
