import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet } from 'jose';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { FILE_ALGORITHM, FILE_AUDIENCE, FILE_TYPE } from '../../src/domain/license-file.ts';
import { CommandError, EXIT } from '../exit.ts';
import { lineOf } from '../output.ts';

/** The clocks of two machines may differ a little. */
const LEEWAY = '60 s';

export interface VerifyOptions {
  readonly keys: string;
  readonly machine?: string;
}

async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError(EXIT.usage, `${path} cannot be read: ${lineOf(error)}`);
  });
}

/** Verifies a licence file with public keys from a local file, and prints its claims. */
export async function verify(path: string, { keys, machine }: VerifyOptions): Promise<void> {
  const [file, jwks] = await Promise.all([read(path), read(keys)]);
  try {
    const keySet = createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet);
    const { payload } = await jwtVerify(file.trim(), keySet, {
      algorithms: [FILE_ALGORITHM],
      typ: FILE_TYPE,
      audience: FILE_AUDIENCE,
      clockTolerance: LEEWAY,
      requiredClaims: ['exp', 'nbf', 'sub'],
    });
    const { machine: bound } = payload;
    if (bound !== null && bound !== machine)
      throw new Error(`the file is for machine ${JSON.stringify(bound)}`);
    console.log(JSON.stringify(payload, null, 2));
  } catch (error) {
    throw new CommandError(EXIT.cannot, `the licence file is not valid: ${lineOf(error)}`);
  }
}
