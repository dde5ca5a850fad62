import { readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/**
 * Root can write into any folder, and what it leaves there its owner cannot use any more. Asked before anything is
 * made in it; a folder that is empty has nothing of anybody's.
 *
 * @throws an error whose message is one line when we are root and the folder holds another user's files
 */
export async function refuseForeignFolder(dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  try {
    const { uid } = await stat(dataDir);
    if (uid === 0 || (await readdir(dataDir)).length === 0) return;
    throw new Error(
      `the data folder ${resolve(dataDir)} belongs to user ${uid}, and root would take it from them: ` +
        'run as that user, or set TENURE_DATA_DIR',
    );
  } catch (error) {
    // What is not there, or is no folder, is for whoever makes it to say.
    if (error instanceof Error && 'code' in error) return;
    throw error;
  }
}
