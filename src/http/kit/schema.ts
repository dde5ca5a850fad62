import { Type } from '@fastify/type-provider-typebox';
import type { TObject, TProperties } from '@fastify/type-provider-typebox';
import type { AlarmSeverity } from '../../domain/alarm.ts';
import { ALARM_SEVERITIES } from '../../domain/alarm.ts';

/* Schema parts that many schemas share, for the API document and for checks of bodies. */

const OPEN = { additionalProperties: true } as const;

/** The schema of an object in an answer. Other members are allowed, because later versions may add some. */
export const openObject = <Members extends TProperties>(members: Members) =>
  Type.Object(members, OPEN);

export const describedObject = <Members extends TProperties>(
  description: string,
  members: Members,
) => Type.Object(members, { description, ...OPEN });

/** The schema of an object with a name in the API document. @param options may forbid other members */
export const component = <const Name extends string, Members extends TProperties>(
  name: Name,
  members: Members,
  options: object = OPEN,
) => Type.Object(members, { $id: name, ...options }) as TObject<Members> & { readonly $id: Name };

/** The schema of an object in a request, without other members. */
export const closedObject = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false });

/** The schema of a text that is one of the words. */
export const words = (all: readonly string[]) =>
  Type.Unsafe<string>({ type: 'string', enum: [...all] });

export const nullableText = (options: object = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

const about = <Value>(description: string | undefined, examples: readonly Value[]) => ({
  ...(description === undefined ? {} : { description }),
  ...(examples.length === 0 ? {} : { examples: [...examples] }),
});

export const optionalText = (description?: string, ...examples: readonly string[]) =>
  Type.Optional(Type.String(about(description, examples)));

export const optionalInteger = (description?: string, ...examples: readonly number[]) =>
  Type.Optional(Type.Integer(about(description, examples)));

export const optionalBoolean = (description?: string, ...examples: readonly boolean[]) =>
  Type.Optional(Type.Boolean(about(description, examples)));

/** The severity of an alarm. */
export const alarmSeverity = Type.Unsafe<AlarmSeverity>({
  type: 'string',
  enum: [...ALARM_SEVERITIES],
  description: '`critical`: the operation continues only after a person has acted',
});
