/** Thrown if the person has to sign in again. If the person was signed in, the message gives the reason. */
export class SignedOut extends Error {}

/**
 * Sends one request to the validator, as the signed-in user. A refusal is thrown as an error with the server's text.
 * @param {{ token(): Promise<string | undefined>, forget(): void }} session
 * @param {string} path
 * @param {unknown} [body] absent for a GET request
 * @returns {Promise<any>}
 */
export async function askValidator(session, path, body) {
  const token = await session.token();
  if (token === undefined) throw new SignedOut();
  const answer = await fetch(`/api/validator/v0${path}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (answer.status === 401) {
    session.forget();
    throw new SignedOut('The wallet does not accept this sign-in any more. Sign in again.');
  }
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(json.error ?? `HTTP ${answer.status}`);
  return json;
}
