import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { newSealingKey } from '../src/domain/sealing.ts';

/** One key a line, the newest first. */
const fileOf = (dataDir: string): string => join(dataDir, 'secret-keys');

const readKeys = async (dataDir: string): Promise<readonly string[]> => {
  const text = await readFile(fileOf(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').filter((line) => line !== '');
};

/** Replaces the file at once: a crash leaves the one or the other. */
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

/** Makes a key that seals from the next start on. Older keys still open what they sealed. */
export async function addSecretKey(dataDir: string): Promise<void> {
  await writeKeys(dataDir, [newSealingKey(), ...(await readKeys(dataDir))]);
}

/** The keys of the data folder as the setting `TENURE_SECRET_KEYS`; makes the first one. */
export async function secretKeysIn(dataDir: string): Promise<string> {
  if ((await readKeys(dataDir)).length === 0) await addSecretKey(dataDir);
  return (await readKeys(dataDir)).join(',');
}
