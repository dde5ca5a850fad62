import { unitsOf } from '../decimal.ts';
import { show } from '../lf-show.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { InstrumentId } from '../tokens/holding.ts';
import type {
  InstructionResult,
  TransferArgument,
  TransferSpecification,
} from '../tokens/transfer-instruction.ts';
import { AmuletTransferInstruction, twoStepTransferOf } from './amulet-transfer-instruction.ts';
import { amuletInstrument } from './amulet.ts';
import { fetchChecked, forOwner } from './contract-groups.ts';
import { transferByRules } from './rules-interface.ts';
import { REASON_KEY, burnMetadata } from './transaction-metadata.ts';
import { SendToPreapproved, TransferPreapproval } from './transfer-preapproval.ts';
import { changeHoldings, createdHoldings } from './transfer.ts';
import type { TransferResult } from './transfer.ts';
import { inputsOf, paymentContext, preapprovalIn, prepareTransfer } from './two-step-transfer.ts';

/*
 * Transfers of coins according to the token standard. A transfer to the sender itself or to a receiver with a
 * preapproval is executed at once; any other transfer becomes an offer, which the receiver accepts.
 */

function check(ledger: ChoiceContext, dso: string, transfer: TransferSpecification): void {
  const { instrumentId, amount, requestedAt, executeBefore, inputHoldingCids } = transfer;
  const shown = (id: InstrumentId) => show(InstrumentId, id);
  const expected = amuletInstrument(dso);
  ledger.require(
    `Expected instrumentId ${shown(expected)} matches actual instrumentId ${shown(instrumentId)}`,
    shown(expected) === shown(instrumentId),
  );
  ledger.require('Amount must be positive', unitsOf(amount) > 0n);
  ledger.requireDeadlineExceeded('Transfer.requestedAt', requestedAt);
  ledger.requireWithinDeadline('Transfer.executeBefore', executeBefore);
  ledger.require('At least one holding must be provided', inputHoldingCids.length > 0);
}

const completed = (result: TransferResult, meta: TransferResult['meta']): InstructionResult => ({
  output: {
    tag: 'TransferInstructionResult_Completed',
    value: { receiverHoldingCids: createdHoldings(result) },
  },
  senderChangeCids: changeHoldings(result),
  meta: burnMetadata(meta),
});

function transferToSelf(
  ledger: ChoiceContext,
  dso: string,
  { transfer, extraArgs }: TransferArgument,
): InstructionResult {
  const { sender, amount } = transfer;
  const payment = paymentContext(ledger, dso, extraArgs, { isFeatured: false });
  const inputs = inputsOf(ledger, { dso, sender }, payment, transfer.inputHoldingCids);
  const output = { receiver: sender, amount, receiverFeeRatio: '0.0000000000', lock: null };
  const result = transferByRules(ledger, dso, payment, {
    sender,
    provider: sender,
    inputs,
    outputs: [output],
    beneficiaries: null,
  });
  return completed(result, result.meta);
}

function offer(
  ledger: ChoiceContext,
  dso: string,
  { transfer, extraArgs }: TransferArgument,
): InstructionResult {
  const payment = paymentContext(ledger, dso, extraArgs, { isFeatured: false });
  const { lockedAmulet, change, meta } = prepareTransfer(
    ledger,
    twoStepTransferOf(transfer),
    transfer.requestedAt,
    transfer.inputHoldingCids,
    payment,
  );
  const transferInstructionCid = ledger.create(AmuletTransferInstruction, {
    lockedAmulet,
    transfer: { ...transfer, inputHoldingCids: [lockedAmulet] },
  });
  return {
    output: { tag: 'TransferInstructionResult_Pending', value: { transferInstructionCid } },
    senderChangeCids: change,
    meta,
  };
}

function sendToPreapproved(
  ledger: ChoiceContext,
  dso: string,
  { transfer, extraArgs }: TransferArgument,
  preapprovalCid: string,
): InstructionResult {
  const { sender, amount, meta } = transfer;
  const payment = paymentContext(ledger, dso, extraArgs, { isFeatured: true });
  const inputs = inputsOf(ledger, { dso, sender }, payment, transfer.inputHoldingCids);
  const reason = meta.values.get(REASON_KEY);
  const sent = ledger.exercise(TransferPreapproval, preapprovalCid, SendToPreapproved, {
    sender,
    context: payment,
    inputs,
    amount,
    description: reason === undefined ? null : { some: reason },
  });
  return completed(sent.result, sent.meta);
}

/** Executes `TransferFactory_Transfer` after a check that the caller intended to use this factory. */
export function instructTransfer(
  ledger: ChoiceContext,
  dso: string,
  argument: TransferArgument,
): InstructionResult {
  const { transfer, extraArgs } = argument;
  const preapproval = preapprovalIn(ledger, extraArgs);
  if (preapproval !== undefined) {
    const group = forOwner(dso, transfer.receiver);
    fetchChecked(ledger, TransferPreapproval, preapproval, group, (it) =>
      forOwner(it.dso, it.receiver),
    );
  }
  check(ledger, dso, transfer);
  if (preapproval !== undefined) return sendToPreapproved(ledger, dso, argument, preapproval);
  return transfer.receiver === transfer.sender
    ? transferToSelf(ledger, dso, argument)
    : offer(ledger, dso, argument);
}
