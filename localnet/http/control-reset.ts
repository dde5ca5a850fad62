import type { FastifyInstance } from 'fastify';
import type { Ledger } from '../ledger/ledger.ts';
import { Refusal } from './plain-errors.ts';

const LEDGER_SCHEMA = {
  title: 'Which ledger this is, and how far its participants are',
  type: 'object',
  properties: {
    networkId: { type: 'string', description: 'another ledger has another one' },
    participants: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          ledgerEnd: { type: 'string', pattern: '^[0-9]+$' },
          prunedUpTo: { type: 'string', pattern: '^[0-9]+$' },
        },
        required: ['ledgerEnd', 'prunedUpTo'],
      },
    },
  },
  required: ['networkId', 'participants'],
} as const;

const RESET_SCHEMA = {
  title: 'Throw this ledger away and begin another',
  type: 'object',
  properties: {
    networkId: { type: 'string', description: 'the one to throw away; another is left alone' },
  },
  required: ['networkId'],
  additionalProperties: false,
} as const;

/** The schemas of these routes in the answer to `GET /control`. */
export const RESET_DEFINITIONS = { ledger: LEDGER_SCHEMA, reset: RESET_SCHEMA } as const;

const answer = { $ref: '#/$defs/ledger' };
const error = { $ref: '#/$defs/error' };

export const RESET_OPERATIONS = [
  { method: 'GET', path: '/control/ledger', answer },
  {
    method: 'POST',
    path: '/control/reset',
    body: { $ref: '#/$defs/reset' },
    answer,
    refusals: { 400: error, 409: error, 503: error },
  },
] as const;

function tellLedger({ networkId, participantNames, participants }: Ledger) {
  const tell = (name: (typeof participantNames)[number]) => {
    const participant = participants[name];
    return {
      ledgerEnd: participant.ledgerEnd().toString(),
      prunedUpTo: participant.prunedUpTo().toString(),
    };
  };
  return {
    networkId,
    participants: Object.fromEntries(participantNames.map((name) => [name, tell(name)])),
  };
}

export interface ResetOptions {
  /** Returns the running ledger. Throws if none is running. */
  readonly ledger: () => Ledger;
  /** Resolves when the new ledger can be used. Rejects with a reason for the caller if nothing was changed. */
  readonly reset: () => Promise<Ledger>;
}

/**
 * A request for a reset names the ledger that is to be replaced. So a caller that did not get the answer can repeat the
 * request; the repeat does not replace the new ledger.
 */
export function addResetRoutes(scope: FastifyInstance, { ledger, reset }: ResetOptions): void {
  scope.get('/control/ledger', async () => tellLedger(ledger()));
  scope.post('/control/reset', { schema: { body: RESET_SCHEMA } }, async (request) => {
    const { networkId } = request.body as { readonly networkId: string };
    const current = ledger().networkId;
    if (networkId !== current) throw new Refusal(409, `The ledger here is ${current}`);
    return tellLedger(await reset());
  });
}
