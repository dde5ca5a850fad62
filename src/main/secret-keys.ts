import type { Pool } from 'pg';
import type { Io } from '../app/ports/io.ts';
import type { SealingKey } from '../domain/sealing.ts';
import { createSealer, readSealingKeys } from '../domain/sealing.ts';
import { sealSecrets, sealingKeysInUse } from '../store/callers/secrets.ts';
import { closePool, openPool } from '../store/sql/pool.ts';
import { ConfigError } from './config.ts';
import { MAIN_LIMITS } from './limits.ts';

/** @throws ConfigError if the database contains secrets that no configured key decrypts */
export async function refuseMissingKeys(
  keys: readonly SealingKey[],
  pool: Pool,
  signal: AbortSignal,
): Promise<void> {
  const io: Io = { signal, deadlineMs: MAIN_LIMITS.secretsMs };
  const used = await sealingKeysInUse(pool, io);
  const unknown = used.filter((id) => !keys.some((key) => key.id === id));
  if (unknown.length === 0) return;
  throw new ConfigError([
    `TENURE_SECRET_KEYS has no key ${unknown.join(', ')}, which seals secrets in the database: add the key again`,
  ]);
}

/** Encrypts all secrets with the first key. @param keys the value of `TENURE_SECRET_KEYS` */
export async function rotateSecrets({
  databaseUrl,
  keys,
}: {
  readonly databaseUrl: string;
  readonly keys: string;
}) {
  const signal = new AbortController().signal;
  const pool = await openPool({
    url: databaseUrl,
    max: 1,
    applicationName: 'tenure-secrets',
    pinsSchema: true,
    pipelined: true,
    signal,
  });
  try {
    const sealer = createSealer(readSealingKeys(keys));
    return await sealSecrets(pool, sealer, { signal, deadlineMs: MAIN_LIMITS.secretsMs });
  } finally {
    await closePool(pool, MAIN_LIMITS.closeMs);
  }
}
