// Verifies a licence file of Tenure without a network and without npm packages:
// node verify.mjs licence.jws jwks.json [machine]
import { createPublicKey, verify } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TYPE = 'tenure-license+jwt';
const AUDIENCE = 'urn:tenure:license-file';
/** The permitted difference between the clocks of machines. */
const LEEWAY_S = 60;

const json = (part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

/** Returns the claims of a file that is genuine and has not expired; otherwise throws an Error. */
export function verifyFile(file, jwks, { machine, nowS = Date.now() / 1000 } = {}) {
  const parts = file.trim().split('.');
  if (parts.length !== 3) throw new Error('the file is no compact JWS');
  const [head, body, signature] = parts;
  const { alg, typ, kid, crit } = json(head);
  if (alg !== 'EdDSA' || typ !== TYPE || crit !== undefined)
    throw new Error('the file is no licence file');
  const jwk = jwks.keys.find(
    (key) => key.kid === kid && key.kty === 'OKP' && key.crv === 'Ed25519',
  );
  if (jwk === undefined) throw new Error('no known key has signed the file');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify(null, signed, key, Buffer.from(signature, 'base64url')))
    throw new Error('the signature of the file is wrong');
  const claims = json(body);
  if (claims.aud !== AUDIENCE) throw new Error('the file is for another purpose');
  if (!(claims.nbf <= nowS + LEEWAY_S)) throw new Error('the file is not valid yet');
  if (!(claims.exp > nowS - LEEWAY_S)) throw new Error('the file has ended');
  if (claims.machine !== null && claims.machine !== machine)
    throw new Error('the file is for another machine');
  return claims;
}

const [, program, file, jwks, machine] = process.argv;
// Node 20 has no `import.meta.main`.
if (program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url)) {
  try {
    const keys = JSON.parse(readFileSync(jwks, 'utf8'));
    const claims = verifyFile(readFileSync(file, 'utf8'), keys, { machine });
    process.stdout.write(`${JSON.stringify(claims)}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
