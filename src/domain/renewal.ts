import { Big } from 'big.js';
import type { Json, JsonRecord } from './json.ts';
import { canonicalJson, recordAt, textAt } from './json.ts';

/*
 * The allocation that a renewal requests from the user's wallet, and the comparison of an allocation with it. The
 * ledger compares the two only when the renewal is completed: first the transfer leg, then the settlement, including
 * metadata.
 */

/** The ledger's `Numeric 10`: 38 digits, ten of them after the decimal point. */
const SCALE = 10;
const WHOLE_DIGITS_MAX = 28;
const DECIMAL = /^-?\d{1,60}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,2})?$/u;

/** Returns why a text is no valid fee, to follow the field's name in a sentence; `null` for a valid fee. */
export function feeMistake(text: string): string | null {
  if (!DECIMAL.test(text)) return 'must be a decimal';
  const fee = new Big(text);
  if (fee.lte(0)) return 'must be above zero';
  if (!fee.eq(fee.round(SCALE))) return `must have at most ${SCALE} digits after the point`;
  // `fee.e` is the exponent of the first digit.
  if (fee.e < WHOLE_DIGITS_MAX) return null;
  return `must have at most ${WHOLE_DIGITS_MAX} digits before the point`;
}

/** Returns a fee without superfluous zeros, so that texts with the same value are recorded identically. */
export const normalFee = (text: string): string => new Big(text).toFixed();

/** The default instrument of fees: the network's own token. */
export const DEFAULT_INSTRUMENT = 'Amulet';

/** The name of a renewal's only transfer leg. Source: the view of `LicenseRenewalRequest` as an `AllocationRequest`. */
const FEE_LEG = 'licenseFeePayment';
const REASON = 'splice.lfdecentralizedtrust.org/reason';
const LICENSE_NUM = 'cn-quickstart.example.org/licenseNum';

/** The parts in which an allocation can differ from the request, as shown to callers. */
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

/** Returns the metadata that both the settlement and the transfer leg of the allocation must repeat. */
const metaOf = (renewal: JsonRecord): JsonRecord => ({
  [REASON]: textAt(renewal, 'description') ?? '',
  [LICENSE_NUM]: textAt(renewal, 'licenseNum') ?? '',
});

/**
 * Returns the parts in which an allocation differs from a renewal's request; empty if the ledger will accept it.
 *
 * @param renewal payload of the `LicenseRenewalRequest`
 * @param view the allocation's contract through the interface `Allocation`
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
