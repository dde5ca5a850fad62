import type { FastifyInstance } from 'fastify';
import { Refusal } from '../plain-errors.ts';
import { READING } from './caller.ts';

/*
 * Contracts that do not exist on LocalNet's network: subscriptions, coupons for validators and super validators, and
 * purchases of traffic. Lists of them are empty, and a request for one by its contract ID gets 404.
 */

const LISTS = [
  ['accepted-app-payments', 'accepted_app_payments'],
  ['subscription-requests', 'subscription_requests'],
  ['subscription-initial-payments', 'initial_payments'],
  ['subscriptions', 'subscriptions'],
  ['validator-faucet-coupons', 'validator_faucet_coupons'],
  ['validator-liveness-activity-records', 'validator_liveness_activity_records'],
  ['sv-reward-coupons', 'sv_reward_coupons'],
] as const;

const ACTIONS = [
  ['GET', 'subscription-requests/:contractId', 'SubscriptionRequest'],
  ['POST', 'subscription-requests/:contractId/accept', 'SubscriptionRequest'],
  ['POST', 'subscription-requests/:contractId/reject', 'SubscriptionRequest'],
  // This route, unlike the others, has the method DELETE: it ends a subscription.
  ['DELETE', 'subscription-requests/:contractId', 'SubscriptionIdleState'],
] as const;

export function addAbsentRoutes(scope: FastifyInstance, at: string): void {
  for (const [path, field] of LISTS) {
    scope.get(`${at}/wallet/${path}`, async () => ({ [field]: [] }));
  }
  for (const [method, path, template] of ACTIONS) {
    scope.route({
      method,
      url: `${at}/wallet/${path}`,
      handler: async (request) => {
        const { contractId } = request.params as { readonly contractId: string };
        throw new Refusal(404, `${template} '${contractId}' not found.`);
      },
    });
  }
  scope.post(`${at}/wallet/buy-traffic-requests`, async () => {
    throw new Refusal(501, 'Traffic is not sold on LocalNet: its control port gives it');
  });
  scope.post(`${at}/wallet/buy-traffic-requests/:trackingId/status`, READING, async (request) => {
    const { trackingId } = request.params as { readonly trackingId: string };
    throw new Refusal(404, `Couldn't find buy traffic request with tracking id ${trackingId}`);
  });
}
