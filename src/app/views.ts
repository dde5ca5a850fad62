import type { ContractId } from '../domain/ids.ts';
import type { JsonRecord } from '../domain/json.ts';
import { recordAt, textAt } from '../domain/json.ts';
import { isPast } from '../domain/licensing.ts';
import type { Lifecycle } from '../domain/lifecycle.ts';

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
    renewalRequests: [],
    ...identity(lifecycle),
  };
};
