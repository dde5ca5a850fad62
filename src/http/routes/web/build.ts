import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The page that the application begins with, whatever its address. */
export const INDEX = 'index.html';

/** Named by a hash of what is in them, so that they never change. */
const ASSETS = 'assets/';
export const isAsset = (path: string): boolean => path.startsWith(ASSETS);

/** No segment begins with a dot: neither `..` nor a hidden file can be named. No backslash, no NUL. */
const NAME = /^[\w@-][\w@.-]*(?:\/[\w@-][\w@.-]*)*$/u;
/** Copies of other files. They are sent in the place of those. */
const COMPRESSED = /\.(?:br|gz)$/u;

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** Something that a build may have. */
interface BuiltFile {
  /** The folder of the build, which need not be there. */
  readonly root: string;
  /** Below it, decoded. */
  readonly path: string;
}

/**
 * Whether a build has this file. The disk is asked each time, so that a build made later is served as it is.
 *
 * @throws what the file system says, unless it says that the file is not there
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
