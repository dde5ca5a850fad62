import type { FastifyInstance } from 'fastify';
import { Refusal } from './plain-errors.ts';
import { requireWallet } from './wallet/caller.ts';
import type { CallerOptions } from './wallet/caller.ts';

const CREATE_BODY = {
  type: 'object',
  required: ['name', 'url', 'description'],
  properties: {
    name: { type: 'string' },
    url: { type: 'string', maxLength: 255 },
    description: { type: 'string', maxLength: 140 },
  },
} as const;

/**
 * Adds the routes of the network's name service. LocalNet's ledger does not contain the name service's rules contract,
 * so there are no names, and none can be requested.
 */
export function addNameRoutes(app: FastifyInstance, options: CallerOptions): void {
  app.register(async (scope) => {
    requireWallet(scope, options);
    scope.get('/api/validator/v0/entry/all', async () => ({ entries: [] }));
    scope.post('/api/validator/v0/entry/create', { schema: { body: CREATE_BODY } }, async () => {
      throw new Refusal(404, 'found no ansrules instance');
    });
  });
}
