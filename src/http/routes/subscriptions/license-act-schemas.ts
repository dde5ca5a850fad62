import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { describe } from '../../../../machines/registry.ts';
import { LICENSE_ACTS } from '../../../app/subscriptions/license-acts.ts';
import type { LicenseAct } from '../../../app/subscriptions/license-acts.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { CONFIRMATION } from '../../kit/confirmation.ts';
import {
  closedObject,
  component,
  openObject,
  optionalBoolean,
  words,
  nullableText,
} from '../../kit/schema.ts';

/* Schemas of actions on all licences of a filter, in requests and answers: see `schemas.ts`. */

const closed = { additionalProperties: false } as const;

const text = (description: string, example: string) =>
  Type.Optional(
    Type.String({ maxLength: HTTP_LIMITS.nameCharsMax, description, examples: [example] }),
  );

const states = Object.values<{ readonly key: string; readonly type: string }>(
  describe('license').machine.states,
).flatMap(({ key, type }) => (type === 'final' ? [] : [key]));

const FILTER = Type.Object(
  {
    user: text('Only of this user', 'app_user_quickstart-root-1::1220aa01'),
    plan: text('Only of the plan with this ID', 'pro'),
    search: text(
      'Only those whose reference begins with the text, or whose customer has it in its name',
      'ACME-00',
    ),
    state: Type.Optional(words(states)),
    expiresAfter: text(
      'Only those whose time is over at or after this instant, or this duration from now',
      'P7D',
    ),
    expiresBefore: text(
      'Only those whose time is over before this instant, or within this duration from now',
      'P30D',
    ),
    licenseIds: Type.Optional(
      Type.Array(Type.String({ maxLength: HTTP_LIMITS.pathIdCharsMax }), {
        minItems: 1,
        maxItems: LIMITS.licensesActedMax,
        description: 'Only these licences, by `lifecycleId`; not together with `search`',
        examples: [['license-a1b2c3d4e5f60718293a']],
      }),
    ),
    suspended: optionalBoolean('Only suspended ones, or only those that are not'),
  },
  {
    ...closed,
    minProperties: 1,
    description: `Active licences with all of these members. An act has at most ${LIMITS.licensesActedMax}`,
    examples: [{ plan: 'pro', expiresBefore: 'P30D' }],
  },
);

const ACT = {
  action: Type.Unsafe<LicenseAct>({
    type: 'string',
    enum: [...LICENSE_ACTS],
    description:
      '`offer`: ask the user to pay the next period of the plan; `expire`: end licences whose time is over; `change-plan`: offer another plan at the next renewal of licences that renew themselves',
  }),
  planId: Type.Optional(
    Type.String({
      maxLength: HTTP_LIMITS.nameCharsMax,
      description: 'With `change-plan`: the plan of later renewals',
      examples: ['team'],
    }),
  ),
  filter: FILTER,
};

export const LicenseActPreviewBody = closedObject(ACT);
export type LicenseActPreviewBody = Static<typeof LicenseActPreviewBody>;

export const LicenseActBody = closedObject({
  ...ACT,
  reason: Type.String({
    minLength: 1,
    maxLength: HTTP_LIMITS.reasonCharsMax,
    description: 'For the audit log; with `suspend` also for the parties of the licences',
    examples: ['the new price list'],
  }),
  confirmation: CONFIRMATION,
});
export type LicenseActBody = Static<typeof LicenseActBody>;

const refused = Type.Array(
  openObject({
    reason: Type.String({ examples: ['a renewal of the licence is open'] }),
    count: Type.Integer({ examples: [2] }),
  }),
  { description: 'Licences of the filter to which it does not apply' },
);

export const LicenseActPreview = component('LicenseActPreview', {
  count: Type.Integer({ description: 'Licences to which it applies', examples: [40] }),
  shows: Type.Array(Type.String(), {
    description: 'The effects of the action, for a person to read',
  }),
  token: Type.String({ description: 'For `confirmation.token`' }),
  expiresAt: Type.String({ format: 'date-time', examples: ['2030-01-31T12:00:00.000Z'] }),
  refused,
  sample: Type.Array(
    openObject({
      licenseId: Type.String({ examples: ['license-a1b2c3d4e5f60718293a'] }),
      reference: nullableText({ examples: ['ACME-0007'] }),
      expiresAt: nullableText(),
    }),
    { description: 'The first few of them' },
  ),
});

export const LicenseActResult = component('LicenseActResult', {
  id: Type.String({
    description: 'Part of the command IDs of its operations, and in the audit log',
    examples: ['a1b2c3d4e5f60718'],
  }),
  done: Type.Integer({ description: 'Licences to which it was applied', examples: [39] }),
  refused,
  operations: Type.Array(Type.String({ examples: ['5b1b6c1e-0d6a-4d60-9c0e-0a1b2c3d4e5f'] }), {
    description: 'The IDs of its operations, each with its own outcome',
  }),
});
