import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uploadToAll } from './http/control-packages.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Log } from './log.ts';

const DAR = /\.dar$/u;

/**
 * Uploads all DARs of a folder to all participants, in the order of their names. Logs for each main package whether
 * LocalNet's native code or the engine runs it.
 *
 * @throws Error that names the first file that is refused
 */
export async function uploadFolder(ledger: Ledger, folder: string, log: Log): Promise<void> {
  const files = (await readdir(folder)).filter((name) => DAR.test(name)).toSorted(inOrder);
  if (files.length === 0) throw new Error(`the folder ${folder} has no file with the ending .dar`);
  for (const file of files) {
    const path = join(folder, file);
    const { name, version, id, runs } = await uploadToAll(ledger, await readFile(path)).catch(
      (error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`${path}: ${why}`, { cause: error });
      },
    );
    log({ surface: 'dars', level: 'info', file, package: `${name} ${version}`, id, runs });
  }
}

/** The order is natural: version 1.10.0 of a package comes after version 1.9.0. */
const { compare: inOrder } = new Intl.Collator('en', { numeric: true });
