import type { FastifyRequest } from 'fastify';
import { fail } from '../../../domain/problems.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf } from '../../kit/request-context.ts';
import { registerCustomers } from './customers.ts';
import { registerPlans } from './plans.ts';
import { registerSuspension } from './suspension.ts';

async function requireProvider(request: FastifyRequest): Promise<void> {
  if (callerOf(request).roles.has('provider')) return;
  fail('FORBIDDEN', 'customers and plans are the provider’s alone');
}

/** Registers the routes for data that sellers of licences need and that is kept outside the ledger. */
export async function registerProduct(app: HttpApp, deps: HttpDeps): Promise<void> {
  await app.register(async (own: HttpApp) => {
    own.addHook('onRequest', requireProvider);
    await registerCustomers(own, deps);
    await registerPlans(own, deps);
  });
  registerSuspension(app, deps);
}
