import { randomUUID } from 'node:crypto';
import { base64url } from 'jose';
import { expect, test } from 'vitest';
import { AUTH_LIMITS } from '../../src/auth/limits.ts';
import { ALGORITHMS } from '../../src/auth/token-rules.ts';
import { forFile } from '../kit/for-file.ts';
import { PROVIDER, startApi } from '../kit/http-api.ts';
import type { SigningKey } from '../kit/issuer.ts';
import { TEST_AUDIENCE, makeKey } from '../kit/issuer.ts';

/* Tokens of a real issuer in every permitted form, over HTTP. */

const api = await forFile(startApi());
const { provider } = api.issuers;
const keys = await Promise.all(ALGORITHMS.map((alg) => makeKey(alg, `says-${alg}`)));

/**
 * Returns a key as it is published in three forms: with its own algorithm, without an algorithm, and with another
 * algorithm.
 */
function formsOf({ jwk, alg }: SigningKey) {
  const { alg: _alg, ...silent } = jwk;
  return [
    jwk,
    // RFC 9964: a key of this type always names its algorithm.
    { ...(jwk.kty === 'AKP' ? jwk : silent), kid: `silent-${alg}` },
    { ...jwk, kid: `other-${alg}`, alg: alg === 'RS256' ? 'PS256' : 'RS256' },
  ];
}
provider.publish([provider.key.jwk, ...keys.flatMap(formsOf)]);

const ask = async (authorization: string) => {
  const reply = await api.app.inject({ url: '/user', headers: { authorization } });
  return { status: reply.statusCode, message: reply.json<{ message?: string }>().message };
};

test('each algorithm of jose is taken, unless the key is for another one', async () => {
  const statuses = await Promise.all(
    keys.map(async (key) => {
      const asked = [undefined, `silent-${key.alg}`, `other-${key.alg}`].map(async (kid) => {
        const named = kid === undefined ? {} : { kid };
        return (await ask(await api.as(PROVIDER, { key, ...named }))).status;
      });
      return [key.alg, ...(await Promise.all(asked))];
    }),
  );
  expect(statuses).toEqual(ALGORITHMS.map((alg) => [alg, 200, 200, 401]));
});

test('a token ends within a known time, and its payload is encoded', async () => {
  const claims = `"iss":"${provider.issuer}","aud":"${TEST_AUDIENCE}","sub":"me"`;
  const signed = async (header: object, times: string) => {
    const named = { alg: 'RS256', kid: provider.key.kid, ...header };
    const parts = [JSON.stringify(named), `{${claims},${times}}`];
    const text = parts.map((part) => base64url.encode(part)).join('.');
    const { privateKey } = provider.key;
    const bytes = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(text));
    return ask(`Bearer ${text}.${base64url.encode(new Uint8Array(bytes))}`);
  };
  const nowS = Math.floor(Date.now() / 1_000);
  const lastS = nowS + AUTH_LIMITS.tokenLifeMsMax / 1_000;
  const endS = nowS + 300;
  expect((await signed({}, `"exp":${lastS}`)).status).toBe(200);
  const refused = (message: string) => ({ status: 401, message });
  const endless = refused('a time of the token is not a finite number');
  const encoded = refused('the token has the header b64');
  expect(await signed({}, `"exp":${lastS + 600}`)).toEqual(
    refused('the token is valid for more than 30 days'),
  );
  expect(await signed({}, '"exp":1e400')).toEqual(endless);
  expect(await signed({}, `"exp":${endS},"iat":-1e400`)).toEqual(endless);
  expect(await signed({ b64: false }, `"exp":${endS}`)).toEqual(encoded);
  expect(await signed({ b64: false, crit: ['b64'] }, `"exp":${endS}`)).toEqual(encoded);
  expect((await signed({ crit: ['exp'] }, `"exp":${endS}`)).status).toBe(401);
});

test('a subject in the form of a pseudonym of the audit log is refused', async () => {
  const subject = `person:${randomUUID()}`;
  const refused = await ask(await api.as(PROVIDER, { claims: { sub: subject } }));
  expect(refused).toEqual({
    status: 401,
    message: 'claim sub is not a name of 1 to 255 printable characters, or is a pseudonym',
  });
  // The name to display does not matter, nor does a subject that only begins like a pseudonym.
  const genuine = { sub: `${subject}0`, name: subject };
  expect((await ask(await api.as(PROVIDER, { claims: genuine }))).status).toBe(200);
});
