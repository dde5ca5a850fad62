import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import { NOBODY } from './identity.ts';

/**
 * Refuses another user's data. Root can take any file from its owner, who could not start any more, so existing data is
 * examined before anything is created or changed. Data of the user nobody in a folder of root was given away by root.
 * @throws EmbeddedPostgresError `DATA_DIR_UNUSABLE` if the current user is root and the data is another user's
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
      `${path} belongs to user ${owner} and root would take it from them: ` +
        'run as that user, or use another data folder',
    );
  }
}

/** Null where nothing is. */
async function ownerOf(path: string): Promise<number | null> {
  try {
    return (await lstat(path)).uid;
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
