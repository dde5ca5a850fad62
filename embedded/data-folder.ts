import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/**
 * Root can write into any folder, and what it leaves there its owner cannot use any more, also where nothing is in it
 * yet. Asked before anything is made in it; `make start` asks the same before it installs anything.
 *
 * @param user who we are
 * @throws an error whose message is one line when we are root and the folder is another user's
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
      `the data folder ${resolve(dataDir)} belongs to user ${uid}, and root would take it from them: ` +
        'run as that user, or set TENURE_DATA_DIR',
    );
  } catch (error) {
    // The code that creates the folder reports a missing one.
    if (error instanceof Error && 'code' in error) return;
    throw error;
  }
}
