import { AmuletAllocation } from '../../ledger/amulet/amulet-allocation.ts';
import { AmuletRules, DevNetTap } from '../../ledger/amulet/amulet-rules.ts';
import { heldContract } from '../../ledger/in-process.ts';
import { fromJson } from '../../ledger/lf-json.ts';
import {
  AllocationSpecification,
  Allocation,
  WithdrawAllocation,
} from '../../ledger/tokens/allocation.ts';
import { Allocate, AllocationFactory } from '../../ledger/tokens/allocation-instruction.ts';
import type { AllocateResult } from '../../ledger/tokens/allocation-instruction.ts';
import { AllocationRequest, RejectRequest } from '../../ledger/tokens/allocation-request.ts';
import { extraArgs } from '../../ledger/tokens/metadata.ts';
import { allocationFactory, allocationNeeds } from '../choice-contexts.ts';
import { amuletContractsOf } from '../dso-contracts.ts';
import { Refusal } from '../plain-errors.ts';
import { walletInstrument } from './holdings.ts';
import { amountOf, specificationOf } from './requests.ts';
import type { AllocateBody, TapBody } from './requests.ts';
import {
  afterOtherPayments,
  exercise,
  inputsOf,
  metaJson,
  newCommandId,
  submitterOf,
} from './use.ts';
import type { WalletUse } from './use.ts';

/** Creates coins for the wallet. */
export async function tap(wallet: WalletUse, body: TapBody) {
  const amount = amountOf(body.amount, 'amount');
  const { amuletRules, openMiningRound } = amuletContractsOf(wallet.ledger);
  const { result } = await exercise(wallet, {
    ...submitterOf(wallet, body.command_id ?? newCommandId('tap')),
    target: AmuletRules,
    contractId: amuletRules.contractId,
    choice: DevNetTap,
    argument: { receiver: wallet.party, amount, openRound: openMiningRound.contractId },
    disclosedContracts: [amuletRules, openMiningRound],
  });
  return { contract_id: result.amuletSum.amulet };
}

/** Reserves coins for one payment of a settlement. */
export async function allocate(wallet: WalletUse, body: AllocateBody) {
  const { ledger, party } = wallet;
  const instrumentId = walletInstrument(ledger);
  const json = specificationOf(body, { sender: party, instrumentId });
  const allocation = fromJson(AllocationSpecification, json) as AllocationSpecification;
  const { factory, args, disclosed } = allocationFactory(ledger);
  const { result } = await afterOtherPayments(wallet, () =>
    exercise(wallet, {
      ...submitterOf(wallet, newCommandId('allocate')),
      target: AllocationFactory,
      contractId: factory.contractId,
      choice: Allocate,
      argument: {
        expectedAdmin: instrumentId.admin,
        allocation,
        requestedAt: ledger.nowMicros(),
        inputHoldingCids: inputsOf(wallet),
        extraArgs: args,
      },
      disclosedContracts: disclosed,
    }),
  );
  return allocateJson(result);
}

const allocateJson = ({ output, senderChangeCids, meta }: AllocateResult) => ({
  output:
    output.tag === 'AllocationInstructionResult_Completed'
      ? { allocation_cid: output.value.allocationCid }
      : output.tag === 'AllocationInstructionResult_Pending'
        ? { allocation_instruction_cid: output.value.allocationInstructionCid }
        : {},
  sender_change_cids: senderChangeCids,
  meta: metaJson(meta),
});

/** Withdraws an allocation. Finds only allocations from which the wallet itself pays. */
export async function withdrawAllocation(wallet: WalletUse, contractId: string) {
  const { ledger, participant, party } = wallet;
  const held = heldContract(participant, party, AmuletAllocation, contractId);
  if (held?.value.allocation.transferLeg.sender !== party) {
    throw new Refusal(404, `AmuletAllocation '${contractId}' not found.`);
  }
  const { args, disclosed } = allocationNeeds(ledger, contractId, false);
  const { result } = await exercise(wallet, {
    ...submitterOf(wallet, newCommandId('withdraw')),
    target: Allocation,
    contractId,
    choice: WithdrawAllocation,
    argument: { extraArgs: args },
    disclosedContracts: disclosed,
  });
  return { sender_holding_cids: result.senderHoldingCids, meta: metaJson(result.meta) };
}

/** Rejects an allocation request, so that the app that made the request knows that nothing will be paid. */
export async function rejectRequest(wallet: WalletUse, contractId: string) {
  const { participant, party } = wallet;
  if (heldContract(participant, party, AllocationRequest, contractId) === undefined) {
    throw new Refusal(404, `AllocationRequest '${contractId}' not found.`);
  }
  const { result } = await exercise(wallet, {
    ...submitterOf(wallet, newCommandId('reject')),
    target: AllocationRequest,
    contractId,
    choice: RejectRequest,
    argument: { actor: party, extraArgs: extraArgs() },
  });
  return { meta: metaJson(result.meta) };
}
