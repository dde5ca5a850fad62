import type { AmuletContracts, Ledger } from '../ledger/ledger.ts';
import { Refusal } from './plain-errors.ts';

/** The DSO party's contracts that payments refer to, or the answer that a registry without them gives. */
export function amuletContractsOf(ledger: Ledger): AmuletContracts {
  const contracts = ledger.amuletContracts();
  if (contracts === undefined) throw new Refusal(404, 'No open usable OpenMiningRound found.');
  return contracts;
}
