import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import { NOBODY } from './identity.ts';

/**
 * Root can take any file from its owner, who then cannot start any more: so what is there is looked at before anything
 * is made or changed. A cluster of nobody's in a folder of root's is one that root has given away.
 *
 * @throws EmbeddedPostgresError `DATA_DIR_UNUSABLE` when we are root and the data is another user's
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
