import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TokenRejected } from '../../auth/verify.ts';
import type { TokenVerifier } from '../../auth/verify.ts';
import type { ParticipantApi } from '../../ledger/participant.ts';
import type { Access } from '../../ledger/rights.ts';
import { Refusal } from '../plain-errors.ts';

/** A caller of a validator: the ledger user that a valid token names. The participant may not know this user. */
export interface TokenBearer {
  readonly userId: string;
}

/** A ledger user with a wallet, which is that of the user's primary party. */
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

/** Returns the wallet to which a request belongs, on routes of a scope that {@link requireWallet} guards. */
export const walletOf = (request: FastifyRequest): WalletCaller =>
  request.getDecorator<WalletCaller>(CALLER);

/**
 * Requires a valid token on every route of the scope, before the body is read. Tokens of the participant's additional
 * identity providers are refused, because a validator would confuse their users with other users of the same names.
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

/** Requires a participant administrator on every route of the scope. */
export function requireAdmin(scope: FastifyInstance, options: CallerOptions): void {
  requireToken(scope, options);
  scope.addHook('onRequest', async (request) => {
    options.participant.access(bearerOf(request).userId).requireAdmin();
  });
}

/** Marks a POST route that changes nothing. */
export const READING = { config: { isReading: true } } as const;

const isReading = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || (routeOptions.config as { readonly isReading?: boolean }).isReading === true;

/**
 * Requires rights for the caller's own wallet on every route of the scope: the right to read as its party on routes
 * that only read, and the right to act as its party on all others.
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
