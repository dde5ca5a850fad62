import {
  Configuration,
  None,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
} from 'openid-client';
import type { IDToken, TokenEndpointResponse } from 'openid-client';
import { AUTH_LIMITS } from './limits.ts';
import type { PendingLogin } from '../domain/session.ts';
import type { IssuerAddress } from './issuer-addresses.ts';
import { forBrowsers } from './issuer-addresses.ts';
import type { IssuerDirectory } from './issuer-directory.ts';

/** Tenure's registration as a client of one authorization server. */
export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
}

export interface OidcClientsOptions {
  readonly issuers: Pick<IssuerDirectory, 'metadata' | 'fetchOf'>;
  /** The authorization servers that browsers reach at another address than Tenure does. */
  readonly addresses: readonly IssuerAddress[];
  /** The tolerated difference between the clocks of Tenure and of issuers. */
  readonly leewayMs: number;
}

/** The result of a login: the verified claims of the ID token, and the tokens themselves. */
export interface SignedIn {
  readonly claims: IDToken;
  readonly idToken: string;
  readonly refreshToken: string | null;
}

/** The result of a refresh without an ID token, which OpenID Connect allows: only the refresh token is known. */
export interface TokenRenewed {
  readonly claims: null;
  readonly refreshToken: string;
}

/**
 * OpenID Connect's authorization code flow with PKCE, as a public client. The ID token comes directly from its issuer,
 * but its signature is checked nevertheless, because the connection may be plain HTTP.
 */
export interface OidcClients {
  /** Begins a login, and returns the address of the login page. @throws if the issuer's metadata cannot be read */
  begin(
    client: OidcClient,
    redirectUri: string,
  ): Promise<{ readonly url: string } & Omit<PendingLogin, 'registrationId'>>;
  /** Completes a login when the browser returns. @throws the library's error if the response is invalid */
  finish(client: OidcClient, pending: PendingLogin, query: string): Promise<SignedIn>;
  /** Gets new tokens with a refresh token. @throws the issuer's refusal, such as `invalid_grant` */
  refresh(client: OidcClient, refreshToken: string): Promise<SignedIn | TokenRenewed>;
  /** Returns the address at which a browser ends its session at the issuer; `null` if the issuer publishes none. */
  endUrl(client: OidcClient, idToken: string | null): Promise<string | null>;
  /** Ends the issuer's session without the browser, with the ID token, if the issuer supports that. */
  end(client: OidcClient, idToken: string): Promise<void>;
}

/**
 * Returns a configuration of the library that is used once. The library caches the issuer's keys in it, so a new
 * configuration makes each login read the newest keys.
 */
async function configurationOf(
  { issuer, clientId }: OidcClient,
  { issuers, leewayMs }: OidcClientsOptions,
): Promise<Configuration> {
  const { document, allowsPlain } = await issuers.metadata(issuer);
  const fetch = issuers.fetchOf(issuer);
  const configuration = new Configuration(
    { ...document, issuer },
    clientId,
    { [clockTolerance]: Math.ceil(leewayMs / 1_000) },
    None(),
  );
  // The library sets absent members to `undefined`, which the type `RequestInit` does not allow.
  configuration[customFetch] = (url, init: object) => fetch(url, init);
  configuration.timeout = AUTH_LIMITS.loginExchangeMs / 1_000;
  enableNonRepudiationChecks(configuration);
  if (allowsPlain) allowInsecureRequests(configuration);
  return configuration;
}

export function createOidcClients(options: OidcClientsOptions): OidcClients {
  const { addresses } = options;
  return {
    async begin(client, redirectUri) {
      const configuration = await configurationOf(client, options);
      const [state, nonce, codeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: forBrowsers(addresses, url), redirectUri, state, nonce, codeVerifier };
    },
    async finish(client, pending, query) {
      const configuration = await configurationOf(client, options);
      const cameBackTo = new URL(`${pending.redirectUri}${query}`);
      const tokens = await authorizationCodeGrant(configuration, cameBackTo, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
        idTokenExpected: true,
      });
      const signedIn = signedInFrom(tokens, tokens.refresh_token ?? null);
      if (signedIn === null) throw new Error('no ID token');
      return signedIn;
    },
    async refresh(client, refreshToken) {
      const configuration = await configurationOf(client, options);
      const tokens = await refreshTokenGrant(configuration, refreshToken);
      // If the response has no new refresh token, the old one stays valid (RFC 6749, 6).
      const kept = tokens.refresh_token ?? refreshToken;
      return signedInFrom(tokens, kept) ?? { claims: null, refreshToken: kept };
    },
    async endUrl(client, idToken) {
      const url = endSession(await configurationOf(client, options), idToken);
      return url === null ? null : forBrowsers(addresses, url);
    },
    async end(client, idToken) {
      const url = endSession(await configurationOf(client, options), idToken);
      if (url === null) return;
      const answer = await options.issuers.fetchOf(client.issuer)(url.href, { redirect: 'manual' });
      await answer.body?.cancel();
    },
  };
}

function signedInFrom(
  tokens: TokenEndpointResponse & { claims(): IDToken | undefined },
  refreshToken: string | null,
): SignedIn | null {
  const claims = tokens.claims();
  if (claims === undefined || tokens.id_token === undefined) return null;
  return { claims, idToken: tokens.id_token, refreshToken };
}

function endSession(configuration: Configuration, idToken: string | null): URL | null {
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
  return buildEndSessionUrl(configuration, idToken === null ? {} : { id_token_hint: idToken });
}
