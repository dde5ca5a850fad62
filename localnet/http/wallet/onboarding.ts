import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { isUserId } from '../../ledger/lf-values.ts';
import type { ParticipantApi } from '../../ledger/participant.ts';
import { Refusal } from '../plain-errors.ts';
import { bearerOf, requireAdmin, requireToken } from './caller.ts';
import type { CallerOptions } from './caller.ts';
import { ONBOARD_BODY } from './requests.ts';
import type { OnboardBody } from './requests.ts';

const USERS_PAGE_SIZE = 1_000;

/** Routes that give people wallets: onboarding by an administrator, and by whoever has a valid token for oneself. */
export function addOnboardingRoutes(app: FastifyInstance, options: CallerOptions): void {
  const { participant } = options;
  app.register(async (scope) => {
    requireToken(scope, options);
    scope.get('/api/validator/v0/wallet/user-status', async (request) =>
      statusOf(participant, bearerOf(request).userId),
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
    scope.get('/api/validator/v0/admin/users', async () => ({
      usernames: [...usersWithWallets(participant)],
    }));
  });
}

/** A wallet is there as soon as the user has a primary party: LocalNet needs no contracts for it. */
function statusOf(participant: ParticipantApi, userId: string) {
  const party = participant.users.has(userId) ? participant.users.get(userId).primaryParty : '';
  return {
    party_id: party,
    user_onboarded: party !== '',
    user_wallet_installed: party !== '',
    has_featured_app_right: false,
  };
}

function* usersWithWallets({ users }: ParticipantApi): Generator<string> {
  let pageToken = '';
  do {
    const page = users.list(USERS_PAGE_SIZE, pageToken);
    for (const { id, primaryParty } of page.items) if (primaryParty !== '') yield id;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

/**
 * Makes the user, if need be, and its primary party, and lets it act as that party. Doing it again changes nothing.
 * Gives the party.
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

/** User names may hold characters that party names may not. */
function allocateFor({ parties }: ParticipantApi, name: string): string {
  const readable = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, HINT_CHARS_MAX);
  return parties.allocate(`${readable}-${randomUUID().slice(0, 8)}`).party;
}
