import { base64url, forget, keep, kept, requireSecureContext, SignInError } from './kept.js';

/*
 * Sign-in with only a name, for participants that accept tokens signed with a public secret: the page signs the tokens
 * itself.
 */

/**
 * `scope` is given if the participant requires a scope and an expiry of every token.
 *
 * @typedef {{ mode: 'shared-secret', secret: string, audience: string, scope?: string }} NameSignInConfig
 */

const NAME = 'wallet.name';
const TOKEN_LIFE_S = 300;
/** The format of user names that a participant accepts. */
const USER_NAME = /^[\w@^$.!`\-#+'~|:()]{1,128}$/;

/** @param {unknown} value */
const part = (value) => base64url(new TextEncoder().encode(JSON.stringify(value)));

export class NameSignIn {
  /** The storage key through which other tabs notice a sign-in or a sign-out. */
  key = NAME;

  /** @param {NameSignInConfig} config */
  constructor(config) {
    this.config = config;
  }

  /** @param {string} [name] */
  async begin(name = '') {
    requireSecureContext();
    if (!USER_NAME.test(name)) {
      throw new SignInError('A name is 1 to 128 letters, digits and signs, without a space.');
    }
    keep(NAME, name);
    location.reload();
  }

  async finish() {}

  /** @returns {Promise<string | undefined>} */
  async token() {
    const name = kept(NAME);
    if (name === undefined) return undefined;
    requireSecureContext();
    const { secret, audience, scope } = this.config;
    const exp = Math.floor(Date.now() / 1_000) + TOKEN_LIFE_S;
    const claims = { sub: name, aud: audience, ...(scope === undefined ? {} : { scope, exp }) };
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    const key = await crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    );
    const bytes = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(signed));
    return `${signed}.${base64url(new Uint8Array(bytes))}`;
  }

  forget() {
    forget(NAME);
  }

  async end() {
    this.forget();
    location.assign('/');
  }

  name() {
    return String(kept(NAME) ?? '');
  }
}
