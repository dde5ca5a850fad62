import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from '../listener.ts';
import type { Log } from '../log.ts';
import { baseSeenBy, UnknownRealm } from './login-routes.ts';
import type { UserClash } from './realm-users.ts';
import { MASTER } from './realms.ts';
import type { RealmUser } from './realms.ts';
import type { OpenRealm } from './signing-keys.ts';
import { createTokenVerifier, LOCALNET_AUDIENCE, TokenRejected } from './verify.ts';
import type { TokenVerifier } from './verify.ts';

export interface UserAdminOptions {
  /** @throws UnknownRealm */
  readonly findRealm: (request: FastifyRequest) => Promise<OpenRealm>;
  readonly openMaster: () => Promise<OpenRealm>;
  /** Returns wall time in milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
}

/**
 * A refusal. Its body has `error` if the call as a whole is refused, or `errorMessage` if its contents are invalid,
 * because clients of the reference application's server read either.
 */
class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
  constructor(status: number, body: Readonly<Record<string, string>>) {
    super(Object.values(body)[0] ?? '');
    this.status = status;
    this.body = body;
  }
}

const CLASHES: Readonly<Record<UserClash, string>> = {
  username: 'User exists with same username',
  email: 'User exists with same email',
};

const USERS = '/admin/realms/:realm/users';
const LIST_MAX = 100;

/**
 * Adds the routes that administer a realm's users, with a token of the administrators' realm:
 *
 * - `POST /admin/realms/{realm}/users`: 201 with `Location`
 * - `GET /admin/realms/{realm}/users?username=&email=&search=&exact=&first=&max=`, `/users/count`, `/users/{id}`
 * - `DELETE /admin/realms/{realm}/users/{id}`: 204
 */
export function addUserAdminRoutes(app: FastifyInstance, options: UserAdminOptions): void {
  const { findRealm, nowMs } = options;
  void app.register(async (admin) => {
    admin.setErrorHandler(async (error, request, reply) =>
      answerError(error, request, reply, options.log),
    );
    admin.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      admin.getDefaultJsonParser('error', 'error'),
    );
    admin.addHook('onRequest', adminsOnly(options));

    admin.post(USERS, async (request, reply) => {
      const open = await findRealm(request);
      const user = userFrom(request.body, nowMs());
      const clash = open.users.add(user);
      if (clash !== undefined) throw new AdminRefusal(409, { errorMessage: CLASHES[clash] });
      const base = baseSeenBy(request) ?? '';
      return reply
        .code(201)
        .header('location', `${base}/admin/realms/${open.realm.name}/users/${user.id}`)
        .send();
    });
    admin.get(USERS, async (request) => {
      const { first = '0', max = `${LIST_MAX}` } = request.query as Query;
      const [from, count] = [Number(first), Number(max)];
      return matching(await findRealm(request), request.query as Query)
        .slice(from, from + count)
        .map(representation);
    });
    admin.get(`${USERS}/count`, async (request) =>
      String(matching(await findRealm(request), request.query as Query).length),
    );
    admin.get(`${USERS}/:id`, async (request) => {
      const user = (await findRealm(request)).users.get(idOf(request));
      if (user === undefined) throw new AdminRefusal(404, { error: 'User not found' });
      return representation(user);
    });
    admin.delete(`${USERS}/:id`, async (request, reply) => {
      const { users } = await findRealm(request);
      if (!users.remove(idOf(request))) throw new AdminRefusal(404, { error: 'User not found' });
      return reply.code(204).send();
    });
  });
}

const idOf = (request: FastifyRequest): string => (request.params as { readonly id: string }).id;

const ADMIN_IDS = MASTER.users.map(({ id }) => id);

/** Accepts only tokens of the administrators' realm. */
function adminsOnly({ openMaster, nowMs }: UserAdminOptions) {
  let verifier: Promise<TokenVerifier> | undefined;
  const made = async () =>
    createTokenVerifier({ issuers: [await openMaster()], audiences: [LOCALNET_AUDIENCE], nowMs });
  return async (request: FastifyRequest): Promise<void> => {
    const { userId } = await (await (verifier ??= made()))(request.headers.authorization);
    if (!ADMIN_IDS.includes(userId)) throw new AdminRefusal(403, { error: 'HTTP 403 Forbidden' });
  };
}

type Query = Readonly<Record<string, string | undefined>>;

function matching({ users }: OpenRealm, { username, email, search, exact }: Query): RealmUser[] {
  const fits = (value: string | undefined, wanted: string | undefined) =>
    wanted === undefined ||
    (exact === 'true'
      ? value === wanted.toLowerCase()
      : (value ?? '').includes(wanted.toLowerCase()));
  return [...users]
    .filter((user) => fits(user.username, username) && fits(user.email, email))
    .filter((user) =>
      [user.username, user.email, user.firstName, user.lastName].some((value) =>
        fits(value?.toLowerCase(), search),
      ),
    )
    .toSorted((a, b) => (a.username < b.username ? -1 : 1));
}

/** Returns a user as clients see it, without the password. */
const representation = (user: RealmUser) => ({
  id: user.id,
  username: user.username,
  firstName: user.firstName,
  lastName: user.lastName,
  ...(user.email === undefined ? {} : { email: user.email }),
  emailVerified: false,
  ...(user.attributes === undefined ? {} : { attributes: user.attributes }),
  createdTimestamp: user.createdAtMs ?? 0,
  enabled: true,
  totp: false,
  disableableCredentialTypes: [],
  requiredActions: [],
  notBefore: 0,
});

const TEXT_MAX = 255;

const refused = (errorMessage: string) => new AdminRefusal(400, { errorMessage });

function text(from: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = from[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > TEXT_MAX) {
    throw refused(`${name} must be a text of at most ${TEXT_MAX} characters`);
  }
  return value;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a user from a body. Options that logins here do not support, such as a one-time password, are refused, not
 * ignored.
 */
function userFrom(body: unknown, nowMs: number): RealmUser {
  if (!isRecord(body)) throw refused('The body must be a user');
  const username = text(body, 'username')?.trim().toLowerCase() ?? '';
  if (username === '') throw refused('User name is missing');
  if (body['enabled'] === false) throw refused('A user that is not enabled cannot be added here');
  const email = text(body, 'email')?.toLowerCase();
  return {
    username,
    id: randomUUID(),
    publicDemoPassword: passwordFrom(body['credentials']),
    ...(email === undefined || email === '' ? {} : { email }),
    firstName: text(body, 'firstName') ?? '',
    lastName: text(body, 'lastName') ?? '',
    attributes: attributesFrom(body['attributes'] ?? {}),
    createdAtMs: nowMs,
  };
}

/**
 * Returns the password. A user without one gets a random password and so cannot sign in, as with the reference
 * application's server.
 */
function passwordFrom(credentials: unknown): string {
  const [credential, ...more] = Array.isArray(credentials) ? (credentials as unknown[]) : [];
  if (credential === undefined) return randomUUID();
  if (!isRecord(credential) || credential['type'] !== 'password' || more.length > 0) {
    throw refused('credentials must be one password');
  }
  if (credential['temporary'] === true) throw refused('A password must not be temporary here');
  const password = text(credential, 'value') ?? '';
  if (password === '') throw refused('The password is missing');
  return password;
}

function attributesFrom(attributes: unknown): Readonly<Record<string, readonly string[]>> {
  const isTexts = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (!isRecord(attributes) || !Object.values(attributes).every(isTexts)) {
    throw refused('attributes must be lists of texts');
  }
  return attributes as Readonly<Record<string, readonly string[]>>;
}

function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  if (error instanceof UnknownRealm) return reply.code(404).send({ error: 'Realm not found.' });
  if (error instanceof AdminRefusal) return reply.code(error.status).send(error.body);
  if (error instanceof TokenRejected) {
    return reply.code(401).send({ error: 'HTTP 401 Unauthorized' });
  }
  const { statusCode, message } = error as { statusCode?: number; message: string };
  if (statusCode !== undefined && statusCode < 500) {
    return reply.code(statusCode).send({ error: message });
  }
  log({ surface: 'auth', path: pathOf(request), level: 'error', reason: 'bug', error });
  return reply.code(500).send({ error: 'unknown_error' });
}
