import Fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Contract } from '../ledger/contract.ts';
import { contractJson, disclosureJson } from '../ledger/in-process.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { toJson } from '../ledger/lf-json.ts';
import type { Json } from '../ledger/lf-json.ts';
import { ExtraArgs } from '../ledger/tokens/metadata.ts';
import { meetOnArrival } from '../arrival.ts';
import type { Arriving } from '../arrival.ts';
import { answerUnknownPaths, LISTENER_LIMITS } from '../listener.ts';
import type { Log } from '../log.ts';
import {
  allocationFactory,
  allocationNeeds,
  instructionNeeds,
  transferFactory,
} from './choice-contexts.ts';
import type { ChoiceNeeds } from './choice-contexts.ts';
import { addScanRoutes } from './scan-routes.ts';
import { answerErrorsPlainly, readJsonBodies, Refusal, STRICT_SCHEMAS } from './plain-errors.ts';

/*
 * The token standard's registry for the network's coin. It returns the contracts that wallets and apps need for choices
 * on the DSO party's contracts. It needs no token, as on the public network.
 */

/** Bodies contain only metadata, or the arguments of one choice. */
const BODY_BYTES_MAX = 256 * 1024;

/** Options of every listener that serves registry routes. */
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

/** Creates the token registry (5012), which does not listen yet. The network port serves its routes too. */
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
    addTokenStandardRoutes(scope, ledger);
    addScanRoutes(scope, ledger);
  });
}

/** Adds the token standard's routes below the scope's prefix. */
export function addTokenStandardRoutes(scope: FastifyInstance, ledger: Ledger): void {
  addMetadataRoutes(scope, ledger);
  addAllocationRoutes(scope, ledger);
  addTransferRoutes(scope, ledger);
}

/** The description of the coin, with the APIs of the standard that LocalNet serves. */
const AMULET = {
  id: 'Amulet',
  name: 'Amulet',
  symbol: 'Amulet',
  decimals: 10,
  supportedApis: {
    'splice-api-token-metadata-v1': 1,
    'splice-api-token-holding-v1': 1,
    'splice-api-token-transfer-instruction-v1': 1,
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
    // A parameter that is repeated in the query becomes a list.
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

/** The body may contain `meta` for the choice. It is not needed here. */
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

/** The registry reads only the parties of the transfer. The ledger checks the rest. */
const TRANSFER_FACTORY_BODY = {
  ...FACTORY_BODY,
  properties: {
    ...FACTORY_BODY.properties,
    choiceArguments: {
      type: 'object',
      required: ['transfer'],
      properties: {
        transfer: {
          type: 'object',
          required: ['sender', 'receiver'],
          properties: { sender: { type: 'string' }, receiver: { type: 'string' } },
        },
      },
    },
  },
} as const;

interface TransferFactoryBody extends ContextBody {
  readonly choiceArguments: {
    readonly transfer: { readonly sender: string; readonly receiver: string };
  };
}

function addAllocationRoutes(scope: FastifyInstance, ledger: Ledger): void {
  const contexts = '/registry/allocations/v1/:contractId/choice-contexts';
  const schema = { body: CONTEXT_BODY };
  for (const [choice, mustBeLocked] of [
    ['execute-transfer', true],
    ['withdraw', false],
    ['cancel', false],
  ] as const) {
    scope.post(`${contexts}/${choice}`, { schema }, async (request) => {
      const needs = allocationNeeds(ledger, contractIdOf(request), mustBeLocked);
      return choiceContext(ledger, needs, request.body as ContextBody);
    });
  }
  scope.post(
    '/registry/allocation-instruction/v1/allocation-factory',
    { schema: { body: FACTORY_BODY } },
    async (request) => {
      const { factory, ...needs } = allocationFactory(ledger);
      return {
        factoryId: factory.contractId,
        choiceContext: choiceContext(ledger, needs, request.body as ContextBody),
      };
    },
  );
}

function addTransferRoutes(scope: FastifyInstance, ledger: Ledger): void {
  const at = '/registry/transfer-instruction/v1';
  scope.post(
    `${at}/transfer-factory`,
    { schema: { body: TRANSFER_FACTORY_BODY } },
    async (request) => {
      const body = request.body as TransferFactoryBody;
      const { transfer } = body.choiceArguments;
      const { factory, kind, ...needs } = transferFactory(ledger, transfer);
      return {
        factoryId: factory.contractId,
        transferKind: kind,
        choiceContext: choiceContext(ledger, needs, body),
      };
    },
  );
  for (const [choice, mustBeLocked] of [
    ['accept', true],
    ['reject', false],
    ['withdraw', false],
  ] as const) {
    scope.post(
      `${at}/:contractId/choice-contexts/${choice}`,
      { schema: { body: CONTEXT_BODY } },
      async (request) => {
        const needs = instructionNeeds(ledger, contractIdOf(request), mustBeLocked);
        return choiceContext(ledger, needs, request.body as ContextBody);
      },
    );
  }
}

const contractIdOf = (request: FastifyRequest): string =>
  (request.params as { readonly contractId: string }).contractId;

function choiceContext(
  ledger: Ledger,
  { args, disclosed }: ChoiceNeeds,
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
