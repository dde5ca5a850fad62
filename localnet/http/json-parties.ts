import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Json } from '../ledger/lf-json.ts';
import type { ParticipantApi, PartyDetails } from '../ledger/participant.ts';
import { PartyAdministration } from '../ledger/party-administration.ts';
import { invalidArgument } from '../ledger/submission-checks.ts';
import { accessOf } from './json-call.ts';
import {
  flagOf,
  objectOf,
  optional,
  pageOf,
  queryOf,
  readMask,
  readMeta,
  textOf,
} from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';

/** Parties, as the JSON API has them. */
export function addPartyRoutes(app: FastifyInstance, participant: ParticipantApi): void {
  const parties = new PartyAdministration(participant);

  app.get('/v2/parties', async (request) => {
    const page = {
      ...pageOf(request),
      filterParty: queryOf(request).get('filter-party') ?? '',
      identityProviderId: '',
    };
    const { items, nextPageToken } = parties.list(accessOf(request), page);
    return { partyDetails: items.map(partyJson), nextPageToken };
  });
  app.post('/v2/parties', async (request) => {
    const body = bodyOf(request);
    const details = parties.allocate(accessOf(request), {
      partyIdHint: textOf(body, 'partyIdHint'),
      identityProviderId: textOf(body, 'identityProviderId'),
      synchronizerId: textOf(body, 'synchronizerId'),
      userId: textOf(body, 'userId'),
      ...readMeta(body, 'localMetadata'),
    });
    return { partyDetails: partyJson(details) };
  });
  app.get('/v2/parties/participant-id', async (request) => {
    accessOf(request);
    return { participantId: parties.participantId };
  });
  app.get('/v2/parties/:party', async (request) => {
    // The path names a party and query `parties` may name others. Unknown ones are left out, which is no error: scripts
    // ask `/v2/parties/party?parties=…` to learn whether there is one.
    const query = queryOf(request);
    const asked = [partyOf(request), ...query.getAll('parties')];
    const identityProviderId = query.get('identity-provider-id') ?? '';
    const found = parties.get(accessOf(request), asked, identityProviderId);
    return { partyDetails: found.map(partyJson) };
  });
  app.patch('/v2/parties/:party', async (request) => {
    const body = bodyOf(request);
    const details = optional(body, 'partyDetails', objectOf);
    const party = details === undefined ? '' : textOf(details, 'party');
    if (party !== partyOf(request)) {
      throw invalidArgument(
        `${partyOf(request).slice(0, 255)} does not match party in body ${party.slice(0, 255)}`,
      );
    }
    const update =
      details === undefined
        ? undefined
        : {
            party,
            isLocal: flagOf(details, 'isLocal'),
            identityProviderId: textOf(details, 'identityProviderId'),
            ...readMeta(details, 'localMetadata'),
          };
    const updated = parties.update(accessOf(request), update, readMask(body));
    return { partyDetails: partyJson(updated) };
  });
}

const bodyOf = (request: FastifyRequest): JsonObject =>
  objectOf(request.body as Json | undefined, '.');

const partyOf = (request: FastifyRequest): string =>
  (request.params as { readonly party: string }).party;

const partyJson = (details: PartyDetails) => ({
  party: details.party,
  isLocal: details.isLocal,
  localMetadata: details.metadata,
  identityProviderId: details.identityProviderId,
});
