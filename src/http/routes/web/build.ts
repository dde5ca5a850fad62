import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The application's start page, for all addresses. */
export const INDEX = 'index.html';

/** The name contains a hash of the content, so the file never changes. */
const ASSETS = 'assets/';
export const isAsset = (path: string): boolean => path.startsWith(ASSETS);

/** No segment begins with a dot, so no path names `..` or a hidden file. No backslash, no NUL. */
const NAME = /^[\w@-][\w@.-]*(?:\/[\w@-][\w@.-]*)*$/u;
/** Compressed copies of other files, which are sent instead of the originals. */
const COMPRESSED = /\.(?:br|gz)$/u;

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** A file that a build may contain. */
interface BuiltFile {
  /** The folder of the build, which may not exist. */
  readonly root: string;
  /** Relative to the folder, decoded. */
  readonly path: string;
}

/**
 * Whether a build has this file. Checks the disk each time, so that a later build is served too.
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
