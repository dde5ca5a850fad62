/**
 * Returns a value that the browser stores for all tabs of this wallet. A person who has signed in in one tab is also
 * signed in in tabs that are opened later, for example by an application.
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

/** Thrown if signing in fails. The message is shown to the person. */
export class SignInError extends Error {}

/**
 * Throws a {@link SignInError} if the browser lacks features that signing needs. Browsers offer them only under this
 * machine's own names.
 */
export function requireSecureContext() {
  if (globalThis.crypto?.subtle === undefined) {
    throw new SignInError(
      `Browsers sign in on this machine only: open http://wallet.localhost:${location.port}`,
    );
  }
}
