/**
 * What the browser keeps for all tabs of this wallet: a person who is signed in in one is signed in in those that open
 * later, also when an application opens them.
 * @param {string} key
 */
export function kept(key) {
  const text = localStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
}

/** @param {string} key @param {unknown} value */
export const keep = (key, value) => localStorage.setItem(key, JSON.stringify(value));

/** @param {string} key */
export const forget = (key) => localStorage.removeItem(key);

/** @param {Uint8Array} bytes */
export const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** What the person is told when signing in fails. */
export class SignInError extends Error {}

/** Signing needs what browsers have on this machine's names only. */
export function requireSecureContext() {
  if (globalThis.crypto?.subtle === undefined) {
    throw new SignInError(
      `Browsers sign in on this machine only: open http://wallet.localhost:${location.port}`,
    );
  }
}
