import { addSecretKey } from '../../embedded/secret-keys.ts';
import { newSealingKey } from '../../src/domain/sealing.ts';
import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { readRunState } from '../../src/main/run-state.ts';
import { rotateSigningKey } from '../../src/main/signing-keys.ts';
import { rotateSecrets } from '../../src/main/secret-keys.ts';
import { databaseAddress } from '../database-address.ts';

/** Creates a key: in the data folder or, if a database is configured, as a value for the setting. */
export async function newKey(): Promise<void> {
  const environment = readEnvironment(processEnvironment());
  const { DATABASE_URL, POSTGRES_HOST, TENURE_SECRET_KEYS, TENURE_DATA_DIR } = environment;
  const isConfigured =
    DATABASE_URL !== undefined || POSTGRES_HOST !== undefined || TENURE_SECRET_KEYS !== undefined;
  if (isConfigured) return console.log(newSealingKey());
  await addSecretKey(TENURE_DATA_DIR);
  console.log(
    'Tenure uses the new key after a restart: run `make restart`, then `tenure secrets rotate`.',
  );
  return undefined;
}

/** Returns the keys that the running processes use. */
async function sealingKeys(): Promise<string> {
  const environment = readEnvironment(processEnvironment());
  const state = await readRunState(environment.TENURE_DATA_DIR);
  const setting =
    environment.TENURE_SECRET_KEYS ?? state?.environment['TENURE_SECRET_KEYS'] ?? null;
  if (setting === null)
    throw new Error('TENURE_SECRET_KEYS is not set, and no Tenure runs with this data folder');
  return setting;
}

/** Creates a new key for signing licence files. */
export async function rotateFileKey(): Promise<void> {
  const keys = await sealingKeys();
  const id = await rotateSigningKey({ databaseUrl: await databaseAddress(), keys });
  console.log(`Tenure now signs licence files with key ${id}.`);
  console.log(
    'The previous key stays at /.well-known/jwks.json until the last file signed with it expires.',
  );
}

/** Encrypts all secrets again, with the first of the keys that the running processes use. */
export async function rotate(): Promise<void> {
  const keys = await sealingKeys();
  const { webhooks, sessions } = await rotateSecrets({
    databaseUrl: await databaseAddress(),
    keys,
  });
  console.log(
    `Encrypted the secrets of ${webhooks} webhooks and the ID tokens of ${sessions} sessions with the first key.`,
  );
  console.log('The other keys are no longer needed: remove them from TENURE_SECRET_KEYS.');
}
