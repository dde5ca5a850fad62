import { ACCESS_TOKEN_LIFE_S, partyOf, signAccessToken } from './access-token.ts';
import type { TokenSubject } from './access-token.ts';
import { sameText } from './realm-users.ts';
import type { GrantType, RealmClient } from './realms.ts';
import { grantedScopes, splitScopes } from './scopes.ts';
import type { OpenRealm } from './signing-keys.ts';

/** The error codes of RFC 6749, section 5.2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope';

/** A refusal of the token endpoint; `message` is its `error_description`. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }
  get status(): 400 | 401 {
    return this.code === 'invalid_client' ? 401 : 400;
  }
}

/** An answer of the token endpoint, possibly a refusal (RFC 6749, sections 5.1 and 5.2). */
export interface TokenAnswer {
  readonly status: number;
  readonly body: object;
}

export interface TokenRequest {
  readonly form: URLSearchParams;
  readonly authorizationHeader: string | undefined;
}

export interface TokenIssuing {
  /** Returns the party of a ledger user, for clients whose tokens contain it. */
  readonly partyIdOf: (userId: string) => string | undefined;
  /** Returns wall time in milliseconds. */
  readonly nowMs: () => number;
  /**
   * Answers the grants that continue a login: with a code, or with a refresh token. The client has been authenticated,
   * and the form names it.
   */
  readonly redeem: (open: OpenRealm, form: URLSearchParams) => Promise<TokenAnswer>;
}

type Fields = ReadonlyMap<string, string>;

/** Grants without a browser. Each function returns the token's subject for an authenticated client. */
const DIRECT_GRANTS: Readonly<
  Partial<Record<GrantType, (open: OpenRealm, client: RealmClient, fields: Fields) => TokenSubject>>
> = {
  client_credentials: (_open, client) => {
    if (client.serviceAccountId === undefined) {
      throw new OAuthError('unauthorized_client', 'The client has no service account');
    }
    return { kind: 'service-account', client, id: client.serviceAccountId };
  },
  password: (open, client, fields) => {
    const user = open.users.signedIn(required(fields, 'username'), required(fields, 'password'));
    if (user === undefined) throw new OAuthError('invalid_grant', 'Invalid user credentials');
    return { kind: 'user', client, user };
  },
};

/** The supported grants, for the discovery document. */
export const SERVED_GRANTS: readonly GrantType[] = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
];

const isServedGrant = (name: string): name is GrantType =>
  (SERVED_GRANTS as readonly string[]).includes(name);

/**
 * Answers one token request of a realm.
 *
 * @throws OAuthError for an invalid form, an unknown client, a wrong secret, a grant that the client may not use, wrong
 *   user credentials, or an unknown scope; checked in this order, so that unauthenticated callers get no information
 *   about users
 */
export async function answerTokenRequest(
  open: OpenRealm,
  request: TokenRequest,
  issuing: TokenIssuing,
): Promise<TokenAnswer> {
  const fields = onlyOnce(request.form);
  const grantType = required(fields, 'grant_type');
  if (!isServedGrant(grantType)) {
    throw new OAuthError('unsupported_grant_type', 'Unsupported grant_type');
  }
  const client = authenticateClient(open, fields, request.authorizationHeader);
  if (!client.grants.includes(grantType)) {
    throw new OAuthError('unauthorized_client', `Client not allowed to use grant ${grantType}`);
  }
  const subject = DIRECT_GRANTS[grantType]?.(open, client, fields);
  if (subject !== undefined) {
    return { status: 200, body: await directAnswer(open, subject, fields, issuing) };
  }
  const form = new URLSearchParams([...fields]);
  form.delete('client_secret');
  form.set('client_id', client.clientId);
  return issuing.redeem(open, form);
}

async function directAnswer(
  open: OpenRealm,
  subject: TokenSubject,
  fields: Fields,
  { partyIdOf, nowMs }: TokenIssuing,
): Promise<object> {
  const { allowed, refused } = splitScopes(open, subject.client, fields.get('scope'));
  if (refused.length > 0) throw new OAuthError('invalid_scope', 'Invalid scopes');
  const scopes = grantedScopes(subject.client, allowed);
  const partyId =
    subject.kind === 'user' && scopes.includes('party_id')
      ? partyOf(subject.user, partyIdOf)
      : undefined;
  return {
    access_token: await signAccessToken(open, { subject, scopes, partyId }, nowMs()),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFE_S,
    scope: scopes.join(' '),
  };
}

/**
 * Returns the fields of the form. RFC 6749, section 3.2: parameters must not be repeated, and an empty one counts as
 * missing.
 */
function onlyOnce(form: URLSearchParams): Fields {
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    if (fields.has(name)) throw new OAuthError('invalid_request', `Repeated parameter: ${name}`);
    fields.set(name, value);
  }
  return new Map([...fields].filter(([, value]) => value !== ''));
}

function required(fields: Fields, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `Missing parameter: ${name}`);
  return value;
}

/**
 * Authenticates the client with the secret in the form or in HTTP Basic. A request with both is refused (RFC 6749,
 * section 2.3).
 */
function authenticateClient(
  open: OpenRealm,
  fields: Fields,
  authorizationHeader: string | undefined,
): RealmClient {
  const fromForm = { clientId: fields.get('client_id'), secret: fields.get('client_secret') };
  const fromBasic = authorizationHeader === undefined ? undefined : readBasic(authorizationHeader);
  if (fromBasic !== undefined && fromForm.secret !== undefined) {
    throw new OAuthError('invalid_request', 'Client authentication must be used only once');
  }
  const { clientId, secret } = fromBasic ?? fromForm;
  if (fromForm.clientId !== undefined && fromForm.clientId !== clientId) {
    throw new OAuthError('invalid_request', 'client_id differs from the authenticated client');
  }
  const client = open.realm.clients.find((known) => known.clientId === clientId);
  // A public client has no secret. Login libraries then send an empty one, which is accepted.
  const isProved =
    client !== undefined &&
    (client.publicDemoSecret === undefined || sameText(client.publicDemoSecret, secret ?? ''));
  if (!isProved) throw new OAuthError('invalid_client', 'Invalid client or client credentials');
  return client;
}

/**
 * Reads HTTP Basic credentials. RFC 6749, section 2.3.1: client ID and secret are form-encoded before they are joined.
 */
function readBasic(header: string): { clientId: string; secret: string } {
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(header)?.[1];
  const [, clientId, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  if (clientId === undefined || secret === undefined) {
    throw new OAuthError('invalid_client', 'Authorization header is not HTTP Basic');
  }
  return { clientId: formDecode(clientId), secret: formDecode(secret) };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new OAuthError('invalid_client', 'Client credentials are not form-encoded');
  }
}
