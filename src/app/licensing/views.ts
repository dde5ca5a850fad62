import type { ContractId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { jsonDecimal, recordAt, textAt } from '../../domain/json.ts';
import { isPast } from '../../domain/licensing.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { allocationMismatch } from '../../domain/renewal.ts';
import type { RenewalView } from '../ports/views.ts';

/*
 * The REST bodies of contracts, in the reference's shapes, with `lifecycleId` and `version` added. Payloads
 * are in the query store's encoding, where integers are texts.
 */

const identity = (lifecycle: Lifecycle | undefined): JsonRecord =>
  lifecycle === undefined ? {} : { lifecycleId: lifecycle.id, version: lifecycle.version };

/** Ledger metadata `{values}` is REST's `{data}`. */
const metaOf = (payload: JsonRecord): JsonRecord => ({
  data: recordAt(recordAt(payload, 'meta'), 'values'),
});

export const appInstallRequestBody = (
  payload: JsonRecord,
  contractId: ContractId,
  lifecycle?: Lifecycle,
): JsonRecord => ({
  contractId,
  provider: textAt(payload, 'provider') ?? '',
  user: textAt(payload, 'user') ?? '',
  meta: metaOf(payload),
  ...identity(lifecycle),
});

export const appInstallBody = (
  payload: JsonRecord,
  contractId: ContractId,
  lifecycle?: Lifecycle,
): JsonRecord => {
  const created = Number(textAt(payload, 'numLicensesCreated') ?? '0');
  return {
    contractId,
    provider: textAt(payload, 'provider') ?? '',
    user: textAt(payload, 'user') ?? '',
    meta: metaOf(payload),
    numLicensesCreated: created,
    licenseNum: created,
    ...identity(lifecycle),
  };
};

/** `nowMs` is ledger time: `isExpired` must agree with what the ledger would say. */
export const licenseBody = (
  payload: JsonRecord,
  contractId: ContractId,
  lifecycle: Lifecycle,
  renewals: readonly RenewalView[],
  nowMs: number,
): JsonRecord => {
  const expiresAt = textAt(payload, 'expiresAt') ?? '';
  return {
    contractId,
    provider: textAt(payload, 'provider') ?? '',
    user: textAt(payload, 'user') ?? '',
    params: { meta: metaOf(recordAt(payload, 'params')) },
    expiresAt,
    licenseNum: Number(textAt(payload, 'licenseNum') ?? '0'),
    isExpired: isPast(expiresAt, nowMs),
    renewalRequests: renewals.map((renewal) => renewalBody(renewal, nowMs)),
    ...identity(lifecycle),
  };
};

const MICROS_PER_DAY = 86_400_000_000n;

/** The reference's words for a duration: whole days, whatever is left over. */
const inDays = (micros: string): string => `${BigInt(micros) / MICROS_PER_DAY} days`;

/** The allocation to complete with: one that the ledger will take, else the newest. */
function allocationOf({ payload, allocations }: RenewalView): JsonRecord {
  const judged = allocations.map(({ contractId, view }) => ({
    contractId,
    differs: allocationMismatch(payload, view),
  }));
  const best = judged.find(({ differs }) => differs.length === 0) ?? judged[0];
  return {
    allocationCid: best?.contractId ?? null,
    allocationMatches: best === undefined ? null : best.differs.length === 0,
    allocationDiffers: best?.differs ?? [],
  };
}

/**
 * One renewal request, whatever the number of its allocations. `nowMs` is ledger time: the deadline flags must agree
 * with what the ledger would say.
 */
export const renewalBody = (view: RenewalView, nowMs: number): JsonRecord => {
  const { payload, lifecycle } = view;
  const text = (field: string): string => textAt(payload, field) ?? '';
  const { allocationCid, ...match } = allocationOf(view);
  return {
    contractId: lifecycle.contractId,
    provider: text('provider'),
    user: text('user'),
    licenseNum: Number(text('licenseNum')),
    licenseFeeAmount: jsonDecimal(text('licenseFeeAmount')),
    licenseFeeInstrument: textAt(recordAt(payload, 'licenseFeeInstrumentId'), 'id') ?? '',
    licenseExtensionDuration: inDays(
      textAt(recordAt(payload, 'licenseExtensionDuration'), 'microseconds') ?? '0',
    ),
    prepareUntil: text('prepareUntil'),
    settleBefore: text('settleBefore'),
    requestedAt: text('requestedAt'),
    description: text('description'),
    requestId: text('requestId'),
    allocationCid: allocationCid ?? null,
    prepareDeadlinePassed: isPast(text('prepareUntil'), nowMs),
    settleDeadlinePassed: isPast(text('settleBefore'), nowMs),
    ...match,
    ...identity(lifecycle),
    state: lifecycle.state,
  };
};
