import type { FastifyInstance } from 'fastify';
import type { Ledger } from '../ledger/ledger.ts';
import { amuletContractsOf, withState } from './dso-contracts.ts';
import { addLookups } from './scan-routes.ts';
import { addTokenStandardRoutes } from './token-registry.ts';

/**
 * Adds the validator's copy of the scan API, under `/api/validator/v0/scan-proxy`. It is for users of the validator's
 * participant, who need a token. Some routes answer in a second form, for clients that send the contracts that they
 * have cached. The token registry's routes are served under the same path.
 */
export function addScanProxyRoutes(scope: FastifyInstance, ledger: Ledger): void {
  const at = '/api/validator/v0/scan-proxy';
  scope.get(`${at}/dso-party-id`, async () => ({ dso_party_id: ledger.parties.dso }));
  scope.get(`${at}/amulet-rules`, async () => ({
    amulet_rules: withState(ledger, amuletContractsOf(ledger).amuletRules),
  }));
  scope.get(`${at}/open-and-issuing-mining-rounds`, async () => ({
    open_mining_rounds: [withState(ledger, amuletContractsOf(ledger).openMiningRound)],
    issuing_mining_rounds: [],
  }));
  addLookups(scope, ledger, at);
  scope.register(async (registry) => addTokenStandardRoutes(registry, ledger), { prefix: at });
}
