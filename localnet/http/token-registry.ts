import Fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AmuletAllocation } from '../ledger/amulet/amulet-allocation.ts';
import { returnArguments, transferArguments } from '../ledger/amulet/two-step-transfer.ts';
import type { Contract } from '../ledger/contract.ts';
import { contractJson, disclosureJson, heldContract } from '../ledger/in-process.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { toJson } from '../ledger/lf-json.ts';
import type { Json } from '../ledger/lf-json.ts';
import { timestampText } from '../ledger/lf-values.ts';
import { ExtraArgs } from '../ledger/tokens/metadata.ts';
import { meetOnArrival } from './arrival.ts';
import type { Arriving } from './arrival.ts';
import { answerUnknownPaths, LISTENER_LIMITS } from './listener.ts';
import type { Log } from './listener.ts';
import { amuletContractsOf } from './amulet-contracts.ts';
import { answerErrorsPlainly, readJsonBodies, Refusal, STRICT_SCHEMAS } from './plain-errors.ts';

/*
 * The registry of the network's coin, by the token standard: what wallets and apps must bring along to use contracts of
 * the DSO party. Asked without a token, as on the public network.
 */

/** Bodies hold metadata, or the arguments of one choice. */
const BODY_BYTES_MAX = 256 * 1024;

/** What every listener that serves registry routes is made with. */
export const REGISTRY_LIMITS = {
  ...LISTENER_LIMITS,
  ...STRICT_SCHEMAS,
  bodyLimit: BODY_BYTES_MAX,
} as const;

export interface RegistryOptions {
  readonly ledger: Ledger;
  readonly log: Log;
  readonly arrival?: () => Arriving;
}

/** The token registry (5012), not yet listening; the network port serves its routes too. */
export function createRegistry(options: RegistryOptions): FastifyInstance {
  const app = Fastify(REGISTRY_LIMITS);
  answerErrorsPlainly(app, { surface: 'registry' }, options.log);
  answerUnknownPaths(app);
  addRegistryRoutes(app, options);
  return app;
}

export function addRegistryRoutes(
  app: FastifyInstance,
  { ledger, arrival }: RegistryOptions,
): void {
  app.register(async (scope) => {
    meetOnArrival(scope, arrival);
    readJsonBodies(scope);
    addMetadataRoutes(scope, ledger);
    addAllocationRoutes(scope, ledger);
    addScanRoutes(scope, ledger);
  });
}

/** The instrument, with the APIs of the standard that LocalNet serves for it. */
const AMULET = {
  id: 'Amulet',
  name: 'Amulet',
  symbol: 'Amulet',
  decimals: 10,
  supportedApis: {
    'splice-api-token-metadata-v1': 1,
    'splice-api-token-holding-v1': 1,
    'splice-api-token-allocation-v1': 1,
    'splice-api-token-allocation-instruction-v1': 1,
  },
} as const;

function addMetadataRoutes(scope: FastifyInstance, ledger: Ledger): void {
  const at = '/registry/metadata/v1';
  scope.get(`${at}/info`, async () => ({
    adminId: ledger.parties.dso,
    supportedApis: { 'splice-api-token-metadata-v1': 1 },
  }));
  scope.get(`${at}/instruments`, async (request) => {
    // A parameter that comes twice is a list.
    const { pageSize = '1' } = request.query as { readonly pageSize?: string | readonly string[] };
    if (typeof pageSize !== 'string' || !/^[1-9]\d{0,8}$/.test(pageSize)) {
      throw new Refusal(400, 'pageSize must be an integer above 0');
    }
    return { instruments: [AMULET] };
  });
  scope.get(`${at}/instruments/:instrumentId`, async (request) => {
    const { instrumentId } = request.params as { readonly instrumentId: string };
    if (instrumentId === AMULET.id) return AMULET;
    throw new Refusal(404, `No instrument with id ${instrumentId} found`);
  });
}

/** `meta` goes to the choice, which needs none of it here. */
const CONTEXT_BODY = {
  type: 'object',
  properties: {
    meta: { type: 'object', additionalProperties: { type: 'string' } },
    excludeDebugFields: { type: 'boolean' },
  },
} as const;

const FACTORY_BODY = {
  type: 'object',
  required: ['choiceArguments'],
  properties: { choiceArguments: { type: 'object' }, excludeDebugFields: { type: 'boolean' } },
} as const;

interface ContextBody {
  readonly excludeDebugFields?: boolean;
}

function addAllocationRoutes(scope: FastifyInstance, ledger: Ledger): void {
  const contexts = '/registry/allocations/v1/:allocationId/choice-contexts';
  const schema = { body: CONTEXT_BODY };
  scope.post(`${contexts}/execute-transfer`, { schema }, async (request) =>
    executionContext(ledger, allocationIdOf(request), request.body as ContextBody),
  );
  for (const choice of ['withdraw', 'cancel']) {
    scope.post(`${contexts}/${choice}`, { schema }, async (request) =>
      returnContext(ledger, allocationIdOf(request), request.body as ContextBody),
    );
  }
  scope.post(
    '/registry/allocation-instruction/v1/allocation-factory',
    { schema: { body: FACTORY_BODY } },
    async (request) => {
      const { amuletRules, openMiningRound, externalPartyAmuletRules } = amuletContractsOf(ledger);
      const args = transferArguments(amuletRules.contractId, openMiningRound.contractId);
      const disclosed = [amuletRules, openMiningRound, externalPartyAmuletRules];
      return {
        factoryId: externalPartyAmuletRules.contractId,
        choiceContext: choiceContext(ledger, args, disclosed, request.body as ContextBody),
      };
    },
  );
}

const allocationIdOf = (request: FastifyRequest): string =>
  (request.params as { readonly allocationId: string }).allocationId;

function findAllocation({ participants, parties }: Ledger, allocationId: string) {
  const held = heldContract(participants.sv, parties.dso, AmuletAllocation, allocationId);
  if (held === undefined) throw new Refusal(404, `AmuletAllocation '${allocationId}' not found.`);
  return held.value;
}

/** What `Allocation_ExecuteTransfer` needs. */
function executionContext(ledger: Ledger, allocationId: string, body: ContextBody): Json {
  const { lockedAmulet, allocation } = findAllocation(ledger, allocationId);
  const locked = ledger.lockedAmuletOf(allocationId);
  if (locked === undefined) {
    const expiry = timestampText(allocation.settlement.settleBefore);
    throw new Refusal(
      404,
      `LockedAmulet '${lockedAmulet}' not found for AmuletAllocation '${allocationId}', which expires on ${expiry}`,
    );
  }
  const { amuletRules, openMiningRound } = amuletContractsOf(ledger);
  const args = transferArguments(amuletRules.contractId, openMiningRound.contractId);
  return choiceContext(ledger, args, [amuletRules, openMiningRound, locked], body);
}

/** What `Allocation_Withdraw` and `Allocation_Cancel` need. Once the owner has unlocked the coins, that is nothing. */
function returnContext(ledger: Ledger, allocationId: string, body: ContextBody): Json {
  findAllocation(ledger, allocationId);
  const locked = ledger.lockedAmuletOf(allocationId);
  const { openMiningRound } = amuletContractsOf(ledger);
  const args = returnArguments(openMiningRound.contractId, locked !== undefined);
  const disclosed = locked === undefined ? [openMiningRound] : [openMiningRound, locked];
  return choiceContext(ledger, args, disclosed, body);
}

function choiceContext(
  ledger: Ledger,
  args: ExtraArgs,
  disclosed: readonly Contract[],
  { excludeDebugFields = false }: ContextBody,
): Json {
  const { context } = toJson(ExtraArgs, args) as { readonly context: Json };
  return {
    choiceContextData: context,
    disclosedContracts: disclosed.map((contract) => ({
      ...disclosureJson(contract, ledger.synchronizerId),
      ...(excludeDebugFields ? {} : debugFields(contract)),
    })),
  };
}

function debugFields(contract: Contract) {
  const { payload, created_at } = contractJson(contract);
  return {
    debugPackageName: contract.template.name.packageName,
    debugPayload: payload,
    debugCreatedAt: created_at,
  };
}

/** The part of the scan that scripts ask: is it there, and whose network is it? */
function addScanRoutes(scope: FastifyInstance, ledger: Ledger): void {
  scope.get('/api/scan/livez', async (_request, reply) => reply.code(200).send());
  scope.get('/api/scan/readyz', async (_request, reply) => reply.code(200).send());
  scope.get('/api/scan/v0/dso-party-id', async () => ({ dso_party_id: ledger.parties.dso }));
}
