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
    'The new key seals from the next start on: `make restart`, then `tenure secrets rotate`.',
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
    throw new Error('TENURE_SECRET_KEYS is not set, and Tenure does not run here');
  return setting;
}

/** Creates a new key for signing licence files. */
export async function rotateFileKey(): Promise<void> {
  const keys = await sealingKeys();
  const id = await rotateSigningKey({ databaseUrl: await databaseAddress(), keys });
  console.log(`Licence files are signed with key ${id} from now on.`);
  console.log('The key before stays at /.well-known/jwks.json until its last file ends.');
}

/** Encrypts all secrets again, with the first of the keys that the running processes use. */
export async function rotate(): Promise<void> {
  const keys = await sealingKeys();
  const { webhooks, sessions } = await rotateSecrets({
    databaseUrl: await databaseAddress(),
    keys,
  });
  console.log(
    `Sealed the secrets of ${webhooks} webhooks and the ID tokens of ${sessions} sessions with the first key.`,
  );
  console.log('No row needs the other keys any more: remove them from TENURE_SECRET_KEYS.');
}
