import { AmuletAllocation } from '../ledger/amulet/amulet-allocation.ts';
import { AmuletTransferInstruction } from '../ledger/amulet/amulet-transfer-instruction.ts';
import type { TransferPreapprovalPayload } from '../ledger/amulet/transfer-preapproval.ts';
import {
  AMULET_RULES_KEY,
  EXPIRE_LOCK_KEY,
  FEATURED_APP_RIGHT_KEY,
  OPEN_ROUND_KEY,
  TRANSFER_PREAPPROVAL_KEY,
} from '../ledger/amulet/two-step-transfer.ts';
import type { Contract } from '../ledger/contract.ts';
import { heldContract } from '../ledger/in-process.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { timestampText } from '../ledger/lf-values.ts';
import { extraArgs } from '../ledger/tokens/metadata.ts';
import type { AnyValue, ExtraArgs } from '../ledger/tokens/metadata.ts';
import { amuletContractsOf, featuredAppRightOf, preapprovalOf } from './dso-contracts.ts';
import { Refusal } from './plain-errors.ts';

/**
 * The arguments that a caller must pass to a choice on the coin's contracts, and the contracts that the caller must
 * disclose, because it may be unable to see them itself.
 */
export interface ChoiceNeeds {
  readonly args: ExtraArgs;
  readonly disclosed: readonly Contract[];
}

/** Collects what a choice needs. Each contract in the context is also disclosed. */
class Needs {
  readonly #entries: (readonly [string, AnyValue])[] = [];
  readonly #disclosed: Contract[] = [];

  contract(key: string, contract: Contract | undefined): this {
    if (contract === undefined) return this;
    this.#entries.push([key, { tag: 'AV_ContractId', value: contract.contractId }]);
    return this.disclose(contract);
  }

  flag(key: string, value: boolean): this {
    this.#entries.push([key, { tag: 'AV_Bool', value }]);
    return this;
  }

  disclose(contract: Contract): this {
    this.#disclosed.push(contract);
    return this;
  }

  build(): ChoiceNeeds {
    return { args: extraArgs(this.#entries), disclosed: this.#disclosed };
  }
}

const transferNeeds = (ledger: Ledger): Needs => {
  const { amuletRules, openMiningRound } = amuletContractsOf(ledger);
  return new Needs()
    .contract(AMULET_RULES_KEY, amuletRules)
    .contract(OPEN_ROUND_KEY, openMiningRound);
};

/** Returns the factory contract that allocates coins, and what its choice needs. */
export function allocationFactory(ledger: Ledger): ChoiceNeeds & { readonly factory: Contract } {
  const { externalPartyAmuletRules: factory } = amuletContractsOf(ledger);
  return { ...transferNeeds(ledger).disclose(factory).build(), factory };
}

/**
 * The kind of a transfer: to oneself, directly to a receiver with a preapproval, or as an offer that waits for its
 * receiver.
 */
export type TransferKind = 'self' | 'direct' | 'offer';

export interface TransferFactoryNeeds extends ChoiceNeeds {
  readonly factory: Contract;
  readonly kind: TransferKind;
}

/** Returns the factory contract that transfers coins, and what its choice needs. */
export function transferFactory(
  ledger: Ledger,
  { sender, receiver }: { readonly sender: string; readonly receiver: string },
): TransferFactoryNeeds {
  const { externalPartyAmuletRules: factory } = amuletContractsOf(ledger);
  const preapproval = sender === receiver ? undefined : preapprovalOf(ledger, receiver);
  const provider = (preapproval?.payload as TransferPreapprovalPayload | undefined)?.provider;
  const featured = provider === undefined ? undefined : featuredAppRightOf(ledger, provider);
  const needs = transferNeeds(ledger)
    .contract(FEATURED_APP_RIGHT_KEY, featured)
    .contract(TRANSFER_PREAPPROVAL_KEY, preapproval)
    .disclose(factory);
  const kind = sender === receiver ? 'self' : preapproval === undefined ? 'offer' : 'direct';
  return { ...needs.build(), factory, kind };
}

/** The locked coins of an allocation or an offer, and when their lock expires. */
interface Waiting {
  /** The name of the waiting contract in error messages. */
  readonly name: string;
  readonly contractId: string;
  readonly lockedAmulet: string;
  /** When the lock expires, microseconds. */
  readonly expiry: bigint;
  /** The party that may be rewarded for the transfer. */
  readonly provider?: string;
}

/**
 * Returns the contracts that the second step of a transfer needs. If the owner has unlocked the coins after the lock's
 * expiry, the transfer can only be rejected or withdrawn, which needs no contracts.
 */
function secondStep(ledger: Ledger, waiting: Waiting, mustBeLocked: boolean): ChoiceNeeds {
  const { name, contractId, lockedAmulet, expiry, provider } = waiting;
  const locked = ledger.lockedAmuletOf(contractId);
  if (locked !== undefined) {
    const featured = provider === undefined ? undefined : featuredAppRightOf(ledger, provider);
    return transferNeeds(ledger)
      .disclose(locked)
      .flag(EXPIRE_LOCK_KEY, true)
      .contract(FEATURED_APP_RIGHT_KEY, featured)
      .build();
  }
  if (!mustBeLocked) return new Needs().flag(EXPIRE_LOCK_KEY, false).build();
  throw new Refusal(
    404,
    `LockedAmulet '${lockedAmulet}' not found for ${name}, which expires on ${timestampText(expiry)}`,
  );
}

/** @param mustBeLocked true if the choice moves the coins; false if it only ends the allocation */
export function allocationNeeds(
  ledger: Ledger,
  contractId: string,
  mustBeLocked: boolean,
): ChoiceNeeds {
  const { participants, parties } = ledger;
  const name = `AmuletAllocation '${contractId}'`;
  const held = heldContract(participants.sv, parties.dso, AmuletAllocation, contractId);
  if (held === undefined) throw new Refusal(404, `${name} not found.`);
  const { lockedAmulet, allocation } = held.value;
  const { settleBefore: expiry, executor: provider } = allocation.settlement;
  return secondStep(ledger, { name, contractId, lockedAmulet, expiry, provider }, mustBeLocked);
}

/** @param mustBeLocked true if the choice moves the coins; false if it only ends the offer */
export function instructionNeeds(
  ledger: Ledger,
  contractId: string,
  mustBeLocked: boolean,
): ChoiceNeeds {
  const { participants, parties } = ledger;
  const name = `AmuletTransferInstruction '${contractId}'`;
  const held = heldContract(participants.sv, parties.dso, AmuletTransferInstruction, contractId);
  if (held === undefined) throw new Refusal(404, `${name} not found.`);
  const { lockedAmulet, transfer } = held.value;
  const { executeBefore: expiry } = transfer;
  return secondStep(ledger, { name, contractId, lockedAmulet, expiry }, mustBeLocked);
}
