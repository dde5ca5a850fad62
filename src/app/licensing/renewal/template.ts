import type { JsonRecord } from '../../../domain/json.ts';
import { jsonDecimal, textAt } from '../../../domain/json.ts';
import { LICENSE_RENEWAL_REQUEST } from '../../../domain/licensing.ts';
import { allocationMismatch } from '../../../domain/renewal.ts';
import { isPast } from '../../../domain/time.ts';
import { license } from '../../../../machines/license.machine.ts';
import { renewal } from '../../../../machines/renewal.machine.ts';
import { INT64, PARTY, TEXT, TIMESTAMP, record } from '../../contract/lf.ts';
import { defineTemplate } from '../../contract/template.ts';
import type { RenewalView } from '../../ports/views.ts';
import { DECIMAL, REL_TIME, identity } from '../values.ts';

/** A provider's request for a payment for the extension of a licence. It names the licence by number. */
export const LicenseRenewalRequest = defineTemplate(renewal, {
  name: LICENSE_RENEWAL_REQUEST,
  fields: {
    provider: PARTY,
    user: PARTY,
    licenseNum: INT64,
    licenseFeeAmount: DECIMAL,
    licenseFeeInstrumentId: record({ admin: PARTY, id: TEXT }),
    licenseExtensionDuration: REL_TIME,
    requestedAt: TIMESTAMP,
    prepareUntil: TIMESTAMP,
    settleBefore: TIMESTAMP,
    description: TEXT,
    requestId: TEXT,
  },
  required: ['provider', 'user', 'licenseNum', 'settleBefore', 'requestId'],
  lifecycle: {
    word: 'LicenseRenewalRequest',
    read: ({ provider, user, licenseNum, settleBefore }) => ({
      provider,
      appUser: user,
      input: { settleBefore },
      columns: { licenseNum: BigInt(licenseNum) },
    }),
    origin: license.kind,
    endings: {
      Archive: { event: 'ledger.renewalWithdrawn', state: 'withdrawn' },
      AllocationRequest_Reject: { event: 'ledger.renewalRejected', state: 'rejected' },
    },
    lapse: ({ context }) => textAt(context, 'settleBefore') ?? null,
    body: (view, nowMs) => renewalBody(view, nowMs),
  },
});

const MICROS_PER_DAY = 86_400_000_000n;

/** Formats a duration as in the reference application: whole days, rounded down. */
const inDays = (micros: string): string => `${BigInt(micros) / MICROS_PER_DAY} days`;

/**
 * Returns the allocation with which to complete the renewal: one that the ledger will accept or, if there is none, the
 * newest.
 */
function allocationOf({ payload, allocations }: RenewalView): {
  readonly allocationCid: string | null;
  readonly match: JsonRecord;
} {
  const judged = allocations.map(({ contractId, view }) => ({
    contractId,
    differs: allocationMismatch(payload, view),
  }));
  const best = judged.find(({ differs }) => differs.length === 0) ?? judged[0];
  return {
    allocationCid: best?.contractId ?? null,
    match: {
      allocationMatches: best === undefined ? null : best.differs.length === 0,
      allocationDiffers: best?.differs ?? [],
    },
  };
}

/**
 * Returns the REST body of a renewal request and its allocations. `nowMs` is ledger time, because the flags about
 * deadlines must agree with the ledger.
 */
export function renewalBody(view: RenewalView, nowMs: number): JsonRecord {
  const { lifecycle } = view;
  const says = LicenseRenewalRequest.read(view.payload);
  const { allocationCid, match } = allocationOf(view);
  const prepareUntil = says.prepareUntil ?? '';
  return {
    contractId: lifecycle.contractId,
    provider: says.provider,
    user: says.user,
    licenseNum: Number(says.licenseNum),
    licenseFeeAmount: jsonDecimal(says.licenseFeeAmount ?? ''),
    licenseFeeInstrument: says.licenseFeeInstrumentId?.id ?? '',
    licenseExtensionDuration: inDays(says.licenseExtensionDuration?.microseconds ?? '0'),
    prepareUntil,
    settleBefore: says.settleBefore,
    requestedAt: says.requestedAt ?? '',
    description: says.description ?? '',
    requestId: says.requestId,
    allocationCid,
    prepareDeadlinePassed: isPast(prepareUntil, nowMs),
    settleDeadlinePassed: isPast(says.settleBefore, nowMs),
    ...match,
    licenseLifecycleId: lifecycle.originId,
    ...(lifecycle.endedAt === null ? {} : { endedAt: lifecycle.endedAt }),
    ...(view.endedBy === null ? {} : { updateId: view.endedBy }),
    ...identity(lifecycle),
  };
}
