import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { DEFAULT_INSTRUMENT, feeMistake, normalFee } from '../../../domain/renewal.ts';
import { invalid } from '../../kit/invalid.ts';
import { durationMicros } from '../../kit/duration.ts';

/*
 * The bodies of renewals. They are recorded in a normal form, so that bodies with the same meaning are recorded
 * identically: a fee as a decimal without needless digits, a duration as a number of microseconds.
 */

const duration = (description: string, example: string) =>
  Type.String({
    description: `${description}: ISO 8601 in days, hours, minutes and seconds`,
    examples: [example],
  });

export const LicenseRenewRequest = Type.Object(
  {
    licenseFeeCc: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['number', 'string'],
        description:
          'The fee: a decimal above zero with at most 10 digits after the point and 28 before it, as a number or as text. ' +
          'All digits are kept.',
        examples: [100],
      }),
    ),
    licenseFeeInstrument: Type.Optional(
      Type.String({
        maxLength: LIMITS.metadataTextCharsMax,
        minLength: 1,
        description: `The instrument of the fee at the configured registry; ${DEFAULT_INSTRUMENT} unless a plan says otherwise`,
        examples: [DEFAULT_INSTRUMENT],
      }),
    ),
    licenseExtensionDuration: Type.Optional(duration('The length of the extension', 'P30D')),
    prepareUntilDuration: Type.Optional(
      duration('The time in which the user may allocate the fee', 'PT10M'),
    ),
    settleBeforeDuration: Type.Optional(
      duration('The time in which the renewal may be completed', 'PT20M'),
    ),
    description: Type.Optional(
      Type.String({
        maxLength: LIMITS.metadataTextCharsMax,
        description: 'The text that the user sees in the wallet',
        examples: ['One more month'],
      }),
    ),
    planId: Type.Optional(
      Type.String({
        maxLength: 63,
        description:
          'The plan of the renewal. The plan supplies values that the request leaves out, and the description names the plan',
        examples: ['pro'],
      }),
    ),
    planVersion: Type.Optional(
      Type.Integer({ minimum: 1, description: 'A version of the plan; the newest one by default' }),
    ),
    allowConcurrent: Type.Optional(
      Type.Boolean({
        description:
          'Whether to request the renewal even if another renewal of the licence is open',
        default: false,
      }),
    ),
  },
  {
    $id: 'LicenseRenewRequest',
    description: 'Without `planId`, fee, durations and description are required',
  },
);
export type LicenseRenewRequest = Static<typeof LicenseRenewRequest>;

const allocationContractId = Type.String({
  maxLength: HTTP_LIMITS.pathIdCharsMax,
  description: 'The allocation that the wallet of the user has created',
  examples: ['00c0ffee'],
});

export const CompleteBody = Type.Object({ allocationContractId });
export type CompleteBody = Static<typeof CompleteBody>;

export const CompleteLicenseRenewalRequest = Type.Object(
  {
    renewalRequestContractId: Type.String({
      maxLength: HTTP_LIMITS.pathIdCharsMax,
      examples: ['00beef'],
    }),
    allocationContractId,
  },
  { $id: 'CompleteLicenseRenewalRequest' },
);
export type CompleteLicenseRenewalRequest = Static<typeof CompleteLicenseRenewalRequest>;

export const NoBody = Type.Object({}, { description: 'Nothing is read of it' });

function readFee(given: number | string): string {
  const text = String(given);
  const mistake = feeMistake(text);
  return mistake === null ? normalFee(text) : invalid('licenseFeeCc', mistake);
}

type DurationField = 'licenseExtensionDuration' | 'prepareUntilDuration' | 'settleBeforeDuration';

const readGiven = (field: DurationField, body: LicenseRenewRequest): string | undefined => {
  const text = body[field];
  return text === undefined ? undefined : readDuration(field, text);
};

/** Reads a duration. @returns microseconds, as text */
function readDuration(field: string, text: string): string {
  const micros = durationMicros(text);
  if (micros === null) {
    return invalid(field, 'must be an ISO 8601 duration in days and time, such as P30D or PT10M');
  }
  if (micros <= 0n) return invalid(field, 'must be longer than zero');
  if (micros > BigInt(LIMITS.durationMsMax) * 1_000n) return invalid(field, 'is too long');
  return String(micros);
}

/** The recorded terms of a renewal. */
export interface RenewalTerms {
  readonly licenseFeeCc: string;
  readonly licenseExtensionMicros: string;
  readonly prepareUntilMicros: string;
  readonly settleBeforeMicros: string;
  readonly description: string;
  readonly licenseFeeInstrument?: string;
}

/** Reads the terms that a body contains. @throws ProblemError `REQUEST_INVALID` that names the field */
export function readGivenTerms(body: LicenseRenewRequest): Partial<RenewalTerms> {
  const given = {
    licenseFeeCc: body.licenseFeeCc === undefined ? undefined : readFee(body.licenseFeeCc),
    licenseExtensionMicros: readGiven('licenseExtensionDuration', body),
    prepareUntilMicros: readGiven('prepareUntilDuration', body),
    settleBeforeMicros: readGiven('settleBeforeDuration', body),
    description: body.description,
    licenseFeeInstrument: body.licenseFeeInstrument,
  };
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Partial<RenewalTerms>;
}

const FIELDS = [
  ['licenseFeeCc', 'licenseFeeCc'],
  ['licenseExtensionMicros', 'licenseExtensionDuration'],
  ['prepareUntilMicros', 'prepareUntilDuration'],
  ['settleBeforeMicros', 'settleBeforeDuration'],
  ['description', 'description'],
] as const;

/** Makes the recorded body. Omits the default instrument, so that bodies with the same meaning are identical. */
export function renewalBody(
  terms: Partial<RenewalTerms>,
  { allowConcurrent }: Pick<LicenseRenewRequest, 'allowConcurrent'>,
): JsonRecord {
  const missing = FIELDS.find(([term]) => terms[term] === undefined);
  if (missing !== undefined) return invalid(missing[1], 'is required');
  const { licenseFeeInstrument: instrument, ...rest } = terms as RenewalTerms;
  if (BigInt(rest.settleBeforeMicros) <= BigInt(rest.prepareUntilMicros)) {
    invalid('settleBeforeDuration', 'must be longer than prepareUntilDuration');
  }
  const isDefault = instrument === undefined || instrument === DEFAULT_INSTRUMENT;
  return {
    ...rest,
    ...(isDefault ? {} : { licenseFeeInstrument: instrument }),
    ...(allowConcurrent === true ? { allowConcurrent: true } : {}),
  };
}

/** Returns the body of a renewal as it is recorded. @throws ProblemError `REQUEST_INVALID` that names the field */
export function readRenewBody(body: LicenseRenewRequest): JsonRecord {
  if (body.planVersion !== undefined) invalid('planVersion', 'needs planId');
  return renewalBody(readGivenTerms(body), body);
}

export const readCompleteBody = (body: CompleteBody): JsonRecord => ({
  allocationContractId: body.allocationContractId,
});
