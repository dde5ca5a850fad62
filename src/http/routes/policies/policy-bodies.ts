import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { ExpiryMode, ExpiryPolicy, QuietHours } from '../../../domain/expiry-policy.ts';
import { EXPIRY_MODES, isTimeZone, minutesOf } from '../../../domain/expiry-policy.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { invalid } from '../../kit/invalid.ts';
import { durationMicros } from '../../kit/duration.ts';

/* A policy is replaced as a whole: what it does not say would otherwise be what somebody else has said before. */

const closed = { additionalProperties: false } as const;

const time = (description: string, example: string) =>
  Type.String({ description, examples: [example], maxLength: 5 });

const quietHours = Type.Array(
  Type.Object(
    {
      from: time('HH:MM, inclusive', '22:00'),
      to: time('HH:MM, exclusive; 24:00 is the end of the day', '06:00'),
      timeZone: Type.String({
        description: 'An IANA name',
        examples: ['Europe/Zurich'],
        maxLength: 64,
      }),
    },
    closed,
  ),
  {
    description:
      'Parts of each day in which nothing ends by itself; `from` after `to` goes over midnight',
    maxItems: HTTP_LIMITS.quietHoursMax,
  },
);

const EXPIRY = {
  mode: Type.Unsafe<ExpiryMode>({
    type: 'string',
    enum: [...EXPIRY_MODES],
    description: 'dry-run: what would end is listed, and nothing ends',
  }),
  grace: Type.String({
    description: 'How long after its expiresAt a licence is left alone: ISO 8601 in days and time',
    examples: ['P3D'],
  }),
  includeNeverRenewed: Type.Boolean({
    description:
      'Whether licences end that nobody has ever paid for: a new licence is born expired',
  }),
  quietHours,
  paused: Type.Boolean({ description: 'Nothing new fires; what is on its way goes on' }),
  maxInFlight: Type.Integer({
    minimum: 1,
    maximum: HTTP_LIMITS.expiriesInFlightMax,
    description: 'Expiries of the policy that may be on their way at once',
    examples: [10],
  }),
};

const RENEWAL = {
  complete: Type.Boolean({
    description: 'Complete a renewal as soon as an allocation is there that is what it asked for',
  }),
  withdrawLapsed: Type.Boolean({ description: 'Withdraw one whose window has closed without' }),
};

export const ExpiryPolicyBody = Type.Object(EXPIRY, closed);
export type ExpiryPolicyBody = Static<typeof ExpiryPolicyBody>;

export const RenewalPolicyBody = Type.Object(RENEWAL, closed);
export type RenewalPolicyBody = Static<typeof RenewalPolicyBody>;

/** As they are answered. */
export const ExpiryPolicySchema = Type.Object(EXPIRY, { $id: 'ExpiryPolicy' });
export const RenewalPolicySchema = Type.Object(RENEWAL, { $id: 'RenewalPolicy' });

function readGraceMs(text: string): number {
  const micros = durationMicros(text);
  if (micros === null) {
    return invalid('grace', 'must be an ISO 8601 duration in days and time, such as P3D or PT12H');
  }
  if (micros < 0n) return invalid('grace', 'must not be negative');
  if (micros > BigInt(HTTP_LIMITS.graceMsMax) * 1_000n) return invalid('grace', 'is too long');
  // Never earlier than what was asked for.
  return Number((micros + 999n) / 1_000n);
}

function readQuietHours({ from, to, timeZone }: QuietHours, place: number): QuietHours {
  const at = (name: string): string => `quietHours.${place}.${name}`;
  if (minutesOf(from) === null || from === '24:00') {
    return invalid(at('from'), 'must be a time of the day, 00:00 to 23:59');
  }
  if (minutesOf(to) === null) return invalid(at('to'), 'must be a time of the day, 00:00 to 24:00');
  if (from === to)
    return invalid(at('to'), 'must differ from its from; to stop all, pause the policy');
  if (!isTimeZone(timeZone)) return invalid(at('timeZone'), 'must be a known IANA time zone');
  return { from, to, timeZone };
}

/** @throws ProblemError `REQUEST_INVALID` that names the field */
export const readExpiryPolicy = (body: ExpiryPolicyBody): ExpiryPolicy => ({
  mode: body.mode,
  grace: body.grace,
  graceMs: readGraceMs(body.grace),
  includeNeverRenewed: body.includeNeverRenewed,
  quietHours: body.quietHours.map(readQuietHours),
  paused: body.paused,
  maxInFlight: body.maxInFlight,
});
