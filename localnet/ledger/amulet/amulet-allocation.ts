import { contractId, record } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { implementChoice, template, typeNamer } from '../package-definition.ts';
import {
  Allocation,
  AllocationSpecification,
  CancelAllocation,
  ExecuteTransfer,
  WithdrawAllocation,
} from '../tokens/allocation.ts';
import type { AllocationView } from '../tokens/allocation.ts';
import { EMPTY_METADATA } from '../tokens/metadata.ts';
import { payAllocated, returnAllocated } from './two-step-transfer.ts';

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

/** Amulet set aside for one payment. The executor of the settlement sees it, though not the amulet itself. */
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
          (ledger, { payload: { allocation, lockedAmulet } }, { extraArgs }) => {
            const paid = payAllocated(ledger, allocation, lockedAmulet, extraArgs);
            return {
              senderHoldingCids: paid.sender,
              receiverHoldingCids: paid.receiver,
              meta: EMPTY_METADATA,
            };
          },
        ),
        [CancelAllocation.name]: implementChoice(
          CancelAllocation,
          view,
          (ledger, { payload: { allocation, lockedAmulet } }, { extraArgs }) => ({
            senderHoldingCids: returnAllocated(ledger, allocation, lockedAmulet, extraArgs),
            meta: EMPTY_METADATA,
          }),
        ),
        [WithdrawAllocation.name]: implementChoice(
          WithdrawAllocation,
          view,
          (ledger, { payload: { allocation, lockedAmulet } }, { extraArgs }) => ({
            senderHoldingCids: returnAllocated(ledger, allocation, lockedAmulet, extraArgs),
            meta: EMPTY_METADATA,
          }),
        ),
      },
    },
  ],
});
