import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { stop } from './stop.ts';

/** The subfolders that Tenure creates in its data folder. No other content of the data folder is deleted. */
const OURS = ['postgres', 'localnet', 'logs', 'run', 'redis', 'secret-keys'];

/** Stops Tenure and deletes all embedded data: database, ledger, logs. */
export async function clean(): Promise<void> {
  await stop('');
  const { TENURE_DATA_DIR: dataDir } = readEnvironment(processEnvironment());
  const removed: string[] = [];
  for (const name of OURS) {
    const path = resolve(join(dataDir, name));
    if ((await stat(path).catch(() => null)) === null) continue;
    await rm(path, { recursive: true, force: true });
    removed.push(name);
  }
  console.log(
    removed.length === 0 ? 'Nothing had to be deleted.' : `Deleted: ${removed.join(', ')}.`,
  );
}
