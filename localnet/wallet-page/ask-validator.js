/** The person has to sign in again. */
export class SignedOut extends Error {}

/**
 * One request to the validator, in the name of whoever is signed in. Refusals are errors with the server's text.
 * @param {import('./sign-in.js').SignIn} session
 * @param {string} path
 * @param {unknown} [body] absent: GET
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
    throw new SignedOut();
  }
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(json.error ?? `HTTP ${answer.status}`);
  return json;
}
