import { hash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import type { EndpointOverrides } from '../../src/auth/issuer-directory.ts';
import type { IssuerLayout } from './issuer-layouts.ts';

export const TEST_AUDIENCE = 'https://canton.network.global';
/**
 * The tolerated clock difference between issuers and Tenure. It is zero, so that no test has to wait until it has
 * passed.
 */
export const TEST_LEEWAY_MS = 0;

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface TokenOptions {
  /** Claims that replace or extend the default ones; `undefined` omits a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly expiresInS?: number;
  /** The key that signs the token. @default the newest */
  readonly key?: SigningKey;
  readonly kid?: string;
  /** Members of the header that replace or extend the default ones; `undefined` omits a member. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** The choices of a person on the login page. */
export interface LoginOptions {
  /** Claims of the ID token that replace or extend the default ones; `undefined` omits a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The key that signs the ID token. @default the newest */
  readonly key?: SigningKey;
}

/** How the server answers requests for its keys. With `away`, none of its endpoints answers. */
type Answering = 'keys' | 'error' | 'nonsense' | 'nothing' | 'away';

/**
 * An authorization server for tests. It has a name, publishes its keys at an address, and performs logins without
 * showing a page.
 */
export interface TestIssuer extends AsyncDisposable {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** The address at which the server is reached, which can differ from its name. */
  readonly endpointUrl: string;
  /** Its endpoints, in the form of the configuration. */
  readonly endpoints: EndpointOverrides;
  /** The addresses with which browsers ended sessions of this server. */
  readonly logouts: readonly string[];
  /** How often its keys were read. */
  readonly reads: number;
  readonly key: SigningKey;
  token(options?: TokenOptions): Promise<string>;
  /** Makes the server sign with a new key from now on, and publish only that key. */
  rotate(alg?: SigningKey['alg']): Promise<void>;
  /** Makes the server publish these keys from now on, instead of the newest key. */
  publish(keys: readonly JWK[]): void;
  /**
   * Performs a login at once, as if a person had used the login page.
   * @returns the address to which the browser is redirected
   */
  login(authorizationUrl: string, options?: LoginOptions): string;
  /**
   * Sets the claims that every refresh returns from now on, for all signed-in users: they replace or extend the claims
   * of the login. `null` means that a refresh returns no ID token.
   */
  renewWith(claims: Readonly<Record<string, unknown>> | null): void;
  /** Ends all logins: afterwards, no refresh token is valid. */
  endLogins(): void;
  /** Sets how its endpoints answer. */
  answerWith(how: Answering): void;
}

export async function makeKey(alg: SigningKey['alg'], kid: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

interface Grant {
  readonly request: URLSearchParams;
  readonly options: LoginOptions;
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

/**
 * RFC 6749, 4.1.3, and RFC 7636, 4.6: a code can only be redeemed by the client, with the redirect URI and with the
 * verifier of its login.
 */
function redeems(form: URLSearchParams, { request }: Grant): boolean {
  const challenge = hash('sha256', form.get('code_verifier') ?? '', 'base64url');
  return (
    form.get('grant_type') === 'authorization_code' &&
    form.get('client_id') === request.get('client_id') &&
    form.get('redirect_uri') === request.get('redirect_uri') &&
    challenge === request.get('code_challenge')
  );
}

/**
 * @param first the server's first key, because creating one takes a while
 * @param layout the server's endpoints and the contents of its tokens; with a layout, `nameAt` returns an origin
 * @param nameAt returns the server's name for the port on which it listens; the default is the name of LocalNet's
 *   realm, which is not the server's address
 */
export async function startIssuer(
  name: string,
  first: SigningKey,
  nowMs: () => number = Date.now,
  nameAt: (port: number) => string = () => `http://keycloak.localhost:8082/realms/${name}`,
  layout: IssuerLayout | null = null,
): Promise<TestIssuer> {
  let key = first;
  let count = 1;
  let reads = 0;
  let how: Answering = 'keys';
  let published: readonly JWK[] | null = null;
  const codes = new Map<string, Grant>();
  const refreshTokens = new Map<string, Grant>();
  let renewed: Readonly<Record<string, unknown>> | null = {};

  const sign = (payload: Readonly<Record<string, unknown>>, signer: SigningKey, header = {}) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: signer.alg, kid: signer.kid, typ: 'JWT', ...header })
      .sign(signer.privateKey);

  /** Redeems a code or a refresh token. Each can be used only once. */
  const redeem = async (form: URLSearchParams): Promise<{ status: number; body: object }> => {
    if (form.get('grant_type') === 'client_credentials') {
      return { status: 200, body: { access_token: 'for the ledger', expires_in: 300 } };
    }
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const [grants, given] = isRefresh
      ? [refreshTokens, form.get('refresh_token') ?? '']
      : [codes, form.get('code') ?? ''];
    const grant = grants.get(given);
    grants.delete(given);
    if (grant === undefined || !(isRefresh || redeems(form, grant))) {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    const { request, options } = grant;
    const refreshToken = randomUUID();
    refreshTokens.set(refreshToken, grant);
    const nowS = Math.floor(nowMs() / 1_000);
    const claims = {
      iss: issuer,
      aud: request.get('client_id'),
      sub: `${name}-subject`,
      name: `person of ${name}`,
      nonce: request.get('nonce'),
      iat: nowS,
      exp: nowS + 300,
      ...options.claims,
      ...(isRefresh ? renewed : {}),
    };
    const idToken = await sign(claims, options.key ?? key);
    return {
      status: 200,
      body: {
        access_token: 'secret',
        token_type: 'Bearer',
        expires_in: 300,
        ...(isRefresh && renewed === null ? {} : { id_token: idToken }),
        refresh_token: refreshToken,
      },
    };
  };

  /** The metadata names endpoints below the server's name, as on servers that know their own name. */
  const metadata = () => ({
    issuer,
    authorization_endpoint: layout === null ? `${issuer}/auth` : named + layout.auth,
    end_session_endpoint: layout === null ? `${issuer}/logout` : named + layout.logout,
    token_endpoint: layout === null ? `${issuer}/token` : named + layout.token,
    jwks_uri: layout === null ? `${endpointUrl}/certs` : named + layout.certs,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [key.alg],
  });

  /** Returns the endpoint of a path, by its last part or by the layout. */
  const placeOf = (request: IncomingMessage): string | undefined => {
    const { pathname } = new URL(request.url ?? '', 'http://issuer');
    if (layout === null) return pathname.split('/').at(-1);
    const base = layout.issuer.replace(/\/$/u, '');
    const isMetadata = pathname === `${base}/.well-known/openid-configuration`;
    if (isMetadata) return layout.hasMetadata ? 'openid-configuration' : undefined;
    return pathname === layout.certs ? 'certs' : pathname === layout.token ? 'token' : undefined;
  };

  const answerTo = async (request: IncomingMessage): Promise<{ status: number; body: object }> => {
    const path = placeOf(request);
    if (path === 'certs') reads += 1;
    if (how === 'away') return { status: 500, body: {} };
    if (path === 'openid-configuration') return { status: 200, body: metadata() };
    if (path === 'token') return redeem(await formOf(request));
    if (path !== 'certs') return { status: 404, body: {} };
    if (how === 'error') return { status: 500, body: {} };
    return {
      status: 200,
      body:
        how === 'keys' ? { keys: published ?? [{ ...key.jwk, ...layout?.key }] } : { no: 'keys' },
    };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await answerTo(request);
    if (how === 'nothing' && request.url?.endsWith('/certs') === true) return;
    response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };

  const logouts: string[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/logout') === true) logouts.push(request.url);
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const endpointUrl = `${origin}${layout?.issuer ?? ''}`;
  const named = nameAt(port);
  const issuer = `${named}${layout?.issuer ?? ''}`;
  return {
    issuer,
    endpointUrl,
    endpoints: {},
    jwksUrl: layout === null ? `${endpointUrl}/certs` : origin + layout.certs,
    logouts,
    get reads() {
      return reads;
    },
    get key() {
      return key;
    },
    async token({ claims = {}, expiresInS = 300, key: signer = key, kid, header = {} } = {}) {
      const nowS = Math.floor(nowMs() / 1_000);
      const payload = {
        iss: issuer,
        aud: [TEST_AUDIENCE, 'account'],
        sub: `${name}-subject`,
        iat: nowS,
        exp: nowS + expiresInS,
        ...layout?.claims,
        ...claims,
      };
      return sign(payload, signer, {
        ...layout?.header,
        ...(kid === undefined ? {} : { kid }),
        ...header,
      });
    },
    login(authorizationUrl, options = {}) {
      const request = new URL(authorizationUrl).searchParams;
      const code = randomUUID();
      codes.set(code, { request, options });
      const back = new URL(request.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', request.get('state') ?? '');
      return back.href;
    },
    async rotate(alg = key.alg) {
      count += 1;
      key = await makeKey(alg, `${name}-${count}`);
    },
    publish(keys) {
      published = keys;
    },
    renewWith(claims) {
      renewed = claims;
    },
    endLogins() {
      refreshTokens.clear();
    },
    answerWith(next) {
      how = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
