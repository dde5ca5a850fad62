import { abort } from '../contract-failures.ts';
import { canonicalNumeric, isParty } from '../lf-values.ts';
import { show } from '../lf-show.ts';
import { contractId, optional, party, record, text } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { implementChoice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext } from '../package-definition.ts';
import {
  Allocation,
  AllocationSpecification,
  CancelAllocation,
  ExecuteTransfer,
  WithdrawAllocation,
} from '../tokens/allocation.ts';
import type { AllocationView } from '../tokens/allocation.ts';
import { EMPTY_METADATA } from '../tokens/metadata.ts';
import type { ExtraArgs, Metadata } from '../tokens/metadata.ts';
import { AMULET_PREFIX } from './transaction-metadata.ts';
import type { Transfer } from './transfer.ts';
import { executeLocked, returnLocked } from './two-step-transfer.ts';
import type { TwoStepTransfer } from './two-step-transfer.ts';

const named = typeNamer('splice-amulet');

const Payload = record(named('Splice.AmuletAllocation:AmuletAllocation'), {
  lockedAmulet: contractId,
  allocation: AllocationSpecification,
});
export type AmuletAllocationPayload = LfValue<typeof Payload>;

const view = ({ allocation, lockedAmulet }: AmuletAllocationPayload): AllocationView => ({
  allocation,
  holdingCids: [lockedAmulet],
  meta: EMPTY_METADATA,
});

export const allocationTransfer = ({
  settlement,
  transferLegId,
  transferLeg,
}: AllocationSpecification): TwoStepTransfer => ({
  dso: transferLeg.instrumentId.admin,
  sender: transferLeg.sender,
  receiver: transferLeg.receiver,
  amount: transferLeg.amount,
  provider: settlement.executor,
  transferBefore: settlement.settleBefore,
  deadlineName: 'allocation.settlement.settleBefore',
  allowsFeaturing: true,
  lockContext: `allocation for transfer leg ${show(text, transferLegId)} to ${show(party, transferLeg.receiver)}`,
});

const BENEFICIARIES_KEY = `${AMULET_PREFIX}app-reward-beneficiaries`;
const WEIGHTS_KEY = `${AMULET_PREFIX}app-reward-beneficiary-weights`;

function separated<T>(
  ledger: ChoiceContext,
  name: string,
  joined: string,
  parse: (item: string) => T | undefined,
): readonly T[] {
  return joined.split(',').map((item) => {
    const parsed = parse(item);
    return parsed ?? abort(ledger, `Failed to parse ${name}: ${show(text, joined)}`);
  });
}

/**
 * Returns a function that reads from the metadata, which the executor sends, who gets which share of the app's reward.
 */
const beneficiariesIn =
  (ledger: ChoiceContext) =>
  ({ values }: Metadata): Transfer['beneficiaries'] => {
    const parties = values.get(BENEFICIARIES_KEY);
    const weights = values.get(WEIGHTS_KEY);
    if (parties === undefined && weights === undefined) return null;
    if (parties === undefined || weights === undefined) {
      const optionalText = (value: string | undefined) =>
        show(optional(text), value === undefined ? null : { some: value });
      return abort(
        ledger,
        `Expected both beneficiaries and weights to be present, but got: (${optionalText(parties)},${optionalText(weights)})`,
      );
    }
    const whom = separated(ledger, 'beneficiaries', parties, (it) =>
      isParty(it) ? it : undefined,
    );
    const shares = separated(ledger, 'weights', weights, (it) => canonicalNumeric(it, 10));
    if (whom.length !== shares.length) {
      abort(
        ledger,
        `Number of beneficiaries (${whom.length}) does not match number of weights (${shares.length})`,
      );
    }
    return {
      some: whom.map((beneficiary, index) => ({ beneficiary, weight: shares[index] ?? '' })),
    };
  };

const giveBack = (
  ledger: ChoiceContext,
  { allocation, lockedAmulet }: AmuletAllocationPayload,
  extraArgs: ExtraArgs,
) => ({
  senderHoldingCids: returnLocked(ledger, allocationTransfer(allocation), lockedAmulet, extraArgs),
  meta: EMPTY_METADATA,
});

/**
 * Amulet that is reserved for one payment. The executor of the settlement sees this contract, but not the amulet
 * itself.
 */
export const AmuletAllocation = template<AmuletAllocationPayload>({
  name: named('Splice.AmuletAllocation:AmuletAllocation'),
  payload: Payload,
  signatories: ({ allocation: { transferLeg } }) => [
    transferLeg.instrumentId.admin,
    transferLeg.sender,
  ],
  observers: ({ allocation }) => [allocation.settlement.executor],
  implements: [
    {
      iface: Allocation,
      view,
      choices: {
        [ExecuteTransfer.name]: implementChoice(
          ExecuteTransfer,
          view,
          (ledger, { payload: { allocation, lockedAmulet } }, { extraArgs }) =>
            executeLocked(
              ledger,
              allocationTransfer(allocation),
              lockedAmulet,
              extraArgs,
              beneficiariesIn(ledger),
            ),
        ),
        [CancelAllocation.name]: implementChoice(
          CancelAllocation,
          view,
          (ledger, { payload }, { extraArgs }) => giveBack(ledger, payload, extraArgs),
        ),
        [WithdrawAllocation.name]: implementChoice(
          WithdrawAllocation,
          view,
          (ledger, { payload }, { extraArgs }) => giveBack(ledger, payload, extraArgs),
        ),
      },
    },
  ],
});
