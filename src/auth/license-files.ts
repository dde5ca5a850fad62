import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { LicenseFiles, SigningKeys } from '../app/ports/validation.ts';
import type { Io } from '../app/ports/io.ts';
import type { JsonRecord } from '../domain/json.ts';
import { FILE_ALGORITHM, FILE_AUDIENCE, FILE_TYPE } from '../domain/license-file.ts';
import { SECOND_MS, isoAfter } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Creates an Ed25519 key. Its ID is the thumbprint of the public key. */
export async function newFileKey() {
  const pair = await generateKeyPair(FILE_ALGORITHM, { crv: 'Ed25519', extractable: true });
  const [privateKey, publicKey] = await Promise.all([
    exportJWK(pair.privateKey),
    exportJWK(pair.publicKey),
  ]);
  const id = await calculateJwkThumbprint(publicKey);
  const named = { ...publicKey, kid: id, alg: FILE_ALGORITHM, use: 'sig' } as JsonRecord;
  return { id, publicKey: named, privateKey: privateKey as JsonRecord };
}

/**
 * Returns the current key. If there is none yet, creates one; if several processes do so at the same time, only one of
 * their keys is stored.
 */
async function currentKey(keys: SigningKeys, endsAt: string, io: Io) {
  const found = await keys.forFile(endsAt, io);
  if (found !== null) return found;
  await keys.add(await newFileKey(), { onlyFirst: true }, io);
  const made = await keys.forFile(endsAt, io);
  assert(made !== null, 'a key signs once one was added');
  return made;
}

/** Returns a signer of licence files that uses the current key of the database. */
export const createLicenseFiles = (keys: SigningKeys): LicenseFiles => ({
  async sign(claims, endsAtMs, io) {
    const { id, privateKey } = await currentKey(keys, isoAfter(endsAtMs), io);
    const exp = Math.floor(endsAtMs / SECOND_MS);
    const payload = { ...claims, aud: FILE_AUDIENCE, exp };
    return new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: FILE_ALGORITHM, typ: FILE_TYPE, kid: id })
      .sign(await importJWK(privateKey, FILE_ALGORITHM));
  },
  published: (nowMs, io) => keys.published(isoAfter(nowMs), io),
});
