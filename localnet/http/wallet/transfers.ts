import { AmuletTransferInstruction } from '../../ledger/amulet/amulet-transfer-instruction.ts';
import { contractJson, heldContract, heldContracts } from '../../ledger/in-process.ts';
import { EMPTY_METADATA } from '../../ledger/tokens/metadata.ts';
import {
  AcceptTransfer,
  InstructTransfer,
  RejectTransfer,
  TransferFactory,
  TransferInstruction,
  WithdrawTransfer,
} from '../../ledger/tokens/transfer-instruction.ts';
import type { InstructionResult } from '../../ledger/tokens/transfer-instruction.ts';
import { instructionNeeds, transferFactory } from '../choice-contexts.ts';
import { Refusal } from '../plain-errors.ts';
import { walletInstrument } from './holdings.ts';
import type { Wallet } from './holdings.ts';
import { amountOf, instantOf, PARTY, DECIMAL, MICROS, TEXT, TRACKING_ID } from './requests.ts';
import type { Micros } from './requests.ts';
import {
  afterOtherPayments,
  exercise,
  inputsOf,
  metaJson,
  newCommandId,
  submitterOf,
} from './use.ts';
import type { WalletUse } from './use.ts';

/*
 * Transfers by the token standard. A transfer to a party with a preapproval completes at once. Any other transfer locks
 * the amount until its receiver accepts.
 */

export const TRANSFER_BODY = {
  type: 'object',
  required: ['receiver_party_id', 'amount', 'description', 'expires_at', 'tracking_id'],
  properties: {
    receiver_party_id: PARTY,
    amount: DECIMAL,
    description: TEXT,
    expires_at: MICROS,
    tracking_id: TRACKING_ID,
  },
} as const;

export interface TransferBody {
  readonly receiver_party_id: string;
  readonly amount: string;
  readonly description: string;
  readonly expires_at: Micros;
  /** An ID that is the same in every repeat of one transfer's request. */
  readonly tracking_id: string;
}

const REASON_KEY = 'splice.lfdecentralizedtrust.org/reason';

/** Transfers coins, or starts a transfer. */
export async function createTransfer(wallet: WalletUse, body: TransferBody) {
  const { ledger, party: sender } = wallet;
  const { receiver_party_id: receiver, description } = body;
  const instrumentId = walletInstrument(ledger);
  const { factory, args, disclosed } = transferFactory(ledger, { sender, receiver });
  const transfer = {
    sender,
    receiver,
    amount: amountOf(body.amount, 'amount'),
    instrumentId,
    requestedAt: ledger.nowMicros(),
    executeBefore: instantOf(body.expires_at, 'expires_at'),
    meta: { values: new Map([[REASON_KEY, description]]) },
  };
  const { result } = await afterOtherPayments(wallet, () =>
    exercise(wallet, {
      ...submitterOf(wallet, `wallet-transfer-${body.tracking_id}`),
      target: TransferFactory,
      contractId: factory.contractId,
      choice: InstructTransfer,
      argument: {
        expectedAdmin: instrumentId.admin,
        transfer: { ...transfer, inputHoldingCids: inputsOf(wallet) },
        extraArgs: args,
      },
      disclosedContracts: disclosed,
    }),
  );
  return resultJson(result);
}

const resultJson = ({ output, senderChangeCids, meta }: InstructionResult) => ({
  output:
    output.tag === 'TransferInstructionResult_Completed'
      ? { receiver_holding_cids: output.value.receiverHoldingCids }
      : output.tag === 'TransferInstructionResult_Pending'
        ? { transfer_instruction_cid: output.value.transferInstructionCid }
        : {},
  sender_change_cids: senderChangeCids,
  meta: metaJson(meta),
});

/** Returns the waiting transfers that have the party as sender or receiver. */
export const transfersOf = ({ participant, party }: Wallet) => ({
  transfers: heldContracts(participant, party, AmuletTransferInstruction).map(({ contract }) => ({
    ...contractJson(contract),
  })),
});

const STEPS = {
  accept: { choice: AcceptTransfer, mustBeLocked: true },
  reject: { choice: RejectTransfer, mustBeLocked: false },
  withdraw: { choice: WithdrawTransfer, mustBeLocked: false },
} as const;

/** The name of a step that ends a waiting transfer. */
export type TransferStep = keyof typeof STEPS;
export const TRANSFER_STEPS = Object.keys(STEPS) as readonly TransferStep[];

/** Ends a waiting transfer. The ledger checks that the party may exercise the choice. */
export async function endTransfer(wallet: WalletUse, contractId: string, step: TransferStep) {
  const { ledger, participant, party } = wallet;
  if (heldContract(participant, party, AmuletTransferInstruction, contractId) === undefined) {
    throw new Refusal(404, `AmuletTransferInstruction '${contractId}' not found.`);
  }
  const { choice, mustBeLocked } = STEPS[step];
  const { args, disclosed } = instructionNeeds(ledger, contractId, mustBeLocked);
  const { result } = await exercise(wallet, {
    ...submitterOf(wallet, newCommandId(`transfer-${step}`)),
    target: TransferInstruction,
    contractId,
    choice,
    argument: { extraArgs: { ...args, meta: EMPTY_METADATA } },
    disclosedContracts: disclosed,
  });
  return resultJson(result);
}
