import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowAnyOrigin, answerUnknownPaths, LISTENER_LIMITS, pathOf } from '../http/listener.ts';
import type { Log } from '../http/listener.ts';
import type { OpenRealm } from './signing-keys.ts';
import { issueToken, OAuthError, SERVED_GRANTS, SERVED_SCOPES } from './token-endpoint.ts';

export interface AuthorizationServerOptions {
  readonly realms: readonly OpenRealm[];
  /** The party that a user signs for; asked whenever a token is made, so it may be allocated later. */
  readonly partyIdOf: (userId: string) => string | undefined;
  /** Wall time in milliseconds. @default Date.now */
  readonly nowMs?: () => number;
  readonly log: Log;
}

/** A token request is a few short fields. */
const FORM_BYTES_MAX = 16 * 1024;

/**
 * The authorization server of all realms, not yet listening:
 *
 * - `GET  /realms/{realm}/.well-known/openid-configuration`
 * - `GET  /realms/{realm}/protocol/openid-connect/certs`
 * - `POST /realms/{realm}/protocol/openid-connect/token`
 *
 * The paths are those of the reference's server, so that clients configured for it work unchanged.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): FastifyInstance {
  const realms = new Map(options.realms.map((open) => [open.realm.name as string, open]));
  const nowMs = options.nowMs ?? Date.now;
  const app = Fastify({ ...LISTENER_LIMITS, bodyLimit: FORM_BYTES_MAX });
  allowAnyOrigin(app);
  answerUnknownPaths(app);
  app.setErrorHandler(async (error, request, reply) =>
    answerError(error, request, reply, options.log),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
  );

  const findRealm = (request: FastifyRequest): OpenRealm => {
    const { realm } = request.params as { realm: string };
    const open = realms.get(realm);
    if (open === undefined) throw new UnknownRealm();
    return open;
  };

  app.get('/realms/:realm/.well-known/openid-configuration', async (request) =>
    discoveryDocument(findRealm(request), baseSeenBy(request)),
  );
  app.get(
    '/realms/:realm/protocol/openid-connect/certs',
    async (request) => findRealm(request).jwks,
  );
  app.post('/realms/:realm/protocol/openid-connect/token', async (request, reply) => {
    const open = findRealm(request);
    if (!(request.body instanceof URLSearchParams)) {
      throw new OAuthError('invalid_request', 'The body must be form-encoded');
    }
    const answer = await issueToken(
      open,
      { form: request.body, authorizationHeader: request.headers.authorization },
      { partyIdOf: options.partyIdOf, nowMs },
    );
    return reply.headers(NEVER_STORED).send(answer);
  });
  return app;
}

class UnknownRealm extends Error {
  override readonly name = 'UnknownRealm';
}

/** RFC 6749, section 5.1: nothing on the way may keep an answer of the token endpoint. */
const NEVER_STORED = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/**
 * `issuer` is the configured one, always, because tokens carry it. The endpoints are given at the address that the
 * caller used: programs reach the server by other names and ports than browsers do.
 */
function discoveryDocument(open: OpenRealm, base: string | undefined) {
  const endpoints = `${base === undefined ? open.issuer : `${base}/realms/${open.realm.name}`}/protocol/openid-connect`;
  return {
    issuer: open.issuer,
    token_endpoint: `${endpoints}/token`,
    jwks_uri: `${endpoints}/certs`,
    grant_types_supported: SERVED_GRANTS,
    // No interactive login is served, hence no authorization endpoint and no response type.
    response_types_supported: [],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes_supported: SERVED_SCOPES,
    claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'azp', 'preferred_username', 'name'],
  };
}

/** A `Host` that is no host is not repeated to anybody. */
function baseSeenBy(request: FastifyRequest): string | undefined {
  const host = request.headers.host;
  return host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host)
    ? `http://${host}`
    : undefined;
}

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
    // Wrong content type or unreadable body; only "too large" has a status of its own.
    const status = statusCode === 413 ? 413 : 400;
    return reply.code(status).send({ error: 'invalid_request', error_description: message });
  }
  log({ surface: 'auth', path: pathOf(request), level: 'error', reason: 'bug', error });
  return reply.code(500).send({ error: 'server_error', error_description: 'Internal error' });
}
