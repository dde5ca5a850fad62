import { abort } from '../contract-failures.ts';
import { show } from '../lf-show.ts';
import { contractId, party, record } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { implementChoice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { EMPTY_METADATA } from '../tokens/metadata.ts';
import type { ExtraArgs } from '../tokens/metadata.ts';
import {
  AcceptTransfer,
  RejectTransfer,
  TransferInstruction,
  TransferSpecification,
  UpdateTransfer,
  WithdrawTransfer,
} from '../tokens/transfer-instruction.ts';
import type { InstructionResult, TransferInstructionView } from '../tokens/transfer-instruction.ts';
import { executeLocked, returnLocked } from './two-step-transfer.ts';
import type { TwoStepTransfer } from './two-step-transfer.ts';

const named = typeNamer('splice-amulet');

const Payload = record(named('Splice.AmuletTransferInstruction:AmuletTransferInstruction'), {
  lockedAmulet: contractId,
  transfer: TransferSpecification,
});
export type AmuletTransferInstructionPayload = LfValue<typeof Payload>;

const view = ({ transfer }: AmuletTransferInstructionPayload): TransferInstructionView => ({
  originalInstructionCid: null,
  transfer,
  status: { tag: 'TransferPendingReceiverAcceptance', value: {} },
  meta: EMPTY_METADATA,
});

/** Returns a transfer that the receiver must accept as a payment in two steps. */
export const twoStepTransferOf = (transfer: TransferSpecification): TwoStepTransfer => ({
  dso: transfer.instrumentId.admin,
  sender: transfer.sender,
  provider: transfer.sender,
  receiver: transfer.receiver,
  amount: transfer.amount,
  transferBefore: transfer.executeBefore,
  deadlineName: 'Transfer.executeBefore',
  allowsFeaturing: false,
  lockContext: `transfer to ${show(party, transfer.receiver)}`,
});

function accept(
  ledger: ChoiceContext,
  { transfer, lockedAmulet }: AmuletTransferInstructionPayload,
  args: ExtraArgs,
): InstructionResult {
  const paid = executeLocked(ledger, twoStepTransferOf(transfer), lockedAmulet, args);
  const { senderHoldingCids, receiverHoldingCids, meta } = paid;
  return {
    output: { tag: 'TransferInstructionResult_Completed', value: { receiverHoldingCids } },
    senderChangeCids: senderHoldingCids,
    meta,
  };
}

const giveUp = (
  ledger: ChoiceContext,
  { transfer, lockedAmulet }: AmuletTransferInstructionPayload,
  args: ExtraArgs,
): InstructionResult => ({
  output: { tag: 'TransferInstructionResult_Failed', value: {} },
  senderChangeCids: returnLocked(ledger, twoStepTransferOf(transfer), lockedAmulet, args),
  meta: EMPTY_METADATA,
});

/** Amulet that is locked for a receiver who has not accepted it yet. */
export const AmuletTransferInstruction = template<AmuletTransferInstructionPayload>({
  name: named('Splice.AmuletTransferInstruction:AmuletTransferInstruction'),
  payload: Payload,
  signatories: ({ transfer }) => [transfer.instrumentId.admin, transfer.sender],
  observers: ({ transfer }) => [transfer.receiver],
  implements: [
    {
      iface: TransferInstruction,
      view,
      choices: {
        [AcceptTransfer.name]: implementChoice(
          AcceptTransfer,
          view,
          (ledger, { payload }, { extraArgs }) => accept(ledger, payload, extraArgs),
        ),
        [RejectTransfer.name]: implementChoice(
          RejectTransfer,
          view,
          (ledger, { payload }, { extraArgs }) => giveUp(ledger, payload, extraArgs),
        ),
        [WithdrawTransfer.name]: implementChoice(
          WithdrawTransfer,
          view,
          (ledger, { payload }, { extraArgs }) => giveUp(ledger, payload, extraArgs),
        ),
        [UpdateTransfer.name]: implementChoice(UpdateTransfer, view, (ledger) =>
          abort(ledger, 'AmuletTransferInstruction.updateImpl: not used, and thus not implemented'),
        ),
      },
    },
  ],
});
