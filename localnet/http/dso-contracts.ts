import { FeaturedAppRight } from '../ledger/amulet/rights.ts';
import { TransferPreapproval } from '../ledger/amulet/transfer-preapproval.ts';
import type { Contract } from '../ledger/contract.ts';
import { contractJson, heldContracts } from '../ledger/in-process.ts';
import type { AmuletContracts, Ledger } from '../ledger/ledger.ts';
import { Refusal } from './plain-errors.ts';

/* Contracts that have the DSO party as a stakeholder, as the network's scan finds them. */

/** Returns the DSO party's contracts for payments. Throws the refusal of a registry if they are missing. */
export function amuletContractsOf(ledger: Ledger): AmuletContracts {
  const contracts = ledger.amuletContracts();
  if (contracts === undefined) throw new Refusal(404, 'No open usable OpenMiningRound found.');
  return contracts;
}

/** Returns the preapproval, if one is valid now, with which any party may send coins to `receiver` without asking. */
export function preapprovalOf(ledger: Ledger, receiver: string): Contract | undefined {
  const { participants, parties } = ledger;
  const now = ledger.nowMicros();
  return heldContracts(participants.sv, parties.dso, TransferPreapproval).find(
    ({ value }) => value.receiver === receiver && value.expiresAt > now,
  )?.contract;
}

/** Returns the contract by which an app's provider gets higher rewards. */
export function featuredAppRightOf(ledger: Ledger, provider: string): Contract | undefined {
  const { participants, parties } = ledger;
  return heldContracts(participants.sv, parties.dso, FeaturedAppRight).find(
    ({ value }) => value.provider === provider,
  )?.contract;
}

/** Returns a contract in the format in which the network's scan answers. */
export const withState = (ledger: Ledger, contract: Contract) => ({
  contract: contractJson(contract),
  domain_id: ledger.synchronizerId,
});

/** Returns the answer to a lookup of a preapproval. */
export function preapprovalJson(ledger: Ledger, receiver: string) {
  const preapproval = preapprovalOf(ledger, receiver);
  // Clients compare the beginning of this text.
  if (preapproval === undefined) {
    throw new Refusal(404, `No TransferPreapproval found for party: ${receiver}`);
  }
  return { transfer_preapproval: withState(ledger, preapproval) };
}

/** Returns the answer to a lookup of a featured app: a right, or nothing. */
export function featuredAppJson(ledger: Ledger, provider: string) {
  const right = featuredAppRightOf(ledger, provider);
  return right === undefined ? {} : { featured_app_right: contractJson(right) };
}
