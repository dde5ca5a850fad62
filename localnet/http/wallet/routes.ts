import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppRewardCoupon, ValidatorRewardCoupon } from '../../ledger/amulet/rights.ts';
import { contractJson, heldContracts } from '../../ledger/in-process.ts';
import type { TemplateDefinition } from '../../ledger/package-definition.ts';
import { hungUp } from '../../listener.ts';
import { Refusal } from '../plain-errors.ts';
import type { ValidatorOptions } from '../validator.ts';
import { addAbsentRoutes } from './absent.ts';
import type { Automation } from './automation.ts';
import { READING, requireWallet, walletOf } from './caller.ts';
import { HISTORY_BODY, historyOf } from './history.ts';
import type { HistoryBody } from './history.ts';
import {
  allocationRequestsOf,
  allocationsOf,
  amuletsOf,
  balanceOf,
  paymentRequestOf,
  paymentRequestsOf,
} from './holdings.ts';
import type { Wallet } from './holdings.ts';
import { allocate, rejectRequest, tap, withdrawAllocation } from './operations.ts';
import {
  SEND_BODY,
  cancelFeaturing,
  createPreapproval,
  featureOneself,
  sendToPreapproved,
} from './preapprovals.ts';
import type { SendBody } from './preapprovals.ts';
import { ALLOCATE_BODY, TAP_BODY } from './requests.ts';
import type { AllocateBody, TapBody } from './requests.ts';
import {
  acceptOffer,
  acceptedOffersOf,
  createOffer,
  offerStatusOf,
  offersOf,
  rejectOffer,
  withdrawOffer,
} from './transfer-offers.ts';
import {
  TRANSFER_BODY,
  TRANSFER_STEPS,
  createTransfer,
  endTransfer,
  transfersOf,
} from './transfers.ts';
import type { TransferBody } from './transfers.ts';
import type { WalletUse } from './use.ts';

const AT = '/api/validator/v0';

/** Functions that return the wallet to which a request belongs: for reading, or for a command. */
interface Asked {
  readonly viewed: (request: FastifyRequest) => Wallet;
  readonly used: (request: FastifyRequest, reply: FastifyReply) => WalletUse;
}

const contractIdOf = (request: FastifyRequest) =>
  (request.params as { readonly contractId: string }).contractId;

/** Adds the routes for the wallet of the caller's primary party, under `/api/validator/v0`. */
export function addWalletRoutes(app: FastifyInstance, options: ValidatorOptions): void {
  const { ledger, participant, automation } = options;
  const viewed = (request: FastifyRequest): Wallet => ({
    ledger,
    participant,
    party: walletOf(request).party,
  });
  const used = (request: FastifyRequest, reply: FastifyReply): WalletUse => ({
    ...viewed(request),
    userId: walletOf(request).access.userId,
    signal: hungUp(reply),
  });
  app.get(`${AT}/feature-support`, async () => ({
    token_standard: true,
    transfer_preapproval_description: true,
  }));
  app.register(async (scope) => {
    requireWallet(scope, options);
    addReads(scope, viewed);
    addAllocationRoutes(scope, { viewed, used });
    addTransferRoutes(scope, { viewed, used });
    addOfferRoutes(scope, { viewed, used });
    addStandingRoutes(scope, used, automation);
    addAbsentRoutes(scope, AT);
  });
}

/** Lists of coupons. Coupons are created but never paid, because LocalNet's round never closes. */
const COUPONS: readonly (readonly [string, string, TemplateDefinition])[] = [
  ['app-reward-coupons', 'app_reward_coupons', AppRewardCoupon],
  ['validator-reward-coupons', 'validator_reward_coupons', ValidatorRewardCoupon],
];

/** The maximum length of a list, which is that of the public wallet. */
const COUPONS_MAX = 1_000;

function addReads(scope: FastifyInstance, viewed: Asked['viewed']): void {
  scope.get(`${AT}/wallet/balance`, async (request) => balanceOf(viewed(request)));
  scope.get(`${AT}/wallet/amulets`, async (request) => amuletsOf(viewed(request)));
  scope.get(`${AT}/wallet/app-payment-requests`, async (request) =>
    paymentRequestsOf(viewed(request)),
  );
  scope.get(`${AT}/wallet/app-payment-requests/:contractId`, async (request) =>
    paymentRequestOf(viewed(request), contractIdOf(request)),
  );
  for (const step of ['accept', 'reject']) {
    scope.post(`${AT}/wallet/app-payment-requests/:contractId/${step}`, async (request) => {
      paymentRequestOf(viewed(request), contractIdOf(request));
      throw new Refusal(400, `The request ends with its allocation request: ${step} that one`);
    });
  }
  for (const [path, field, template] of COUPONS) {
    scope.get(`${AT}/wallet/${path}`, async (request) => {
      const { participant, party } = viewed(request);
      const held = heldContracts(participant, party, template).slice(0, COUPONS_MAX);
      return { [field]: held.map(({ contract }) => contractJson(contract)) };
    });
  }
  scope.post(
    `${AT}/wallet/transactions`,
    { ...READING, schema: { body: HISTORY_BODY } },
    async (request) => historyOf(viewed(request), request.body as HistoryBody),
  );
}

function addAllocationRoutes(scope: FastifyInstance, { viewed, used }: Asked): void {
  scope.post(`${AT}/wallet/tap`, { schema: { body: TAP_BODY } }, async (request, reply) =>
    tap(used(request, reply), request.body as TapBody),
  );
  const requests = `${AT}/wallet/token-standard/allocation-requests`;
  scope.get(requests, async (request) => allocationRequestsOf(viewed(request)));
  scope.post(`${requests}/:contractId/reject`, async (request, reply) =>
    rejectRequest(used(request, reply), contractIdOf(request)),
  );
  scope.get(`${AT}/allocations`, async (request) => allocationsOf(viewed(request)));
  scope.post(`${AT}/allocations`, { schema: { body: ALLOCATE_BODY } }, async (request, reply) =>
    allocate(used(request, reply), request.body as AllocateBody),
  );
  scope.post(`${AT}/allocations/:contractId/withdraw`, async (request, reply) =>
    withdrawAllocation(used(request, reply), contractIdOf(request)),
  );
}

function addTransferRoutes(scope: FastifyInstance, { viewed, used }: Asked): void {
  const at = `${AT}/wallet/token-standard/transfers`;
  scope.get(at, async (request) => transfersOf(viewed(request)));
  scope.post(at, { schema: { body: TRANSFER_BODY } }, async (request, reply) =>
    createTransfer(used(request, reply), request.body as TransferBody),
  );
  for (const step of TRANSFER_STEPS) {
    scope.post(`${at}/:contractId/${step}`, async (request, reply) =>
      endTransfer(used(request, reply), contractIdOf(request), step),
    );
  }
}

function addOfferRoutes(scope: FastifyInstance, { viewed, used }: Asked): void {
  const at = `${AT}/wallet/transfer-offers`;
  scope.get(at, async (request) => offersOf(viewed(request)));
  scope.post(at, { schema: { body: TRANSFER_BODY } }, async (request, reply) =>
    createOffer(used(request, reply), request.body as TransferBody),
  );
  scope.post(`${at}/:trackingId/status`, READING, async (request) => {
    const { trackingId } = request.params as { readonly trackingId: string };
    return offerStatusOf(viewed(request), trackingId);
  });
  scope.post(`${at}/:contractId/accept`, async (request, reply) =>
    acceptOffer(used(request, reply), contractIdOf(request)),
  );
  scope.post(`${at}/:contractId/reject`, async (request, reply) => {
    await rejectOffer(used(request, reply), contractIdOf(request));
    return reply.code(200).send();
  });
  scope.post(`${at}/:contractId/withdraw`, async (request, reply) => {
    await withdrawOffer(used(request, reply), contractIdOf(request));
    return reply.code(200).send();
  });
  scope.get(`${AT}/wallet/accepted-transfer-offers`, async (request) =>
    acceptedOffersOf(viewed(request)),
  );
}

/** Adds routes for preapprovals and for the right of a featured app. */
function addStandingRoutes(
  scope: FastifyInstance,
  used: Asked['used'],
  automation: Automation,
): void {
  scope.post(`${AT}/wallet/transfer-preapproval`, async (request, reply) => {
    const { isNew, contractId } = await createPreapproval(used(request, reply), automation);
    return reply.code(isNew ? 200 : 409).send({ transfer_preapproval_contract_id: contractId });
  });
  scope.post(
    `${AT}/wallet/transfer-preapproval/send`,
    { schema: { body: SEND_BODY } },
    async (request, reply) => {
      await sendToPreapproved(used(request, reply), request.body as SendBody);
      return reply.code(200).send();
    },
  );
  scope.post(`${AT}/wallet/self-grant-feature-app-right`, async (request, reply) =>
    featureOneself(used(request, reply)),
  );
  scope.delete(`${AT}/wallet/cancel-featured-app-rights`, async (request, reply) => {
    await cancelFeaturing(used(request, reply));
    return reply.code(200).send();
  });
}
