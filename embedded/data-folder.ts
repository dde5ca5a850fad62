import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/**
 * Refuses a data folder of another user if the current user is root. Root can write into any folder, but the owner of
 * the folder could then not use the files that root created, even in a folder that was empty before. Called before
 * anything is created in the folder; `make start` checks the same before it installs anything.
 *
 * @param user the current user
 * @throws an error with a one-line message if the current user is root and the folder belongs to another user
 */
export async function refuseForeignFolder(
  dataDir: string,
  user: number | undefined = process.getuid?.(),
): Promise<void> {
  if (user !== 0) return;
  try {
    const { uid } = await stat(dataDir);
    if (uid === 0) return;
    throw new Error(
      `the data folder ${resolve(dataDir)} belongs to user ${uid}, and root would change its owner: ` +
        'run as that user, or set TENURE_DATA_DIR to another folder',
    );
  } catch (error) {
    // The code that creates the folder reports a missing one.
    if (error instanceof Error && 'code' in error) return;
    throw error;
  }
}
