import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';

export const TEST_AUDIENCE = 'https://canton.network.global';

export interface SigningKey {
  readonly kid: string;
  readonly alg: 'RS256' | 'ES256';
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface TokenOptions {
  /** Claims that replace or add to the usual ones; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly expiresInS?: number;
  /** Another key than the newest. */
  readonly key?: SigningKey;
  readonly kid?: string;
}

/** An authorization server as far as a resource server sees it: a name, and keys at an address. */
export interface TestIssuer extends AsyncDisposable {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Where it is reached, whatever it is called. */
  readonly endpointUrl: string;
  /** How often its keys were read. */
  readonly reads: number;
  readonly key: SigningKey;
  token(options?: TokenOptions): Promise<string>;
  /** Signs with a new key from now on, and publishes only that. */
  rotate(alg?: SigningKey['alg']): Promise<void>;
  /** What its address answers from now on. */
  answerWith(how: 'keys' | 'error' | 'nonsense' | 'nothing'): void;
}

export async function makeKey(alg: SigningKey['alg'], kid: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** What it says of itself. */
const discovery = (issuer: string, port: number) => ({
  issuer,
  jwks_uri: `http://127.0.0.1:${port}/certs`,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
});

/**
 * @param first its first key; making one takes a while
 * @param nameAt its name by the port that it got; by default that of LocalNet's realm, which is not where it is
 */
export async function startIssuer(
  name: string,
  first: SigningKey,
  nowMs: () => number = Date.now,
  nameAt: (port: number) => string = () => `http://keycloak.localhost:8082/realms/${name}`,
): Promise<TestIssuer> {
  let key = first;
  let count = 1;
  let reads = 0;
  let how: 'keys' | 'error' | 'nonsense' | 'nothing' = 'keys';
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/.well-known/openid-configuration') === true) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(discovery(issuer, port)));
      return;
    }
    reads += 1;
    if (how === 'nothing') return;
    response.statusCode = how === 'error' ? 500 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(how === 'keys' ? JSON.stringify({ keys: [key.jwk] }) : '{"no": "keys"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = nameAt(port);
  return {
    issuer,
    jwksUrl: `http://127.0.0.1:${port}/certs`,
    endpointUrl: `http://127.0.0.1:${port}`,
    get reads() {
      return reads;
    },
    get key() {
      return key;
    },
    async token({ claims = {}, expiresInS = 300, key: signer = key, kid } = {}) {
      const nowS = Math.floor(nowMs() / 1_000);
      const payload = {
        iss: issuer,
        aud: [TEST_AUDIENCE, 'account'],
        sub: `${name}-subject`,
        iat: nowS,
        exp: nowS + expiresInS,
        ...claims,
      };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: signer.alg, kid: kid ?? signer.kid, typ: 'JWT' })
        .sign(signer.privateKey);
    },
    async rotate(alg = key.alg) {
      count += 1;
      key = await makeKey(alg, `${name}-${count}`);
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
