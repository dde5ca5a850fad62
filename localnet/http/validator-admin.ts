import type { FastifyInstance } from 'fastify';
import { CancelPreapproval, TransferPreapproval } from '../ledger/amulet/transfer-preapproval.ts';
import { heldContracts } from '../ledger/in-process.ts';
import { decimalOf, unitsOf } from '../ledger/decimal.ts';
import { featuredAppRightOf, preapprovalJson, preapprovalOf, withState } from './dso-contracts.ts';
import { hungUp } from '../listener.ts';
import { Refusal } from './plain-errors.ts';
import type { ValidatorOptions } from './validator.ts';
import { bearerOf, requireAdmin } from './wallet/caller.ts';
import { balanceOf } from './wallet/holdings.ts';
import { exercise, newCommandId } from './wallet/use.ts';

const AT = '/api/validator/v0';

/** Adds the validator's public routes and its administrator's routes, under `/api/validator/v0`. */
export function addValidatorAdminRoutes(app: FastifyInstance, options: ValidatorOptions): void {
  const { ledger, automation } = options;
  app.get(`${AT}/validator-user`, async () => {
    const { party, userId } = automation.operator;
    return {
      party_id: party,
      user_name: userId,
      featured: featuredAppRightOf(ledger, party) !== undefined,
    };
  });
  app.register(async (scope) => {
    requireAdmin(scope, options);
    addPreapprovalRoutes(scope, options);
    addExternalPartyReads(scope, options);
    addAbsentRoutes(scope);
  });
}

function addPreapprovalRoutes(scope: FastifyInstance, options: ValidatorOptions): void {
  const { ledger, participant, automation } = options;
  const at = `${AT}/admin/transfer-preapprovals`;
  const receiverOf = (params: unknown) => (params as { readonly receiver: string }).receiver;
  scope.get(at, async () => {
    const { party } = automation.operator;
    const held = heldContracts(participant, party, TransferPreapproval);
    return {
      contracts: held
        .filter(({ value }) => value.provider === party)
        .map(({ contract }) => withState(ledger, contract)),
    };
  });
  scope.get(`${at}/by-party/:receiver`, async ({ params }) =>
    preapprovalJson(ledger, receiverOf(params)),
  );
  scope.delete(`${at}/by-party/:receiver`, async (request, reply) => {
    const receiver = receiverOf(request.params);
    const preapproval = preapprovalOf(ledger, receiver);
    if (preapproval === undefined) {
      throw new Refusal(404, `No TransferPreapproval found for party: ${receiver}`);
    }
    const { party } = automation.operator;
    const { userId } = bearerOf(request);
    const wallet = { ledger, participant, party, userId, signal: hungUp(reply) };
    await exercise(wallet, {
      userId,
      actAs: [party],
      commandId: newCommandId('preapproval-cancel'),
      target: TransferPreapproval,
      contractId: preapproval.contractId,
      choice: CancelPreapproval,
      argument: { p: party },
    });
    return reply.code(200).send();
  });
}

const BALANCE_QUERY = {
  type: 'object',
  required: ['party_id'],
  properties: { party_id: { type: 'string', minLength: 1, maxLength: 255 } },
} as const;

const sum = (...amounts: readonly string[]): string =>
  decimalOf(amounts.reduce((units, amount) => units + unitsOf(amount), 0n)) ?? '';

function addExternalPartyReads(
  scope: FastifyInstance,
  { ledger, participant }: ValidatorOptions,
): void {
  const schema = { querystring: BALANCE_QUERY };
  scope.get(`${AT}/admin/external-party/balance`, { schema }, async ({ query }) => {
    const { party_id: party } = query as { readonly party_id: string };
    const [details] = participant.parties.get([party]);
    if (details?.isLocal !== true) throw new Refusal(404, `Party ${party} is not hosted here`);
    const balance = balanceOf({ ledger, participant, party });
    const { effective_unlocked_qty: unlocked, effective_locked_qty: locked } = balance;
    const { total_holding_fees: fees } = balance;
    return {
      party_id: party,
      total_unlocked_coin: unlocked,
      total_locked_coin: locked,
      total_coin_holdings: sum(unlocked, locked),
      accumulated_holding_fees_unlocked: fees,
      accumulated_holding_fees_locked: fees,
      accumulated_holding_fees_total: fees,
      total_available_coin: unlocked,
      computed_as_of_round: balance.round,
    };
  });
}

/** Routes that LocalNet does not support, because the validator would need its own sequencer, keys or topology. */
const ABSENT = [
  ['GET', 'participant/identities', "LocalNet's participants have no keys to dump"],
  ['GET', 'participant/global-domain-connection-config', 'LocalNet has no sequencer to connect to'],
  ['GET', 'domain/data-snapshot', "LocalNet's synchronizer does not migrate"],
] as const;

/**
 * The validator's own routes for external parties. They are disabled, because the participant's API offers the same
 * functions.
 */
const EXTERNAL_PARTY_WAYS = [
  ['POST', 'topology/generate'],
  ['POST', 'topology/submit'],
  ['POST', 'setup-proposal'],
  ['GET', 'setup-proposal'],
  ['POST', 'setup-proposal/prepare-accept'],
  ['POST', 'setup-proposal/submit-accept'],
  ['POST', 'transfer-preapproval/prepare-send'],
  ['POST', 'transfer-preapproval/submit-send'],
] as const;

const USE_PARTICIPANT =
  'This validator onboards no external parties: use /v2/parties/external and /v2/interactive-submission';

function addAbsentRoutes(scope: FastifyInstance): void {
  const routes = [
    ...ABSENT,
    ...EXTERNAL_PARTY_WAYS.map(
      ([method, path]) => [method, `external-party/${path}`, USE_PARTICIPANT] as const,
    ),
  ];
  for (const [method, path, reason] of routes) {
    scope.route({
      method,
      url: `${AT}/admin/${path}`,
      handler: async () => {
        throw new Refusal(501, reason);
      },
    });
  }
}
