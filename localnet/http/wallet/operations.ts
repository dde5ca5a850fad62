import { randomUUID } from 'node:crypto';
import { AmuletAllocation } from '../../ledger/amulet/amulet-allocation.ts';
import { AmuletRules, DevNetTap } from '../../ledger/amulet/amulet-rules.ts';
import { returnArguments, transferArguments } from '../../ledger/amulet/two-step-transfer.ts';
import { unitsOf } from '../../ledger/decimal.ts';
import { exerciseAs, heldContract } from '../../ledger/in-process.ts';
import type { Exercise } from '../../ledger/in-process.ts';
import { fromJson } from '../../ledger/lf-json.ts';
import {
  AllocationSpecification,
  Allocation,
  WithdrawAllocation,
} from '../../ledger/tokens/allocation.ts';
import { Allocate, AllocationFactory } from '../../ledger/tokens/allocation-instruction.ts';
import type { AllocateResult } from '../../ledger/tokens/allocation-instruction.ts';
import { AllocationRequest, RejectRequest } from '../../ledger/tokens/allocation-request.ts';
import { EMPTY_METADATA } from '../../ledger/tokens/metadata.ts';
import type { ExtraArgs, Metadata } from '../../ledger/tokens/metadata.ts';
import { amuletContractsOf } from '../amulet-contracts.ts';
import { Refusal } from '../plain-errors.ts';
import { unlockedAmulets, walletInstrument } from './holdings.ts';
import type { Wallet } from './holdings.ts';
import { amountOf, specificationOf } from './requests.ts';
import type { AllocateBody, TapBody } from './requests.ts';

/*
 * What a wallet does for its owner. Each is a command of the owner's ledger user on the owner's participant, by the
 * same way as anybody's commands; what the DSO party's contracts must allow is disclosed with it.
 */

/** A wallet in somebody's hand. */
export interface WalletUse extends Wallet {
  readonly userId: string;
  /** The caller is gone: nobody waits for the outcome any more. */
  readonly signal: AbortSignal;
}

const submitterOf = ({ userId, party }: WalletUse, commandId: string) => ({
  userId,
  actAs: [party],
  commandId,
});

/** Waits as long as the caller does. */
const exercise = <A, R>(wallet: WalletUse, choice: Exercise<A, R>) =>
  exerciseAs(wallet.participant, choice, { signal: wallet.signal });

const newCommandId = (operation: string) => `wallet-${operation}-${randomUUID()}`;

const metaJson = ({ values }: Metadata) => Object.fromEntries(values);

/** Coins out of nothing. `amount` is in coins. */
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

/** More are merged by the payments after this one. */
const INPUTS_MAX = 100;

/** What to pay with: the largest holdings, so that no limit on their number makes a rich wallet poor. */
function inputsOf(wallet: Wallet): readonly string[] {
  return unlockedAmulets(wallet)
    .map(({ contract, value }) => ({
      contractId: contract.contractId,
      units: unitsOf(value.amount.initialAmount),
    }))
    .toSorted((a, b) => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1))
    .slice(0, INPUTS_MAX)
    .map(({ contractId }) => contractId);
}

/** The last payment of each party, while it is under way: two at a time would spend the same holdings. */
const paying = new WeakMap<object, Map<string, Promise<unknown>>>();

async function afterOtherPayments<T>({ ledger, party }: Wallet, pay: () => Promise<T>): Promise<T> {
  const underWay = paying.get(ledger) ?? new Map<string, Promise<unknown>>();
  paying.set(ledger, underWay);
  const before = underWay.get(party) ?? Promise.resolve();
  const paid = before.then(pay, pay);
  underWay.set(party, paid);
  try {
    return await paid;
  } finally {
    if (underWay.get(party) === paid) underWay.delete(party);
  }
}

/** Sets coins aside for one payment of a settlement. */
export async function allocate(wallet: WalletUse, body: AllocateBody) {
  const { ledger, party } = wallet;
  const instrumentId = walletInstrument(ledger);
  const json = specificationOf(body, { sender: party, instrumentId });
  const allocation = fromJson(AllocationSpecification, json) as AllocationSpecification;
  const { amuletRules, openMiningRound, externalPartyAmuletRules } = amuletContractsOf(ledger);
  const { result } = await afterOtherPayments(wallet, () =>
    exercise(wallet, {
      ...submitterOf(wallet, newCommandId('allocate')),
      target: AllocationFactory,
      contractId: externalPartyAmuletRules.contractId,
      choice: Allocate,
      argument: {
        expectedAdmin: instrumentId.admin,
        allocation,
        requestedAt: ledger.nowMicros(),
        inputHoldingCids: inputsOf(wallet),
        extraArgs: transferArguments(amuletRules.contractId, openMiningRound.contractId),
      },
      disclosedContracts: [externalPartyAmuletRules, amuletRules, openMiningRound],
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

/** Takes coins back that were set aside. Only what the wallet itself is to pay can be found. */
export async function withdrawAllocation(wallet: WalletUse, contractId: string) {
  const { ledger, participant, party } = wallet;
  const held = heldContract(participant, party, AmuletAllocation, contractId);
  if (held?.value.allocation.transferLeg.sender !== party) {
    throw new Refusal(404, `AmuletAllocation '${contractId}' not found.`);
  }
  const { openMiningRound } = amuletContractsOf(ledger);
  const locked = ledger.lockedAmuletOf(contractId);
  const { result } = await exercise(wallet, {
    ...submitterOf(wallet, newCommandId('withdraw')),
    target: Allocation,
    contractId,
    choice: WithdrawAllocation,
    argument: { extraArgs: returnArguments(openMiningRound.contractId, locked !== undefined) },
    disclosedContracts: [openMiningRound],
  });
  return { sender_holding_cids: result.senderHoldingCids, meta: metaJson(result.meta) };
}

/** What a request needs of a registry: nothing, as it moves no coins. */
const NO_EXTRA_ARGS: ExtraArgs = { context: { values: new Map() }, meta: EMPTY_METADATA };

/** Tells whoever asked that nothing will be paid. */
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
    argument: { actor: party, extraArgs: NO_EXTRA_ARGS },
  });
  return { meta: metaJson(result.meta) };
}
