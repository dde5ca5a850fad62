import { createHash, timingSafeEqual } from 'node:crypto';
import { ACCESS_TOKEN_LIFE_S, signAccessToken } from './access-token.ts';
import type { TokenSubject } from './access-token.ts';
import type { GrantType, RealmClient } from './realms.ts';
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

/** The body of a successful answer (RFC 6749, section 5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

export interface TokenRequest {
  readonly form: URLSearchParams;
  readonly authorizationHeader: string | undefined;
}

export interface TokenIssuing {
  /** The party of a ledger user, for clients whose tokens name it. */
  readonly partyIdOf: (userId: string) => string | undefined;
  /** Wall time in milliseconds. */
  readonly nowMs: () => number;
}

type Fields = ReadonlyMap<string, string>;

/**
 * What each grant does once the client has proved who it is. The authorization-code grant is missing on purpose: it
 * comes with the login page, and this table is where it joins.
 */
const GRANTS: Readonly<
  Partial<Record<GrantType, (open: OpenRealm, client: RealmClient, fields: Fields) => TokenSubject>>
> = {
  client_credentials: (_open, client) => {
    if (client.serviceAccountId === undefined) {
      throw new OAuthError('unauthorized_client', 'The client has no service account');
    }
    return { kind: 'service-account', client, id: client.serviceAccountId };
  },
  password: (open, client, fields) => {
    const username = required(fields, 'username');
    const password = required(fields, 'password');
    const user = open.realm.users.find((known) => known.username === username);
    if (user === undefined || !sameText(user.publicDemoPassword, password)) {
      throw new OAuthError('invalid_grant', 'Invalid user credentials');
    }
    return { kind: 'user', client, user };
  },
};

const isServedGrant = (name: string): name is keyof typeof GRANTS => Object.hasOwn(GRANTS, name);

/** The grants that the token endpoint answers, for the discovery document. */
export const SERVED_GRANTS: readonly string[] = Object.keys(GRANTS);

/** Scopes that every token has. */
const DEFAULT_SCOPES = ['profile', 'email'];
/** Scopes that a client may ask for besides; any other is refused. */
const OPTIONAL_SCOPES = ['openid', 'daml_ledger_api', 'party_id'];
export const SERVED_SCOPES: readonly string[] = [...DEFAULT_SCOPES, ...OPTIONAL_SCOPES];

/**
 * Answers one token request of a realm.
 *
 * @throws OAuthError for every refusal: bad form, unknown client, wrong secret, a grant the client may not use, wrong
 * user credentials, unknown scope; in that order, so that a stranger learns nothing about users.
 */
export async function issueToken(
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
  const subject = GRANTS[grantType]?.(open, client, fields);
  if (subject === undefined) {
    throw new OAuthError('unsupported_grant_type', 'Unsupported grant_type');
  }
  const scopes = grantScopes(fields.get('scope'), client);
  const partyId =
    subject.kind === 'user' && scopes.includes('party_id')
      ? issuing.partyIdOf(subject.user.id)
      : undefined;
  return {
    access_token: await signAccessToken(open, { subject, scopes, partyId }, issuing.nowMs()),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFE_S,
    scope: scopes.join(' '),
  };
}

/** RFC 6749, section 3.2: parameters must not be repeated, and an empty one counts as left out. */
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

/** Takes the secret from the form or from HTTP Basic, but not from both (RFC 6749, section 2.3). */
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
  // A public client has nothing to prove; login libraries send it with an empty secret all the same.
  const isProved =
    client !== undefined &&
    (client.publicDemoSecret === undefined || sameText(client.publicDemoSecret, secret ?? ''));
  if (!isProved) throw new OAuthError('invalid_client', 'Invalid client or client credentials');
  return client;
}

/** RFC 6749, section 2.3.1: identifier and secret are form-encoded before they are joined for HTTP Basic. */
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

function grantScopes(asked: string | undefined, client: RealmClient): string[] {
  const wanted = asked?.split(' ').filter((scope) => scope !== '') ?? [];
  const allowed = SERVED_SCOPES.filter(
    (scope) => scope !== 'party_id' || client.addsPartyId === true,
  );
  const unknown = wanted.find((scope) => !allowed.includes(scope));
  if (unknown !== undefined) throw new OAuthError('invalid_scope', 'Invalid scopes');
  const standing = client.addsPartyId === true ? [...DEFAULT_SCOPES, 'party_id'] : DEFAULT_SCOPES;
  return [...new Set([...wanted, ...standing])];
}

/** Compares without telling by its duration where the texts differ. */
function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
