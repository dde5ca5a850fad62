import { Big } from 'big.js';
import type { Json, JsonRecord } from './json.ts';
import { canonicalJson, recordAt, textAt } from './json.ts';

/*
 * What a renewal asks the user's wallet to set aside, and whether an allocation is that. On the ledger the two are
 * compared only when the renewal is completed: transfer leg first, then settlement, metadata included.
 */

/** The ledger's `Numeric 10`: 38 digits, ten of them after the point. */
const SCALE = 10;
const WHOLE_DIGITS_MAX = 28;
const DECIMAL = /^-?\d{1,60}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,2})?$/u;

/** Why a text is no fee, in words that go on from the name of its field; `null` when it is one. */
export function feeMistake(text: string): string | null {
  if (!DECIMAL.test(text)) return 'must be a decimal';
  const fee = new Big(text);
  if (fee.lte(0)) return 'must be above zero';
  if (!fee.eq(fee.round(SCALE))) return `must have at most ${SCALE} digits after the point`;
  // The exponent of the first digit.
  if (fee.e < WHOLE_DIGITS_MAX) return null;
  return `must have at most ${WHOLE_DIGITS_MAX} digits before the point`;
}

/** A fee without needless digits, so that texts which mean the same are recorded the same. */
export const normalFee = (text: string): string => new Big(text).toFixed();

/** The instrument of fees where nothing names another: the network's own token. */
export const DEFAULT_INSTRUMENT = 'Amulet';

/** The one transfer leg of a renewal. Source: `LicenseRenewalRequest`'s view as an `AllocationRequest`. */
const FEE_LEG = 'licenseFeePayment';
const REASON = 'splice.lfdecentralizedtrust.org/reason';
const LICENSE_NUM = 'cn-quickstart.example.org/licenseNum';

/** The parts in which an allocation can differ from what was asked for, as callers read them. */
export type AllocationPart =
  | 'transferLegId'
  | 'sender'
  | 'receiver'
  | 'amount'
  | 'instrument'
  | 'executor'
  | 'settlementRef'
  | 'requestedAt'
  | 'allocateBefore'
  | 'settleBefore'
  | 'meta';

const isSameAmount = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && new Big(a).eq(b);

const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  canonicalJson(a ?? null) === canonicalJson(b ?? null);

/** The metadata that the allocation's settlement and leg must both repeat. */
const metaOf = (renewal: JsonRecord): JsonRecord => ({
  [REASON]: textAt(renewal, 'description') ?? '',
  [LICENSE_NUM]: textAt(renewal, 'licenseNum') ?? '',
});

/**
 * Where an allocation differs from what a renewal asked for; empty when the ledger will take it.
 *
 * @param renewal payload of the `LicenseRenewalRequest`
 * @param view of the allocation's contract through the interface `Allocation`
 */
export function allocationMismatch(renewal: JsonRecord, view: JsonRecord): AllocationPart[] {
  const specification = recordAt(view, 'allocation');
  const leg = recordAt(specification, 'transferLeg');
  const settlement = recordAt(specification, 'settlement');
  const meta = metaOf(renewal);
  const same: Readonly<Record<AllocationPart, boolean>> = {
    transferLegId: textAt(specification, 'transferLegId') === FEE_LEG,
    sender: isSame(leg['sender'], renewal['user']),
    receiver: isSame(leg['receiver'], renewal['provider']),
    amount: isSameAmount(textAt(leg, 'amount'), textAt(renewal, 'licenseFeeAmount')),
    instrument: isSame(leg['instrumentId'], renewal['licenseFeeInstrumentId']),
    executor: isSame(settlement['executor'], renewal['provider']),
    settlementRef:
      textAt(recordAt(settlement, 'settlementRef'), 'id') === textAt(renewal, 'requestId') &&
      (recordAt(settlement, 'settlementRef')['cid'] ?? null) === null,
    requestedAt: isSame(settlement['requestedAt'], renewal['requestedAt']),
    allocateBefore: isSame(settlement['allocateBefore'], renewal['prepareUntil']),
    settleBefore: isSame(settlement['settleBefore'], renewal['settleBefore']),
    meta: [leg, settlement].every((part) => isSame(recordAt(part, 'meta')['values'], meta)),
  };
  return (Object.keys(same) as AllocationPart[]).filter((part) => !same[part]);
}
