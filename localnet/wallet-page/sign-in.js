import { base64url, forget, keep, kept, requireSecureContext, SignInError } from './kept.js';

/*
 * Signing in: the code flow with PKCE (RFC 6749, RFC 7636) of a public client, in the browser. All tabs share the
 * tokens until the person signs out.
 */

/**
 * @typedef {{ mode: 'oauth2', authority: string, client_id: string, scope: string }} SignInConfig
 * @typedef {{ access_token: string, refresh_token?: string, id_token?: string, expiresAtMs: number }} Tokens
 * @typedef {{ authorization_endpoint: string, token_endpoint: string, end_session_endpoint?: string }} Endpoints
 */

const TOKENS = 'wallet.tokens';
const PENDING = 'wallet.sign-in';
/** How long before its expiry a token is renewed. */
const RENEW_BEFORE_MS = 20_000;

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** @param {string} text */
const sha256 = async (text) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

const redirectUri = () => `${location.origin}/`;

/** The sign-in in progress is stored for this tab only, because another tab may start a sign-in of its own. */
function pendingSignIn() {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  return text === null ? undefined : JSON.parse(text);
}

export class SignIn {
  /** The storage key through which other tabs notice a sign-in or a sign-out. */
  key = TOKENS;

  /** @param {SignInConfig} config */
  constructor(config) {
    this.config = config;
    /** @type {Promise<Endpoints> | undefined} */
    this.discovered = undefined;
    /** @type {Promise<Tokens | undefined> | undefined} */
    this.renewing = undefined;
  }

  /** @returns {Promise<Endpoints>} */
  async endpoints() {
    this.discovered ??= this.discover();
    this.discovered.catch(() => (this.discovered = undefined));
    return this.discovered;
  }

  /** @returns {Promise<Endpoints>} */
  async discover() {
    const answer = await fetch(`${this.config.authority}/.well-known/openid-configuration`).catch(
      () => undefined,
    );
    if (answer === undefined || !answer.ok) {
      throw new SignInError(`The authorization server does not answer at ${this.config.authority}`);
    }
    return answer.json();
  }

  /** Redirects to the authorization server, which redirects back to the current address. */
  async begin() {
    requireSecureContext();
    const { authorization_endpoint } = await this.endpoints();
    const [state, verifier] = [randomText(), randomText()];
    const returnTo = `${location.pathname}${location.hash}`;
    sessionStorage.setItem(PENDING, JSON.stringify({ state, verifier, returnTo }));
    const url = new URL(authorization_endpoint);
    url.search = new URLSearchParams({
      client_id: this.config.client_id,
      response_type: 'code',
      scope: this.config.scope,
      redirect_uri: redirectUri(),
      state,
      // With this, another person can sign in, or the browser's previous user has to enter the password again.
      prompt: 'login',
      code_challenge: base64url(await sha256(verifier)),
      code_challenge_method: 'S256',
    }).toString();
    location.assign(url);
  }

  /** Completes a sign-in after the authorization server has redirected back. Does nothing on other addresses. */
  async finish() {
    const query = new URLSearchParams(location.search);
    if (!query.has('state') || !(query.has('code') || query.has('error'))) return;
    const pending = pendingSignIn();
    const isOurs = pending !== undefined && pending.state === query.get('state');
    history.replaceState(null, '', isOurs ? pending.returnTo : location.pathname);
    if (!isOurs) throw new SignInError('This sign-in was not begun here, or is already over');
    const error = query.get('error');
    if (error !== null) throw new SignInError(query.get('error_description') ?? error);
    await this.request({
      grant_type: 'authorization_code',
      code: query.get('code') ?? '',
      redirect_uri: redirectUri(),
      code_verifier: pending.verifier,
    });
  }

  /**
   * @param {Record<string, string>} grant
   * @returns {Promise<Tokens>}
   */
  async request(grant) {
    const { token_endpoint } = await this.endpoints();
    const answer = await fetch(token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({ client_id: this.config.client_id, ...grant }),
    });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) {
      throw new SignInError(body.error_description ?? body.error ?? `HTTP ${answer.status}`);
    }
    const before = kept(TOKENS);
    const tokens = {
      access_token: body.access_token,
      refresh_token: body.refresh_token,
      id_token: body.id_token ?? before?.id_token,
      expiresAtMs: Date.now() + body.expires_in * 1_000,
    };
    keep(TOKENS, tokens);
    return tokens;
  }

  /**
   * Returns a token that is valid for at least `RENEW_BEFORE_MS`; `undefined` if the person has to sign in.
   * @returns {Promise<string | undefined>}
   */
  async token() {
    /** @type {Tokens | undefined} */
    const tokens = kept(TOKENS);
    if (tokens === undefined) return undefined;
    if (tokens.expiresAtMs - RENEW_BEFORE_MS > Date.now()) return tokens.access_token;
    this.renewing ??= this.renew(tokens).finally(() => (this.renewing = undefined));
    return (await this.renewing)?.access_token;
  }

  /**
   * @param {Tokens} tokens
   * @returns {Promise<Tokens | undefined>}
   */
  async renew({ refresh_token }) {
    if (refresh_token !== undefined) {
      try {
        return await this.request({ grant_type: 'refresh_token', refresh_token });
      } catch (error) {
        if (!(error instanceof SignInError)) throw error;
      }
    }
    this.forget();
    return undefined;
  }

  forget() {
    forget(TOKENS);
  }

  /** Ends the session in the browser and at the authorization server. */
  async end() {
    /** @type {Tokens | undefined} */
    const tokens = kept(TOKENS);
    this.forget();
    const { end_session_endpoint } = await this.endpoints();
    if (end_session_endpoint === undefined || tokens?.id_token === undefined) {
      location.assign(redirectUri());
      return;
    }
    const url = new URL(end_session_endpoint);
    url.search = new URLSearchParams({
      id_token_hint: tokens.id_token,
      client_id: this.config.client_id,
      post_logout_redirect_uri: redirectUri(),
    }).toString();
    location.assign(url);
  }

  /** Returns the user's name in the token. It is only displayed: the server checks the token. */
  name() {
    const [, payload = ''] = (kept(TOKENS)?.access_token ?? '').split('.');
    try {
      const bytes = Uint8Array.from(
        atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
        (char) => char.charCodeAt(0),
      );
      const claims = JSON.parse(new TextDecoder().decode(bytes));
      return String(claims.name ?? claims.preferred_username ?? claims.sub);
    } catch {
      return '';
    }
  }
}
