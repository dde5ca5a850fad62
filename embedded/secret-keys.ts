import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { newSealingKey } from '../src/domain/sealing.ts';

/** Returns the path of the key file. It contains one key per line, the newest first. */
const fileOf = (dataDir: string): string => join(dataDir, 'secret-keys');

const readKeys = async (dataDir: string): Promise<readonly string[]> => {
  const text = await readFile(fileOf(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').filter((line) => line !== '');
};

/** Replaces the file by a rename, so that after a crash it has either the old or the new content. */
async function writeKeys(dataDir: string, keys: readonly string[]): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const beside = `${fileOf(dataDir)}.new`;
  const file = await open(beside, 'w', 0o600);
  try {
    await file.writeFile(`${keys.join('\n')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, fileOf(dataDir));
}

/** Adds a key that is used for sealing from the next start on. Older keys remain, to open what they sealed. */
export async function addSecretKey(dataDir: string): Promise<void> {
  await writeKeys(dataDir, [newSealingKey(), ...(await readKeys(dataDir))]);
}

/** Returns the keys of the data folder as the setting `TENURE_SECRET_KEYS`. Creates the first key if there is none. */
export async function secretKeysIn(dataDir: string): Promise<string> {
  if ((await readKeys(dataDir)).length === 0) await addSecretKey(dataDir);
  return (await readKeys(dataDir)).join(',');
}
