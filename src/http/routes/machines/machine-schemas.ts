import { Type } from '@fastify/type-provider-typebox';
import { CAUSES } from '../../../../machines/charts.ts';
import { ACTION_ROLES } from '../../../../machines/machine-kit.ts';
import { LIFECYCLE_KINDS, OPERATIONS } from '../../../domain/licensing.ts';

/* Schemas of answers about the lifecycles' machines: see `schemas.ts`. */

const open = { additionalProperties: true } as const;
const named = (values: readonly string[]) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values] });

const about = {
  kind: named(LIFECYCLE_KINDS),
  version: Type.Integer({
    description: 'As `machineVersion` of a lifecycle names it',
    examples: [3],
  }),
  title: Type.String({ description: 'For people', examples: ['Install request'] }),
};

const Machine = Type.Object(
  {
    ...about,
    newest: Type.Boolean({ description: 'Steps are taken by this version now' }),
    states: Type.Array(Type.String(), { examples: [['active', 'renewing', 'expired']] }),
    href: Type.String({ description: 'Of its chart', examples: ['/machines/license/3'] }),
  },
  { $id: 'Machine', ...open },
);

const length = Type.Number({ examples: [132] });
const box = { x: length, y: length, width: length, height: length };
const nullableState = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: ['active'] });

const MachineState = Type.Object(
  {
    id: Type.String({ description: 'As `state` of a lifecycle', examples: ['creatingLicense'] }),
    label: Type.String({ description: 'In words', examples: ['creating licence'] }),
    initial: Type.Boolean(),
    final: Type.Boolean(),
    waits: Type.Boolean({ description: 'A command is on its way to the ledger' }),
    ...box,
  },
  { $id: 'MachineState', ...open },
);

const MachineTransition = Type.Object(
  {
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
      Type.Object(
        {
          name: Type.String({ description: 'As an `Action` has it', examples: ['expire'] }),
          operation: named(OPERATIONS),
          role: Type.Unsafe<string>({
            type: 'string',
            enum: [...ACTION_ROLES],
            description: 'Who may ask for it: one of the parties of the lifecycle',
          }),
          path: Type.String({
            description: 'What follows the address of the lifecycle',
            examples: [':expire', '/comments'],
          }),
        },
        { description: 'Where a caller asks for it', ...open },
      ),
    ),
    guard: Type.Optional(
      Type.String({ description: 'Taken only then; in words', examples: ['its time is over'] }),
    ),
    points: Type.Array(Type.Object({ x: length, y: length }, open), {
      description: 'The way of its line, from its beginning to its end',
    }),
    labelBox: Type.Object(box, { description: 'The place of the label', ...open }),
  },
  { $id: 'MachineTransition', ...open },
);

const states = Type.Array(Type.Unsafe<unknown>({ $ref: 'MachineState#' }));
const transitions = Type.Array(Type.Unsafe<unknown>({ $ref: 'MachineTransition#' }));

const MachineChart = Type.Object(
  {
    ...about,
    width: length,
    height: length,
    states,
    transitions,
    rail: Type.Object(
      { label: Type.String({ examples: ['whatever the state'] }), ...box, transitions },
      { description: 'What happens whatever the state, until a final one', ...open },
    ),
  },
  {
    $id: 'MachineChart',
    description: 'Lengths are pixels for a text of 11 to 12 px; places are of upper left corners',
    ...open,
  },
);

export const MACHINE_SCHEMAS = [Machine, MachineState, MachineTransition, MachineChart] as const;

export type MachineSchemaName = 'Machine' | 'MachineState' | 'MachineTransition' | 'MachineChart';
