import type { FastifyInstance } from 'fastify';
import { contractJson } from '../ledger/in-process.ts';
import type { Contract } from '../ledger/contract.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { amuletContractsOf } from './amulet-contracts.ts';
import { Refusal } from './plain-errors.ts';

/**
 * What a validator tells of the network on behalf of its scan, under `/api/validator/v0/scan-proxy`: the routes that
 * the public wallet asks. LocalNet has one round and no featured apps, names or preapprovals, and says so.
 */
export function addScanProxyRoutes(scope: FastifyInstance, ledger: Ledger): void {
  const at = '/api/validator/v0/scan-proxy';
  const stateOf = (contract: Contract) => ({
    contract: contractJson(contract),
    domain_id: ledger.synchronizerId,
  });
  scope.get(`${at}/dso-party-id`, async () => ({ dso_party_id: ledger.parties.dso }));
  scope.get(`${at}/amulet-rules`, async () => ({
    amulet_rules: stateOf(amuletContractsOf(ledger).amuletRules),
  }));
  scope.get(`${at}/open-and-issuing-mining-rounds`, async () => ({
    open_mining_rounds: [stateOf(amuletContractsOf(ledger).openMiningRound)],
    issuing_mining_rounds: [],
  }));
  scope.get(`${at}/featured-apps/:party`, async () => ({}));
  scope.get(`${at}/ans-entries`, async () => ({ entries: [] }));
  for (const path of [
    'ans-entries/by-party',
    'ans-entries/by-name',
    'transfer-preapprovals/by-party',
  ]) {
    scope.get(`${at}/${path}/:key`, async (request) => {
      const { key } = request.params as { key: string };
      throw new Refusal(404, `Nothing found for ${key}`);
    });
  }
}
