import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import { NOBODY } from './identity.ts';

/**
 * Refuses another user's data. Root could take over any files, and their owner could then not start any more. So
 * existing data is checked before anything is created or changed. Data of the user nobody in a folder of root is
 * accepted, because root has assigned it to nobody.
 * @throws EmbeddedPostgresError `DATA_DIR_UNUSABLE` if the current user is root and the data belongs to another user
 */
export async function refuseForeignData(dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const folder = await ownerOf(dataDir);
  const cluster = await ownerOf(join(dataDir, 'cluster'));
  const isGivenAway = folder === 0 && cluster === NOBODY;
  for (const [path, owner] of [
    [dataDir, folder],
    [join(dataDir, 'cluster'), isGivenAway ? 0 : cluster],
  ] as const) {
    if (owner === null || owner === 0) continue;
    throw new EmbeddedPostgresError(
      'DATA_DIR_UNUSABLE',
      `${path} belongs to user ${owner}, and root would change its owner: ` +
        'run as that user, or use another data folder',
    );
  }
}

/** Returns the user ID of a file's owner; null if the file does not exist. */
async function ownerOf(path: string): Promise<number | null> {
  try {
    return (await lstat(path)).uid;
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
