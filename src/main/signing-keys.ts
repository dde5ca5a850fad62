import { newFileKey } from '../auth/license-files.ts';
import { createSealer, readSealingKeys } from '../domain/sealing.ts';
import { createSigningKeys } from '../store/validation/signing-keys.ts';
import { closePool, openPool } from '../store/sql/pool.ts';
import { MAIN_LIMITS } from './limits.ts';

/**
 * Creates the key that signs licence files from now on, and retires the previous key. A retired key stays public until
 * the last file signed with it ends.
 *
 * @param keys the value of `TENURE_SECRET_KEYS`
 * @returns the ID of the new key
 */
export async function rotateSigningKey({
  databaseUrl,
  keys,
}: {
  readonly databaseUrl: string;
  readonly keys: string;
}): Promise<string> {
  const signal = new AbortController().signal;
  const pool = await openPool({
    url: databaseUrl,
    max: 1,
    applicationName: 'tenure-signing-keys',
    pipelined: true,
    signal,
  });
  try {
    const key = await newFileKey();
    const store = createSigningKeys(pool, createSealer(readSealingKeys(keys)));
    await store.add(key, { onlyFirst: false }, { signal, deadlineMs: MAIN_LIMITS.secretsMs });
    return key.id;
  } finally {
    await closePool(pool, MAIN_LIMITS.closeMs);
  }
}
