import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The application's start page, which is sent for all addresses of the application. */
export const INDEX = 'index.html';

/** The folder of files whose names contain a hash of the content, so that a file never changes. */
const ASSETS = 'assets/';
export const isAsset = (path: string): boolean => path.startsWith(ASSETS);

/** Names of files that may be served: no segment begins with a dot (`..`, hidden files); no backslash, no NUL. */
const NAME = /^[\w@-][\w@.-]*(?:\/[\w@-][\w@.-]*)*$/u;
/** Matches compressed copies of files. Clients do not request them; they are sent instead of the originals. */
const COMPRESSED = /\.(?:br|gz)$/u;

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** A file that a build may contain. */
interface BuiltFile {
  /** The folder of the build, which may not exist. */
  readonly root: string;
  /** The decoded path, relative to the folder. */
  readonly path: string;
}

/**
 * Whether the build has this file. Checks the disk each time, so that a later build is served too.
 *
 * @throws the file system's errors, except for a missing file
 */
export async function hasFile({ root, path }: BuiltFile): Promise<boolean> {
  if (!NAME.test(path) || COMPRESSED.test(path)) return false;
  try {
    return (await stat(join(root, path))).isFile();
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}
