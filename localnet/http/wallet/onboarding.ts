import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { isUserId } from '../../ledger/lf-values.ts';
import type { ParticipantApi } from '../../ledger/participant.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { featuredAppRightOf } from '../dso-contracts.ts';
import { Refusal } from '../plain-errors.ts';
import { bearerOf, requireAdmin, requireToken } from './caller.ts';
import type { CallerOptions } from './caller.ts';
import { operatorOf, usersOf } from './operator.ts';
import { ONBOARD_BODY } from './requests.ts';
import type { OnboardBody } from './requests.ts';

interface OnboardingOptions extends CallerOptions {
  readonly ledger: Ledger;
}

const OFFBOARD_QUERY = {
  type: 'object',
  required: ['username'],
  properties: { username: { type: 'string', minLength: 1, maxLength: 128 } },
} as const;

/**
 * Adds routes that create wallets. An administrator creates wallets for other users; any caller with a valid token
 * creates its own.
 */
export function addOnboardingRoutes(app: FastifyInstance, options: OnboardingOptions): void {
  const { participant } = options;
  app.register(async (scope) => {
    requireToken(scope, options);
    scope.get('/api/validator/v0/wallet/user-status', async (request) =>
      statusOf(options, bearerOf(request).userId),
    );
    scope.post('/api/validator/v0/register', async (request) => ({
      party_id: onboard(participant, { name: bearerOf(request).userId }),
    }));
  });
  app.register(async (scope) => {
    requireAdmin(scope, options);
    scope.post(
      '/api/validator/v0/admin/users',
      { schema: { body: ONBOARD_BODY } },
      async (request) => ({
        party_id: onboard(participant, request.body as OnboardBody),
      }),
    );
    scope.post(
      '/api/validator/v0/admin/users/offboard',
      { schema: { querystring: OFFBOARD_QUERY } },
      async (request, reply) => {
        offboard(options, (request.query as { readonly username: string }).username);
        return reply.code(200).send();
      },
    );
    scope.get('/api/validator/v0/admin/users', async () => ({
      usernames: usersWithWallets(participant),
    }));
  });
}

/**
 * Returns a user's status: party, wallet, and right of a featured app. A wallet exists as soon as the user has a
 * primary party, because LocalNet needs no contracts for a wallet.
 */
function statusOf({ ledger, participant }: OnboardingOptions, userId: string) {
  const party = participant.users.has(userId) ? participant.users.get(userId).primaryParty : '';
  return {
    party_id: party,
    user_onboarded: party !== '',
    user_wallet_installed: party !== '',
    has_featured_app_right: party !== '' && featuredAppRightOf(ledger, party) !== undefined,
  };
}

const usersWithWallets = (participant: ParticipantApi): readonly string[] =>
  Array.from(usersOf(participant))
    .filter(({ primaryParty }) => primaryParty !== '')
    .map(({ id }) => id);

/** Removes a user's wallet. The user, its rights and its party's contracts remain. */
function offboard({ ledger, participant }: OnboardingOptions, name: string): void {
  const { users } = participant;
  if (name === operatorOf(ledger, participant).userId) {
    throw new Refusal(400, `Tried to offboard the validator's user: ${name}`);
  }
  if (users.has(name)) users.update(name, { primaryParty: '' });
}

/**
 * Creates the user, if necessary, and its primary party, and lets the user act as the party. May be repeated. Returns
 * the party.
 */
function onboard(participant: ParticipantApi, { name, party_id }: OnboardBody): string {
  const { users } = participant;
  if (!isUserId(name)) throw new Refusal(400, 'name is not a user id');
  const known = users.has(name) ? users.get(name).primaryParty : '';
  const wanted = party_id ?? undefined;
  if (known !== '') {
    if (wanted === undefined || wanted === known) return known;
    throw new Refusal(409, `User ${name} is already onboarded as ${known}`);
  }
  const party = wanted === undefined ? allocateFor(participant, name) : hosted(participant, wanted);
  const right = { kind: 'canActAs', party } as const;
  if (users.has(name)) {
    users.update(name, { primaryParty: party });
    users.grant(name, [right]);
  } else {
    users.create({ id: name, primaryParty: party }, [right]);
  }
  return party;
}

function hosted({ parties }: ParticipantApi, party: string): string {
  const [details] = parties.get([party]);
  if (details?.isLocal !== true) throw new Refusal(404, `Party ${party} is not hosted here`);
  return party;
}

const HINT_CHARS_MAX = 60;

/** Allocates a party for a user. Characters of the user's name that party names may not contain are replaced. */
function allocateFor({ parties }: ParticipantApi, name: string): string {
  const readable = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, HINT_CHARS_MAX);
  return parties.allocate(`${readable}-${randomUUID().slice(0, 8)}`).party;
}
