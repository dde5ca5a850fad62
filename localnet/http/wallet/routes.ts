import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hungUp } from '../listener.ts';
import type { ValidatorOptions } from '../validator.ts';
import { READING, requireWallet, walletOf } from './caller.ts';
import {
  allocationRequestsOf,
  allocationsOf,
  amuletsOf,
  balanceOf,
  paymentRequestsOf,
} from './holdings.ts';
import type { Wallet } from './holdings.ts';
import { HISTORY_BODY, historyOf } from './history.ts';
import type { HistoryBody } from './history.ts';
import { allocate, rejectRequest, tap, withdrawAllocation } from './operations.ts';
import type { WalletUse } from './operations.ts';
import { ALLOCATE_BODY, TAP_BODY } from './requests.ts';
import type { AllocateBody, TapBody } from './requests.ts';

const AT = '/api/validator/v0';

/** The wallet of the caller's primary party, under `/api/validator/v0`. */
export function addWalletRoutes(app: FastifyInstance, options: ValidatorOptions): void {
  const { ledger, participant } = options;
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
  const contractIdOf = (request: FastifyRequest) =>
    (request.params as { readonly contractId: string }).contractId;

  app.get(`${AT}/feature-support`, async () => ({
    token_standard: true,
    transfer_preapproval_description: false,
  }));
  app.register(async (scope) => {
    requireWallet(scope, options);
    scope.get(`${AT}/wallet/balance`, async (request) => balanceOf(viewed(request)));
    scope.get(`${AT}/wallet/amulets`, async (request) => amuletsOf(viewed(request)));
    scope.get(`${AT}/wallet/token-standard/allocation-requests`, async (request) =>
      allocationRequestsOf(viewed(request)),
    );
    scope.get(`${AT}/wallet/app-payment-requests`, async (request) =>
      paymentRequestsOf(viewed(request)),
    );
    scope.get(`${AT}/allocations`, async (request) => allocationsOf(viewed(request)));

    scope.post(
      `${AT}/wallet/transactions`,
      { ...READING, schema: { body: HISTORY_BODY } },
      async (request) => historyOf(viewed(request), request.body as HistoryBody),
    );

    scope.post(`${AT}/wallet/tap`, { schema: { body: TAP_BODY } }, async (request, reply) =>
      tap(used(request, reply), request.body as TapBody),
    );
    scope.post(`${AT}/allocations`, { schema: { body: ALLOCATE_BODY } }, async (request, reply) =>
      allocate(used(request, reply), request.body as AllocateBody),
    );
    scope.post(
      `${AT}/wallet/token-standard/allocation-requests/:contractId/reject`,
      async (request, reply) => rejectRequest(used(request, reply), contractIdOf(request)),
    );
    scope.post(`${AT}/allocations/:contractId/withdraw`, async (request, reply) =>
      withdrawAllocation(used(request, reply), contractIdOf(request)),
    );
  });
}
