import { FeaturedAppRight } from '../ledger/amulet/rights.ts';
import { TransferPreapproval } from '../ledger/amulet/transfer-preapproval.ts';
import type { Contract } from '../ledger/contract.ts';
import { contractJson, heldContracts } from '../ledger/in-process.ts';
import type { AmuletContracts, Ledger } from '../ledger/ledger.ts';
import { Refusal } from './plain-errors.ts';

/* Contracts in which the DSO party has a stake, as the network's scan finds them. */

/** Returns the DSO party's contracts for payments. Throws a registry's answer if they are missing. */
export function amuletContractsOf(ledger: Ledger): AmuletContracts {
  const contracts = ledger.amuletContracts();
  if (contracts === undefined) throw new Refusal(404, 'No open usable OpenMiningRound found.');
  return contracts;
}

/** Returns the preapproval, valid now, that lets any party send coins to `receiver` without asking. */
export function preapprovalOf(ledger: Ledger, receiver: string): Contract | undefined {
  const { participants, parties } = ledger;
  const now = ledger.nowMicros();
  return heldContracts(participants.sv, parties.dso, TransferPreapproval).find(
    ({ value }) => value.receiver === receiver && value.expiresAt > now,
  )?.contract;
}

/** The right of an app's provider to higher rewards. */
export function featuredAppRightOf(ledger: Ledger, provider: string): Contract | undefined {
  const { participants, parties } = ledger;
  return heldContracts(participants.sv, parties.dso, FeaturedAppRight).find(
    ({ value }) => value.provider === provider,
  )?.contract;
}

/** A contract in the form of the scan's answers. */
export const withState = (ledger: Ledger, contract: Contract) => ({
  contract: contractJson(contract),
  domain_id: ledger.synchronizerId,
});

/** The answer to a lookup of a preapproval. */
export function preapprovalJson(ledger: Ledger, receiver: string) {
  const preapproval = preapprovalOf(ledger, receiver);
  // Clients check the beginning of this text.
  if (preapproval === undefined) {
    throw new Refusal(404, `No TransferPreapproval found for party: ${receiver}`);
  }
  return { transfer_preapproval: withState(ledger, preapproval) };
}

/** The answer to a lookup of a featured app: a right, or nothing. */
export function featuredAppJson(ledger: Ledger, provider: string) {
  const right = featuredAppRightOf(ledger, provider);
  return right === undefined ? {} : { featured_app_right: contractJson(right) };
}
