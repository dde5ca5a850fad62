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
  newest: Type.Boolean({ description: 'Whether this version takes the steps now' }),
  states: Type.Array(Type.String(), { examples: [['active', 'renewing', 'expired']] }),
  href: Type.String({ description: 'The address of the chart', examples: ['/machines/license/3'] }),
});

const length = Type.Number({ examples: [132] });
const box = { x: length, y: length, width: length, height: length };
const nullableState = (description: string) => nullableText({ description, examples: ['active'] });

const MachineState = component('MachineState', {
  id: Type.String({ description: 'As `state` of a lifecycle', examples: ['creatingLicense'] }),
  label: Type.String({ description: 'In words', examples: ['creating licence'] }),
  initial: Type.Boolean(),
  final: Type.Boolean(),
  waits: Type.Boolean({ description: 'Whether the state waits for the outcome of a command' }),
  ...box,
});

const MachineTransition = component('MachineTransition', {
  from: nullableState('`null`: any state that is not final'),
  to: nullableState('`null`: the state stays'),
  events: Type.Array(Type.String(), {
    description: 'The events; the `kind` of a history entry is one of them',
    examples: [['license.expire']],
  }),
  cause: Type.Unsafe<string>({
    type: 'string',
    enum: [...CAUSES],
    description:
      'The cause: a request of a caller, the answer to a command, or an update of the ledger',
  }),
  label: Type.String({ description: 'In words', examples: ['expire'] }),
  action: Type.Optional(
    describedObject('Where a caller asks for it', {
      name: Type.String({ description: 'As an `Action` has it', examples: ['expire'] }),
      operation: words(OPERATIONS),
      role: Type.Unsafe<string>({
        type: 'string',
        enum: [...ACTION_ROLES],
        description: 'The party of the lifecycle that may request the step',
      }),
      path: Type.String({
        description: 'The path after the address of the lifecycle',
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
    rail: describedObject('The transitions that are possible in any state that is not final', {
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
