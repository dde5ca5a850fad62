import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { feeMistake, normalFee } from '../../../domain/renewal.ts';
import { invalid } from '../../kit/invalid.ts';
import { durationMicros } from '../../kit/duration.ts';

/*
 * The bodies of renewals. What is recorded of them is normal: a fee is a decimal without needless digits, a duration
 * a number of microseconds, so that bodies which mean the same are recorded the same.
 */

const duration = (description: string, example: string) =>
  Type.String({
    description: `${description}: ISO 8601 in days, hours, minutes and seconds`,
    examples: [example],
  });

export const LicenseRenewRequest = Type.Object(
  {
    licenseFeeCc: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description:
        'The fee: a decimal above zero with at most 10 digits after the point and 28 before it, as a number or as text. ' +
        'Its digits are kept as they are written.',
      examples: [100],
    }),
    licenseExtensionDuration: duration('How long the licence is extended', 'P30D'),
    prepareUntilDuration: duration('How long the user may set the fee aside', 'PT10M'),
    settleBeforeDuration: duration('How long the renewal may be completed', 'PT20M'),
    description: Type.String({
      maxLength: LIMITS.metadataTextCharsMax,
      description: 'What the user reads in the wallet',
      examples: ['One more month'],
    }),
    allowConcurrent: Type.Optional(
      Type.Boolean({
        description: 'Ask although a renewal of this licence is open already',
        default: false,
      }),
    ),
  },
  { $id: 'LicenseRenewRequest' },
);
export type LicenseRenewRequest = Static<typeof LicenseRenewRequest>;

const allocationContractId = Type.String({
  maxLength: HTTP_LIMITS.pathIdCharsMax,
  description: 'The allocation that the user’s wallet has made',
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

/** @returns microseconds, as text */
function readDuration(field: string, text: string): string {
  const micros = durationMicros(text);
  if (micros === null) {
    return invalid(field, 'must be an ISO 8601 duration in days and time, such as P30D or PT10M');
  }
  if (micros <= 0n) return invalid(field, 'must be longer than nothing');
  if (micros > BigInt(LIMITS.durationMsMax) * 1_000n) return invalid(field, 'is too long');
  return String(micros);
}

/** @throws ProblemError `REQUEST_INVALID` that names the field */
export function readRenewBody(body: LicenseRenewRequest): JsonRecord {
  const fee = readFee(body.licenseFeeCc);
  const extension = readDuration('licenseExtensionDuration', body.licenseExtensionDuration);
  const prepareUntil = readDuration('prepareUntilDuration', body.prepareUntilDuration);
  const settleBefore = readDuration('settleBeforeDuration', body.settleBeforeDuration);
  if (BigInt(settleBefore) <= BigInt(prepareUntil)) {
    invalid('settleBeforeDuration', 'must be longer than prepareUntilDuration');
  }
  return {
    licenseFeeCc: fee,
    licenseExtensionMicros: extension,
    prepareUntilMicros: prepareUntil,
    settleBeforeMicros: settleBefore,
    description: body.description,
    ...(body.allowConcurrent === true ? { allowConcurrent: true } : {}),
  };
}

export const readCompleteBody = (body: CompleteBody): JsonRecord => ({
  allocationContractId: body.allocationContractId,
});
