import type { FastifyInstance } from 'fastify';
import type { Contract } from '../ledger/contract.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { amuletContractsOf, featuredAppJson, preapprovalJson, withState } from './dso-contracts.ts';
import { Refusal } from './plain-errors.ts';

/*
 * The network's scan, under `/api/scan`: public information about the network, without a token. LocalNet's scan has no
 * history and no names.
 */

const AT = '/api/scan/v0';

/** Contracts that the caller has cached, which are not sent again. */
const CACHED_RULES = {
  type: ['object', 'null'],
  properties: {
    cached_amulet_rules_contract_id: { type: 'string' },
    cached_external_party_amulet_rules_contract_id: { type: 'string' },
  },
} as const;

const CONTRACT_IDS = { type: 'array', items: { type: 'string' } } as const;
const CACHED_ROUNDS = {
  type: 'object',
  required: ['cached_open_mining_round_contract_ids', 'cached_issuing_round_contract_ids'],
  properties: {
    cached_open_mining_round_contract_ids: CONTRACT_IDS,
    cached_issuing_round_contract_ids: CONTRACT_IDS,
  },
} as const;

/** How long callers may cache rounds. LocalNet's round never changes. */
const ROUNDS_TTL_MICROS = 60_000_000;

/** The names that explorers and wallets show, as in the reference's LocalNet. */
const INSTANCE_NAMES = {
  network_name: 'Splice',
  network_favicon_url: 'https://www.hyperledger.org/hubfs/hyperledgerfavicon.png',
  amulet_name: 'Amulet',
  amulet_name_acronym: 'AMT',
  name_service_name: 'Amulet Name Service',
  name_service_name_acronym: 'ANS',
};

export function addScanRoutes(scope: FastifyInstance, ledger: Ledger): void {
  scope.get('/api/scan/livez', async (_request, reply) => reply.code(200).send());
  scope.get('/api/scan/readyz', async (_request, reply) => reply.code(200).send());
  scope.get(`${AT}/dso-party-id`, async () => ({ dso_party_id: ledger.parties.dso }));
  scope.get(`${AT}/splice-instance-names`, async () => INSTANCE_NAMES);
  // LocalNet has one round, which never closes.
  scope.get(`${AT}/closed-rounds`, async () => ({ rounds: [] }));
  addRulesRoutes(scope, ledger);
  addMemberRoutes(scope, ledger);
  addLookups(scope, ledger, AT);
}

function addRulesRoutes(scope: FastifyInstance, ledger: Ledger): void {
  const unlessCached = (contract: Contract, cached: string | undefined) =>
    cached === contract.contractId
      ? { domain_id: ledger.synchronizerId }
      : withState(ledger, contract);
  scope.post(`${AT}/amulet-rules`, { schema: { body: CACHED_RULES } }, async (request) => {
    const body = request.body as { readonly cached_amulet_rules_contract_id?: string } | null;
    const { amuletRules } = amuletContractsOf(ledger);
    return {
      amulet_rules_update: unlessCached(amuletRules, body?.cached_amulet_rules_contract_id),
    };
  });
  scope.post(
    `${AT}/external-party-amulet-rules`,
    { schema: { body: CACHED_RULES } },
    async (request) => {
      const body = request.body as {
        readonly cached_external_party_amulet_rules_contract_id?: string;
      } | null;
      const { externalPartyAmuletRules: rules } = amuletContractsOf(ledger);
      const cached = body?.cached_external_party_amulet_rules_contract_id;
      return { external_party_amulet_rules_update: unlessCached(rules, cached) };
    },
  );
  scope.post(
    `${AT}/open-and-issuing-mining-rounds`,
    { schema: { body: CACHED_ROUNDS } },
    async (request) => {
      const { cached_open_mining_round_contract_ids: cached } = request.body as {
        readonly cached_open_mining_round_contract_ids: readonly string[];
      };
      const { openMiningRound: round } = amuletContractsOf(ledger);
      const known = cached.find((contractId) => contractId === round.contractId);
      return {
        time_to_live_in_microseconds: ROUNDS_TTL_MICROS,
        open_mining_rounds: { [round.contractId]: unlessCached(round, known) },
        issuing_mining_rounds: {},
      };
    },
  );
}

interface DomainParams {
  readonly domainId: string;
  readonly memberId: string;
  readonly party: string;
}

/** Adds routes for the synchronizer: the hosts of a party, and the traffic that a participant has used. */
function addMemberRoutes(scope: FastifyInstance, ledger: Ledger): void {
  const participants = () => ledger.participantNames.map((name) => ledger.participants[name]);
  const requireDomain = ({ domainId }: DomainParams): void => {
    if (domainId !== ledger.synchronizerId) {
      throw new Refusal(404, `No synchronizer ${domainId} found`);
    }
  };
  scope.get(`${AT}/domains/:domainId/parties/:party/participant-id`, async (request) => {
    const params = request.params as DomainParams;
    requireDomain(params);
    const [host, ...others] = ledger.hostsOf(params.party);
    if (host === undefined) {
      throw new Refusal(404, `No participant id found hosting party: ${params.party}`);
    }
    if (others.length > 0) {
      const text = `Party ${params.party} is hosted on multiple participants, which is not currently supported`;
      throw new Refusal(500, text);
    }
    return { participant_id: memberIdOf(ledger.participants[host].participantId) };
  });
  scope.get(`${AT}/domains/:domainId/members/:memberId/traffic-status`, async (request) => {
    const params = request.params as DomainParams;
    requireDomain(params);
    const member = participants().find(
      ({ participantId }) => memberIdOf(participantId) === params.memberId,
    );
    if (member === undefined) throw new Refusal(404, `No member ${params.memberId} found`);
    const { spent, balance } = ledger.trafficOf(member.name);
    // A participant cannot use more traffic than it has bought. If there is no limit, this reports that it has bought
    // as much as it has used.
    const bought = Number(spent + (balance ?? 0n));
    return {
      traffic_status: {
        actual: { total_consumed: Number(spent), total_limit: bought },
        target: { total_purchased: bought },
      },
    };
  });
}

const memberIdOf = (participantId: string): string => `PAR::${participantId}`;

/**
 * Adds the lookups that scan and scan-proxy have in common. There are no routes for names, nor for transfer commands,
 * because external parties transfer by the token standard.
 */
export function addLookups(scope: FastifyInstance, ledger: Ledger, at: string): void {
  const keyOf = (params: unknown) => (params as { readonly key: string }).key;
  scope.get(`${at}/featured-apps/:key`, async ({ params }) =>
    featuredAppJson(ledger, keyOf(params)),
  );
  scope.get(`${at}/transfer-preapprovals/by-party/:key`, async ({ params }) =>
    preapprovalJson(ledger, keyOf(params)),
  );
  scope.get(`${at}/ans-entries`, async () => ({ entries: [] }));
  for (const by of ['party', 'name']) {
    scope.get(`${at}/ans-entries/by-${by}/:key`, async ({ params }) => {
      throw new Refusal(404, `No ans entry found for ${by}: ${keyOf(params)}`);
    });
  }
  scope.post(`${at}/ans-rules`, async () => {
    throw new Refusal(404, 'found no ansrules instance');
  });
  scope.get(`${at}/transfer-command-counter/:key`, async ({ params }) => {
    const party = keyOf(params);
    throw new Refusal(
      404,
      `No TransferCommandCounter found for party: ${party}, use 0 for the nonce`,
    );
  });
  scope.get(
    `${at}/transfer-command/status`,
    { schema: { querystring: COMMAND_QUERY } },
    async ({ query }) => {
      const { sender, nonce } = query as { readonly sender: string; readonly nonce: string };
      throw new Refusal(
        404,
        `Couldn't find transfer command for sender ${sender} with nonce ${nonce} created in the last 24h`,
      );
    },
  );
}

const COMMAND_QUERY = {
  type: 'object',
  required: ['sender', 'nonce'],
  properties: { sender: { type: 'string' }, nonce: { type: 'string', pattern: '^[0-9]{1,18}$' } },
} as const;
