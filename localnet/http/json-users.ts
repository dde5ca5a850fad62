import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Json } from '../ledger/lf-json.ts';
import { isUserId } from '../ledger/lf-values.ts';
import type { ParticipantApi, User } from '../ledger/participant.ts';
import type { Right } from '../ledger/rights.ts';
import { unknownRight } from '../ledger/rights.ts';
import { invalidArgument } from '../ledger/submission-checks.ts';
import { UserAdministration } from '../ledger/user-administration.ts';
import type { RawUser } from '../ledger/user-administration.ts';
import { accessOf } from './json-call.ts';
import {
  Unreadable,
  flagOf,
  listOf,
  objectOf,
  optional,
  pageOf,
  queryOf,
  readMask,
  readMeta,
  textOf,
} from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';

/** Users and their rights, as the JSON API has them: `POST` grants rights, `PATCH` revokes them. */
export function addUserRoutes(app: FastifyInstance, participant: ParticipantApi): void {
  const users = new UserAdministration(participant.users, participant.identityProviders);

  app.get('/v2/users', async (request) => {
    const page = { ...pageOf(request), identityProviderId: '' };
    const { items, nextPageToken } = users.list(accessOf(request), page);
    return { users: items.map(userJson), nextPageToken };
  });
  app.post('/v2/users', async (request) => {
    const body = bodyOf(request);
    const user = readUser(body);
    const rights = readRights(body);
    return { user: userJson(users.create(accessOf(request), user, rights)) };
  });
  app.get('/v2/users/:userId', async (request) => ({
    user: userJson(users.get(accessOf(request), referenceOf(request))),
  }));
  app.patch('/v2/users/:userId', async (request) => {
    const body = bodyOf(request);
    const user = readUser(body);
    requireSameUser(request, user?.id);
    return { user: userJson(users.update(accessOf(request), user, readMask(body))) };
  });
  app.delete('/v2/users/:userId', async (request) => {
    users.delete(accessOf(request), referenceOf(request));
    return {};
  });
  app.get('/v2/authenticated-user', async (request) => {
    const own = { userId: '', identityProviderId: identityProviderOf(request) };
    return { user: userJson(users.get(accessOf(request), own)) };
  });
  addRightRoutes(app, users);
}

function addRightRoutes(app: FastifyInstance, users: UserAdministration): void {
  app.get('/v2/users/:userId/rights', async (request) => ({
    rights: users.rightsOf(accessOf(request), referenceOf(request)).map(rightJson),
  }));
  app.post('/v2/users/:userId/rights', async (request) => {
    const { reference, rights } = readRightsChange(request);
    const granted = users.grant(accessOf(request), reference, rights);
    return { newlyGrantedRights: granted.map(rightJson) };
  });
  app.patch('/v2/users/:userId/rights', async (request) => {
    const { reference, rights } = readRightsChange(request);
    const revoked = users.revoke(accessOf(request), reference, rights);
    return { newlyRevokedRights: revoked.map(rightJson) };
  });
}

const bodyOf = (request: FastifyRequest): JsonObject =>
  objectOf(request.body as Json | undefined, '.');

const userIdOf = (request: FastifyRequest): string =>
  (request.params as { readonly userId: string }).userId;

const identityProviderOf = (request: FastifyRequest): string =>
  queryOf(request).get('identity-provider-id') ?? '';

/** The user that a path names. */
function referenceOf(request: FastifyRequest) {
  const userId = userIdOf(request);
  if (!isUserId(userId)) {
    throw invalidArgument(
      `Malformed user-id: User ID "${userId.slice(0, 150)}" does not match regex`,
    );
  }
  return { userId, identityProviderId: identityProviderOf(request) };
}

/** Where the path names a user and the body does too, they must name the same one. */
function requireSameUser(request: FastifyRequest, inBody: string | undefined): void {
  const inPath = userIdOf(request);
  if (inPath === inBody) return;
  const named = inBody === undefined ? 'None' : `Some(${inBody.slice(0, 150)})`;
  throw invalidArgument(`${inPath.slice(0, 150)} does not match user in body: ${named}`);
}

function readUser(body: JsonObject): RawUser | undefined {
  const user = optional(body, 'user', objectOf);
  if (user === undefined) return undefined;
  return {
    id: textOf(user, 'id'),
    primaryParty: textOf(user, 'primaryParty'),
    isDeactivated: flagOf(user, 'isDeactivated'),
    primaryPartyAuthentication: flagOf(user, 'primaryPartyAuthentication'),
    identityProviderId: textOf(user, 'identityProviderId'),
    ...readMeta(user, 'metadata'),
  };
}

function readRightsChange(request: FastifyRequest) {
  const body = bodyOf(request);
  const rights = readRights(body);
  const reference = {
    userId: textOf(body, 'userId'),
    identityProviderId: textOf(body, 'identityProviderId'),
  };
  requireSameUser(request, reference.userId);
  return { reference, rights };
}

const readRights = (body: JsonObject): readonly Right[] =>
  (optional(body, 'rights', listOf) ?? []).map((right, index) =>
    readRight(objectOf(right, `rights[${index}]`)),
  );

/** `{kind: {CanActAs: {value: {party}}}}`. */
function readRight(right: JsonObject): Right {
  const kind: JsonObject = optional(right, 'kind', objectOf) ?? { Empty: {} };
  const [name, ...others] = Object.keys(kind);
  if (name === undefined || others.length > 0) throw new Unreadable(`Expected one kind at 'kind'`);
  const party = () => {
    const value = optional(objectOf(kind[name], name), 'value', objectOf) ?? {};
    return textOf(value, 'party');
  };
  switch (name) {
    case 'CanActAs':
      return { kind: 'canActAs', party: party() };
    case 'CanReadAs':
      return { kind: 'canReadAs', party: party() };
    case 'CanExecuteAs':
      return { kind: 'canExecuteAs', party: party() };
    case 'ParticipantAdmin':
      return { kind: 'participantAdmin' };
    case 'IdentityProviderAdmin':
      return { kind: 'identityProviderAdmin' };
    case 'CanReadAsAnyParty':
      return { kind: 'canReadAsAnyParty' };
    case 'CanExecuteAsAnyParty':
      return { kind: 'canExecuteAsAnyParty' };
    case 'Empty':
      throw unknownRight();
    default:
      throw new Unreadable(`Unknown kind at 'kind'`);
  }
}

const userJson = (user: User) => ({
  id: user.id,
  primaryParty: user.primaryParty,
  isDeactivated: user.isDeactivated,
  metadata: user.metadata,
  identityProviderId: user.identityProviderId,
  primaryPartyAuthentication: user.primaryPartyAuthentication ?? false,
});

/** A right without a party has an empty value. */
const rightJson = (right: Right) => ({
  kind: {
    [`${right.kind.charAt(0).toUpperCase()}${right.kind.slice(1)}`]: {
      value: 'party' in right ? { party: right.party } : {},
    },
  },
});
