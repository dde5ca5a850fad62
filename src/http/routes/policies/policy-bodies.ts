import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { PolicyKind } from '../../../app/desk/change-policy.ts';
import type { ExpiryMode, ExpiryPolicy, QuietHours } from '../../../domain/expiry-policy.ts';
import { EXPIRY_MODES, isTimeZone, minutesOf } from '../../../domain/expiry-policy.ts';
import { POLICY_NAMES } from '../../../domain/automatic.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { RenewalPolicy } from '../../../domain/renewal-policy.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { COUNT, TOKEN } from '../../kit/confirmation.ts';
import { invalid } from '../../kit/invalid.ts';
import { durationMicros } from '../../kit/duration.ts';
import {
  closedObject,
  component,
  optionalBoolean,
  optionalInteger,
  optionalText,
  words,
} from '../../kit/schema.ts';

/* A request replaces the whole policy, so that an omitted member does not keep a value that an earlier author set. */

const closed = { additionalProperties: false } as const;

const time = (description: string, example: string) =>
  Type.String({ description, examples: [example], maxLength: 5 });

const quietHours = Type.Array(
  closedObject({
    from: time('HH:MM, inclusive', '22:00'),
    to: time('HH:MM, exclusive; 24:00 is the end of the day', '06:00'),
    timeZone: Type.String({
      description: 'An IANA name',
      examples: ['Europe/Zurich'],
      maxLength: 64,
    }),
  }),
  {
    description:
      'Parts of each day in which no licence ends automatically; if `from` is after `to`, the period includes midnight',
    maxItems: HTTP_LIMITS.quietHoursMax,
  },
);

const EXPIRY = {
  mode: Type.Unsafe<ExpiryMode>({
    type: 'string',
    enum: [...EXPIRY_MODES],
    description: 'dry-run: the policy lists licences but ends none',
  }),
  grace: Type.String({
    description: 'The grace period after expiresAt: ISO 8601 in days and time',
    examples: ['P3D'],
  }),
  includeNeverRenewed: Type.Boolean({
    description:
      'Whether the policy ends licences that were never paid for; a new licence is expired until its first payment',
  }),
  includeSuspended: Type.Optional(
    Type.Boolean({
      description: 'Whether the policy ends suspended licences; by default it does not',
      default: false,
    }),
  ),
  quietHours,
  paused: Type.Boolean({
    description: 'Whether the policy is paused: no new timer fires, and running expiries continue',
  }),
  maxInFlight: Type.Integer({
    minimum: 1,
    maximum: HTTP_LIMITS.expiriesInFlightMax,
    description: 'The maximum number of concurrent expiries of the policy',
    examples: [10],
  }),
};

const RENEWAL = {
  complete: Type.Boolean({
    description: 'Complete a renewal as soon as a matching allocation exists',
  }),
  withdrawLapsed: Type.Boolean({
    description: 'Withdraw a renewal that was not completed in time',
  }),
};

const reason = Type.String({
  minLength: 1,
  maxLength: HTTP_LIMITS.reasonCharsMax,
  description: 'For the audit log',
  examples: ['licences end three days after they lapse, as of January'],
});

const confirmation = Type.Optional(
  Type.Object(
    {
      token: TOKEN,
      count: COUNT,
      reason,
      includeNeverRenewed: optionalBoolean(
        'Needed where the policy also ends licences that were never renewed',
      ),
    },
    {
      ...closed,
      description:
        'Needed where the policy can end an existing licence that the policy before it could not end',
    },
  ),
);

/** The version of the policy. Requests may contain it, because programs send back a policy that they have read. */
const SEEN = {
  version: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'The version that the caller has read. PUT refuses another version, as with If-Match',
    }),
  ),
};

/** A policy that a caller wants to preview before setting it. */
export const ExpiryPolicyProposal = closedObject({ ...EXPIRY, ...SEEN });
export type ExpiryPolicyProposal = Static<typeof ExpiryPolicyProposal>;
export const RenewalPolicyProposal = closedObject({ ...RENEWAL, ...SEEN });
export type RenewalPolicyProposal = Static<typeof RenewalPolicyProposal>;

/** A policy that a caller sets. */
export const ExpiryPolicyBody = closedObject({ ...EXPIRY, ...SEEN, confirmation });
export const RenewalPolicyBody = closedObject({ ...RENEWAL, ...SEEN, confirmation });

export const UndoBody = closedObject({
  version: Type.Integer({ minimum: 1, description: 'The version to undo' }),
  reason,
});
export type UndoBody = Static<typeof UndoBody>;

/** Policies in answers. */
const version = Type.Integer({ description: 'As in header ETag; 0 until a policy is set' });
export const ExpiryPolicySchema = component('ExpiryPolicy', { ...EXPIRY, version }, {});
export const RenewalPolicySchema = component('RenewalPolicy', { ...RENEWAL, version }, {});

function readGraceMs(text: string): number {
  const micros = durationMicros(text);
  if (micros === null) {
    return invalid('grace', 'must be an ISO 8601 duration in days and time, such as P3D or PT12H');
  }
  if (micros < 0n) return invalid('grace', 'must not be negative');
  if (micros > BigInt(HTTP_LIMITS.graceMsMax) * 1_000n) return invalid('grace', 'is too long');
  // Rounds up, so that the duration is never shorter than requested.
  return Number((micros + 999n) / 1_000n);
}

function readQuietHours({ from, to, timeZone }: QuietHours, place: number): QuietHours {
  const at = (name: string): string => `quietHours.${place}.${name}`;
  if (minutesOf(from) === null || from === '24:00') {
    return invalid(at('from'), 'must be a time of the day, 00:00 to 23:59');
  }
  if (minutesOf(to) === null) return invalid(at('to'), 'must be a time of the day, 00:00 to 24:00');
  if (from === to)
    return invalid(at('to'), 'must differ from `from`; to stop the policy, pause it');
  if (!isTimeZone(timeZone)) return invalid(at('timeZone'), 'must be a known IANA time zone');
  return { from, to, timeZone };
}

/** Returns the policy that a body contains. @throws ProblemError `REQUEST_INVALID` that names the field */
export const readExpiryPolicy = (body: ExpiryPolicyProposal): ExpiryPolicy => ({
  mode: body.mode,
  grace: body.grace,
  graceMs: readGraceMs(body.grace),
  includeNeverRenewed: body.includeNeverRenewed,
  ...(body.includeSuspended === true ? { includeSuspended: true } : {}),
  quietHours: body.quietHours.map(readQuietHours),
  paused: body.paused,
  maxInFlight: body.maxInFlight,
});

export const readRenewalPolicy = ({
  complete,
  withdrawLapsed,
}: RenewalPolicyProposal): RenewalPolicy => ({ complete, withdrawLapsed });

const COUNTS = {
  atOnce: Type.Integer(),
  within24Hours: Type.Integer(),
  within30Days: Type.Integer(),
  ever: Type.Integer({
    description: 'With all of the above: those that it ends if nothing else changes',
  }),
  neverRenewed: Type.Integer({ description: 'The licences in `ever` that were never renewed' }),
  afterChange: Type.Integer({
    description: 'Further ones that it can end only after a renewal or another change',
  }),
};

export const PolicyPreviewSchema = component(
  'PolicyPreview',
  {
    kind: words(POLICY_NAMES),
    version: Type.Integer({ description: 'The version of the policy that would be replaced' }),
    of: Type.Unsafe<string>({
      type: 'string',
      enum: ['licenses', 'renewals'],
      description: 'The counted objects. A renewal policy ends no licence: it withdraws renewals',
    }),
    ends: Type.Object(COUNTS, {
      description: 'How many existing ones it can end',
    }),
    count: Type.Integer({ description: 'For `confirmation.count`: as `ends.ever`' }),
    first: Type.Array(
      Type.Object({
        lifecycleId: Type.String(),
        contractId: Type.String(),
        licenseNum: Type.Integer(),
        user: Type.String(),
        userName: Type.String({
          description: 'The name of the tenant, or the readable part of the party',
        }),
        expiresAt: Type.String(),
        endsAt: Type.String({
          description: 'The earliest time at which the policy can end the licence',
        }),
        neverRenewed: Type.Boolean(),
      }),
      { description: 'The first that it ends, in their order' },
    ),
    isConfirmationNeeded: Type.Boolean({ description: 'Whether PUT needs the token' }),
    delaySeconds: Type.Number({ description: 'How long it waits before it ends the first' }),
    token: Type.String({ description: 'For `confirmation.token`' }),
    expiresAt: Type.String({ description: 'The expiry of the token' }),
  },
  {},
);

export const PendingPolicySchema = component(
  'PendingPolicy',
  {
    isPending: Type.Boolean({ description: 'Whether the policy waits, and does nothing yet' }),
    version: optionalInteger(),
    startsAt: optionalText(),
    startsInSeconds: Type.Optional(Type.Number()),
    count: optionalInteger('How many the person has confirmed'),
    bySubject: optionalText(),
    reason: optionalText(),
    canUndo: optionalBoolean(),
  },
  {},
);

/** One kind of policy: its address, its reader and its storage. */
export interface PolicyRoute<Policy extends object> {
  readonly kind: PolicyKind<Policy>;
  readonly schema: 'ExpiryPolicy' | 'RenewalPolicy';
  readonly body: typeof ExpiryPolicyBody | typeof RenewalPolicyBody;
  readonly proposal: typeof ExpiryPolicyProposal | typeof RenewalPolicyProposal;
  readonly read: (body: unknown) => Policy;
  readonly shown: (policy: Policy) => JsonRecord;
}
