import {
  None,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Configuration, IDToken } from 'openid-client';
import { AUTH_LIMITS } from './limits.ts';
import type { PendingLogin } from '../domain/session.ts';
import type { IssuerAddress } from './issuer-addresses.ts';
import { forBrowsers } from './issuer-addresses.ts';
import type { OutgoingFetch } from './outgoing-fetch.ts';

/** Tenure as a client of one authorization server. */
export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
}

export interface OidcClientsOptions {
  /** Reaches an issuer, and bounds the time of an exchange itself. */
  readonly fetchOf: (issuer: string) => OutgoingFetch;
  /** Of those that browsers do not reach where we do. */
  readonly addresses: readonly IssuerAddress[];
  readonly nowMs: () => number;
  /** How far the clocks of issuers may be apart from ours. */
  readonly leewayMs: number;
}

/** What a login brought: the claims of the ID token, which have been checked, and the token itself. */
export interface SignedIn {
  readonly claims: IDToken;
  readonly idToken: string;
}

/**
 * OpenID Connect's authorization code flow with PKCE, as a public client. The ID token's signature is checked although
 * it comes straight from its issuer: that may be over plain HTTP.
 */
export interface OidcClients {
  /** @throws when the issuer's metadata cannot be had */
  begin(
    client: OidcClient,
    redirectUri: string,
  ): Promise<{ readonly url: string } & Omit<PendingLogin, 'registrationId'>>;
  /** @throws whatever is wrong with what came back */
  finish(client: OidcClient, pending: PendingLogin, query: string): Promise<SignedIn>;
  /** Where browsers end the issuer's own session; null when it names no such address. */
  endUrl(client: OidcClient, idToken: string | null): Promise<string | null>;
  /** Ends it from here, by the ID token, where the issuer takes that. */
  end(client: OidcClient, idToken: string): Promise<void>;
}

interface Known {
  readonly configuration: Promise<Configuration>;
  readonly fetchedAtMs: number;
}

/** The metadata of issuers: fetched when first needed, kept for a while, forgotten when it could not be had. */
class Configurations {
  readonly #known = new Map<string, Known>();
  readonly #options: OidcClientsOptions;

  constructor(options: OidcClientsOptions) {
    this.#options = options;
  }

  of(client: OidcClient): Promise<Configuration> {
    const key = JSON.stringify([client.issuer, client.clientId]);
    const nowMs = this.#options.nowMs();
    const found = this.#known.get(key);
    if (found !== undefined && nowMs - found.fetchedAtMs < AUTH_LIMITS.issuerMetadataMaxAgeMs) {
      return found.configuration;
    }
    const configuration = this.#fetch(client);
    this.#known.delete(key);
    this.#known.set(key, { configuration, fetchedAtMs: nowMs });
    configuration.catch(() => {
      if (this.#known.get(key)?.configuration === configuration) this.#known.delete(key);
    });
    const oldest = this.#known.keys().next();
    if (this.#known.size > AUTH_LIMITS.loginClientsMax && oldest.done !== true) {
      this.#known.delete(oldest.value);
    }
    return configuration;
  }

  #fetch({ issuer, clientId }: OidcClient): Promise<Configuration> {
    const fetch = this.#options.fetchOf(issuer);
    const isPlain = new URL(issuer).protocol === 'http:';
    const metadata = { [clockTolerance]: Math.ceil(this.#options.leewayMs / 1_000) };
    return discovery(new URL(issuer), clientId, metadata, None(), {
      // The library writes `undefined` where `RequestInit` has nothing.
      [customFetch]: (url, init: object) => fetch(url, init),
      timeout: AUTH_LIMITS.loginExchangeMs / 1_000,
      execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    });
  }
}

export function createOidcClients(options: OidcClientsOptions): OidcClients {
  const configurations = new Configurations(options);
  const { addresses } = options;
  return {
    async begin(client, redirectUri) {
      const configuration = await configurations.of(client);
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
      const configuration = await configurations.of(client);
      const cameBackTo = new URL(`${pending.redirectUri}${query}`);
      const tokens = await authorizationCodeGrant(configuration, cameBackTo, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new Error('no ID token');
      return { claims, idToken: tokens.id_token };
    },
    async endUrl(client, idToken) {
      const url = endSession(await configurations.of(client), idToken);
      return url === null ? null : forBrowsers(addresses, url);
    },
    async end(client, idToken) {
      const url = endSession(await configurations.of(client), idToken);
      if (url === null) return;
      const answer = await options.fetchOf(client.issuer)(url.href, { redirect: 'manual' });
      await answer.body?.cancel();
    },
  };
}

function endSession(configuration: Configuration, idToken: string | null): URL | null {
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
  return buildEndSessionUrl(configuration, idToken === null ? {} : { id_token_hint: idToken });
}
