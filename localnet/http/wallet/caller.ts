import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TokenRejected } from '../../auth/verify.ts';
import type { TokenVerifier } from '../../auth/verify.ts';
import type { ParticipantApi } from '../../ledger/participant.ts';
import type { Access } from '../../ledger/rights.ts';
import { Refusal } from '../plain-errors.ts';

/** A validator's caller: the ledger user of a valid token, known to the participant or not. */
export interface TokenBearer {
  readonly userId: string;
}

/** A ledger user with a wallet: the wallet is that of the user's primary party. */
export interface WalletCaller {
  readonly access: Access;
  readonly party: string;
}

export interface CallerOptions {
  readonly participant: ParticipantApi;
  readonly verify: TokenVerifier;
}

const BEARER = 'validatorBearer';
const CALLER = 'validatorCaller';

export const bearerOf = (request: FastifyRequest): TokenBearer =>
  request.getDecorator<TokenBearer>(BEARER);

/** The wallet behind a request, on routes of a scope that {@link requireWallet} guards. */
export const walletOf = (request: FastifyRequest): WalletCaller =>
  request.getDecorator<WalletCaller>(CALLER);

/**
 * Every route of the scope needs a valid token, before a byte of the body is read. Identity providers are the
 * participant's: at a validator their users would pass for users of the same names.
 */
export function requireToken(scope: FastifyInstance, { verify }: CallerOptions): void {
  scope.decorateRequest(BEARER, null);
  scope.addHook('onRequest', async (request) => {
    const { userId, identityProviderId } = await verify(request.headers.authorization);
    if (identityProviderId !== undefined) {
      throw new TokenRejected('issuer', `it is of identity provider ${identityProviderId}`);
    }
    request.setDecorator<TokenBearer>(BEARER, { userId });
  });
}

/** Every route of the scope needs a participant administrator. */
export function requireAdmin(scope: FastifyInstance, options: CallerOptions): void {
  requireToken(scope, options);
  scope.addHook('onRequest', async (request) => {
    options.participant.access(bearerOf(request).userId).requireAdmin();
  });
}

/** Says of a route that it only reads, though it is asked by POST. */
export const READING = { config: { isReading: true } } as const;

const isReading = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || (routeOptions.config as { readonly isReading?: boolean }).isReading === true;

/**
 * Every route of the scope is about the caller's own wallet: reading needs the right to read as its party, else to act.
 */
export function requireWallet(scope: FastifyInstance, options: CallerOptions): void {
  requireToken(scope, options);
  scope.decorateRequest(CALLER, null);
  scope.addHook('onRequest', async (request) => {
    const { participant } = options;
    const { userId } = bearerOf(request);
    const access = participant.access(userId);
    const party = participant.users.get(userId).primaryParty;
    if (party === '') throw new Refusal(404, `No wallet found for user ${userId}`);
    if (isReading(request)) access.requireReadAs([party]);
    else access.requireActAs([party]);
    request.setDecorator<WalletCaller>(CALLER, { access, party });
  });
}
