import { randomUUID } from 'node:crypto';
import type { Party } from '../../../domain/ids.ts';
import type { Json } from '../../../domain/json.ts';
import { LICENSE } from '../../../domain/licensing.ts';
import { DEFAULT_INSTRUMENT } from '../../../domain/renewal.ts';
import { isoAfter } from '../../../domain/time.ts';
import { license } from '../../../../machines/license.machine.ts';
import { PARTY, TEXT, TIMESTAMP, record } from '../../contract/lf.ts';
import type { Attempt, Meaning, Recording } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { fee, filled, instant, invalid, micros, recordWith, text } from '../arguments.ts';
import { LicenseRenewalRequest } from '../renewal/template.ts';
import { DECIMAL, REL_TIME } from '../values.ts';

interface Body {
  readonly licenseFeeCc: string;
  readonly licenseExtensionMicros: string;
  readonly description: string;
  readonly requestId?: string;
  readonly requestedAt?: string;
  /** A point in time if the request is in ledger terms; otherwise a duration from the request on. */
  readonly prepareUntil?: string;
  readonly prepareUntilMicros?: string;
  readonly settleBefore?: string;
  readonly settleBeforeMicros?: string;
  /** The name of an instrument of the configured registry. @default the network's own token */
  readonly licenseFeeInstrument?: string;
}

interface Fixed {
  readonly requestId: string;
  readonly requestedAt: string;
  readonly prepareUntil: string;
  readonly settleBefore: string;
}

/**
 * Computes deadlines from a time that the ledger has certainly reached, because the ledger refuses a request from its
 * future. A request in ledger terms contains its deadlines.
 */
function fix({ body, pastMs }: Recording<Body>): Fixed {
  const after = (micros = '0'): string => isoAfter(pastMs, BigInt(micros));
  return {
    requestId: body.requestId ?? randomUUID(),
    requestedAt: body.requestedAt ?? isoAfter(pastMs),
    prepareUntil: body.prepareUntil ?? after(body.prepareUntilMicros),
    settleBefore: body.settleBefore ?? after(body.settleBeforeMicros),
  };
}

const FIELDS = [
  'requestId',
  'licenseFeeInstrumentId',
  'licenseFeeAmount',
  'licenseExtensionDuration',
  'requestedAt',
  'prepareUntil',
  'settleBefore',
  'description',
];

function means(given: Json): Meaning<Body> {
  const argument = recordWith(given, 'argument', FIELDS);
  if (argument['licenseFeeInstrumentId'] !== undefined) {
    invalid('argument.licenseFeeInstrumentId', 'must be left out: the token registry provides it');
  }
  const at = (field: string): string => `argument.${field}`;
  const optional = (
    field: 'requestId' | 'requestedAt',
    read: (value: Json | undefined, at: string) => string,
  ): Partial<Body> =>
    argument[field] === undefined ? {} : { [field]: read(argument[field], at(field)) };
  return {
    body: {
      licenseFeeCc: fee(argument['licenseFeeAmount'], at('licenseFeeAmount')),
      licenseExtensionMicros: micros(
        argument['licenseExtensionDuration'],
        at('licenseExtensionDuration'),
      ),
      ...optional('requestId', filled),
      ...optional('requestedAt', instant),
      prepareUntil: instant(argument['prepareUntil'], at('prepareUntil')),
      settleBefore: instant(argument['settleBefore'], at('settleBefore')),
      description: text(argument['description'], at('description')),
    },
  };
}

/** The provider requests a payment from the user for an extension. The licence stays unchanged. */
export const renewLicense = defineOperation(license, {
  name: 'renew-license',
  action: 'renew',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: LICENSE,
    name: 'License_Renew',
    argument: record({
      requestId: TEXT,
      licenseFeeInstrumentId: record({ admin: PARTY, id: TEXT }),
      licenseFeeAmount: DECIMAL,
      licenseExtensionDuration: REL_TIME,
      requestedAt: TIMESTAMP,
      prepareUntil: TIMESTAMP,
      settleBefore: TIMESTAMP,
      description: TEXT,
    }),
    consequence: { kind: 'keeps' },
  },
  fix,
  gather: async ({ registry }, io) => ({
    facts: await registry.instrumentAdmin(io),
    disclosed: [],
  }),
  argument: ({ body, fixed, facts }: Attempt<Body, Fixed, Party>) => ({
    requestId: fixed.requestId,
    licenseFeeInstrumentId: { admin: facts, id: body.licenseFeeInstrument ?? DEFAULT_INSTRUMENT },
    licenseFeeAmount: body.licenseFeeCc,
    licenseExtensionDuration: { microseconds: body.licenseExtensionMicros },
    requestedAt: fixed.requestedAt,
    prepareUntil: fixed.prepareUntil,
    settleBefore: fixed.settleBefore,
    description: body.description,
  }),
  answer: () => ({ status: 201, body: null }),
  // The licence is not archived, so another client may have made a request with the same command ID; the request ID
  // identifies ours.
  isEffect: ({ created, fixed }) => {
    const made = created(LicenseRenewalRequest);
    return made !== undefined && made.payload.requestId === fixed.requestId;
  },
  means,
});
