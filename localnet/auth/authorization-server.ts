import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { meetOnArrival } from '../arrival.ts';
import type { Arriving } from '../arrival.ts';
import { allowAnyOrigin, answerUnknownPaths, LISTENER_LIMITS, pathOf } from '../listener.ts';
import type { Log } from '../log.ts';
import { addLoginRoutes, baseSeenBy, UnknownRealm } from './login-routes.ts';
import { MASTER } from './realms.ts';
import type { OpenRealm } from './signing-keys.ts';
import { answerTokenRequest, OAuthError, SERVED_GRANTS } from './token-endpoint.ts';
import { addUserAdminRoutes } from './user-admin.ts';
import { createUserInfo } from './user-info.ts';

export interface AuthorizationServerOptions {
  readonly realms: readonly OpenRealm[];
  /** Opens the master realm, whose tokens administer the other realms. Called only when that realm is needed. */
  readonly openMaster: () => Promise<OpenRealm>;
  /**
   * Returns the party of a user, unless an administrator has set another one. Called for every token, because the party
   * may be allocated later.
   */
  readonly partyIdOf: (userId: string) => string | undefined;
  /** Returns wall time in milliseconds. @default Date.now */
  readonly nowMs?: () => number;
  readonly log: Log;
  readonly arrival?: () => Arriving;
}

/** The maximum size of a token request, which consists of a few short fields. */
const FORM_BYTES_MAX = 16 * 1024;

/**
 * Creates the authorization server of all realms, which does not listen yet. Its paths below `/realms/{realm}`:
 *
 * - `GET  /.well-known/openid-configuration`
 * - `GET  /protocol/openid-connect/certs`
 * - `POST /protocol/openid-connect/token`
 * - `GET  /protocol/openid-connect/userinfo`, or `POST`
 * - the endpoints and the page of a login: see {@link addLoginRoutes}
 *
 * Below `/admin/realms/{realm}` it manages the users of a realm: see {@link addUserAdminRoutes}.
 *
 * The paths are those of the reference application's server, so that clients that are configured for it work unchanged.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): FastifyInstance {
  const realms = new Map(options.realms.map((open) => [open.realm.name as string, open]));
  const { partyIdOf, openMaster, log, nowMs = Date.now } = options;
  const app = Fastify({ ...LISTENER_LIMITS, bodyLimit: FORM_BYTES_MAX });
  meetOnArrival(app, options.arrival);
  allowAnyOrigin(app);
  answerUnknownPaths(app);
  app.setErrorHandler(async (error, request, reply) => answerError(error, request, reply, log));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
  );

  const findRealm = async (request: FastifyRequest): Promise<OpenRealm> => {
    const { realm } = request.params as { realm: string };
    const open = realm === MASTER.name ? await openMaster() : realms.get(realm);
    if (open === undefined) throw new UnknownRealm();
    return open;
  };

  app.get('/realms/:realm/.well-known/openid-configuration', async (request) =>
    discoveryDocument(await findRealm(request), baseSeenBy(request)),
  );
  app.get(
    '/realms/:realm/protocol/openid-connect/certs',
    async (request) => (await findRealm(request)).jwks,
  );
  const redeem = addLoginRoutes(app, { findRealm, partyIdOf, log });
  app.post('/realms/:realm/protocol/openid-connect/token', async (request, reply) => {
    const open = await findRealm(request);
    if (!(request.body instanceof URLSearchParams)) {
      throw new OAuthError('invalid_request', 'The body must be form-encoded');
    }
    const { status, body } = await answerTokenRequest(
      open,
      { form: request.body, authorizationHeader: request.headers.authorization },
      { partyIdOf, nowMs, redeem: (realm, form) => redeem(request, realm, form) },
    );
    return reply.code(status).headers(NEVER_STORED).send(body);
  });
  const userInfo = createUserInfo(nowMs);
  app.route({
    method: ['GET', 'POST'],
    url: '/realms/:realm/protocol/openid-connect/userinfo',
    handler: async (request, reply) => {
      const { status, headers, body } = await userInfo(await findRealm(request), request.headers);
      return reply
        .code(status)
        .headers({ ...NEVER_STORED, ...headers })
        .send(body);
    },
  });
  addUserAdminRoutes(app, { findRealm, openMaster, nowMs, log });
  return app;
}

/** RFC 6749, section 5.1: answers of the token endpoint must not be cached. */
const NEVER_STORED = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/**
 * Returns the discovery document. `issuer` is always the configured one, because tokens contain it. The endpoints have
 * the address that the caller used, because programs may reach the server by other names and ports than browsers.
 */
function discoveryDocument(open: OpenRealm, base: string | undefined) {
  const endpoints = `${base === undefined ? open.issuer : `${base}/realms/${open.realm.name}`}/protocol/openid-connect`;
  return {
    issuer: open.issuer,
    authorization_endpoint: `${endpoints}/auth`,
    token_endpoint: `${endpoints}/token`,
    userinfo_endpoint: `${endpoints}/userinfo`,
    end_session_endpoint: `${endpoints}/logout`,
    jwks_uri: `${endpoints}/certs`,
    grant_types_supported: SERVED_GRANTS,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes_supported: open.scopes,
    prompt_values_supported: ['none', 'login', 'consent'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_supported: CLAIMS,
  };
}

const CLAIMS = 'iss sub aud exp iat azp nonce sid preferred_username name roles party_id'.split(
  ' ',
);

function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  void reply.headers(NEVER_STORED);
  if (error instanceof UnknownRealm) return reply.code(404).send({ error: 'Realm does not exist' });
  if (error instanceof OAuthError) {
    if (error.status === 401) void reply.header('www-authenticate', 'Basic realm="LocalNet"');
    return reply.code(error.status).send({ error: error.code, error_description: error.message });
  }
  const { statusCode, message } = error as { statusCode?: number; message: string };
  if (statusCode !== undefined && statusCode < 500) {
    // The content type is wrong or the body cannot be read. Only a body that is too large has a status of its own.
    const status = statusCode === 413 ? 413 : 400;
    return reply.code(status).send({ error: 'invalid_request', error_description: message });
  }
  log({ surface: 'auth', path: pathOf(request), level: 'error', reason: 'bug', error });
  return reply.code(500).send({ error: 'server_error', error_description: 'Internal error' });
}
