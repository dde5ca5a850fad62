import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rename,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from './child.ts';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import type { Identity } from './identity.ts';
import { BOUNDS, ROLE, type Durability } from './settings.ts';

/** An initialised cluster: PostgreSQL's own data directory, and the password of `ROLE` in it. */
export interface Cluster {
  readonly dir: string;
  readonly password: string;
}

const STAGING_PREFIX = 'initdb.';
/**
 * The name of the file with the password. It is inside the cluster, so that one rename publishes both the password and
 * the cluster.
 */
const PASSWORD_FILE = 'tenure-password';

/**
 * Opens the cluster of a data folder, and creates it first if there is none. A new cluster is initialised under another
 * name and then renamed, so that an initialisation that was killed leaves nothing that looks like a cluster.
 *
 * Connections need a password (scram), also those through the socket: the loopback interface is open to every user of
 * the machine. The password is random, and only the owner of the data folder can read it.
 *
 * @throws EmbeddedPostgresError `INIT_FAILED`, `DATA_DIR_VERSION`, `DATA_DIR_UNUSABLE`
 */
export async function openCluster(
  dataDir: string,
  identity: Identity,
  options: { readonly durability: Durability; readonly signal: AbortSignal },
): Promise<Cluster> {
  await removeStaging(dataDir);
  const dir = join(dataDir, 'cluster');
  const version = await versionOf(dir);
  if (version === null) await initialise(dataDir, dir, identity, options);
  else if (version !== identity.binaries.major) throw otherVersion(dir, version, identity);
  await giveToOwner(dir, identity);
  return { dir, password: await passwordOf(dir) };
}

/** Returns the major version that wrote the cluster, or null if there is no cluster yet. */
async function versionOf(dir: string): Promise<string | null> {
  const entries = await readdir(dir).catch((error: unknown) => {
    if (hasSystemCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (entries === null) return null;
  if (entries.length === 0) {
    await rmdir(dir);
    return null;
  }
  if (!entries.includes('PG_VERSION')) {
    throw new EmbeddedPostgresError(
      'DATA_DIR_UNUSABLE',
      `${dir} is not empty and not a PostgreSQL data directory: move it to another place`,
    );
  }
  return (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
}

async function initialise(
  dataDir: string,
  dir: string,
  identity: Identity,
  options: { readonly durability: Durability; readonly signal: AbortSignal },
): Promise<void> {
  const staging = await mkdtemp(join(dataDir, STAGING_PREFIX));
  const building = join(staging, 'cluster');
  const passwordFile = join(staging, 'password');
  await mkdir(building, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (identity.owner !== null) {
    await chown(building, identity.owner.uid, identity.owner.gid);
    await chown(passwordFile, identity.owner.uid, identity.owner.gid);
  }
  const password = await open(passwordFile, 'r');
  try {
    // The user `nobody` may be unable to reach the cluster and the password file by their paths. It gets the cluster's
    // folder as its working directory, and the password file as an open file.
    const args =
      identity.kind === 'nobody'
        ? initArguments('/proc/self/cwd', '/proc/self/fd/3', options.durability)
        : initArguments(building, passwordFile, options.durability);
    const finished = await runToEnd(identity.invoke(identity.binaries.initdb, args, 'KILL'), {
      timeoutMs: BOUNDS.initMs,
      signal: options.signal,
      cwd: building,
      extraFd: password.fd,
    });
    if (finished.exitCode !== 0) {
      throw new EmbeddedPostgresError('INIT_FAILED', whyNotMade(dataDir, finished.stderr.trim()));
    }
  } finally {
    await password.close();
  }
  await rename(passwordFile, join(building, PASSWORD_FILE));
  await syncDirectory(building);
  await rename(building, dir);
  await syncDirectory(dataDir);
  await rmdir(staging);
}

/** Returns initdb's own reason for a failure. The last lines of its output are about the clean-up. */
function whyNotMade(dataDir: string, stderr: string): string {
  return /No space left on device|Disk quota exceeded/u.test(stderr)
    ? `the disk of ${dataDir} has no room for a new database: free some space, or set TENURE_DATA_DIR to another folder`
    : `initdb failed in ${dataDir}: ${stderr || 'it did not end in time'}`;
}

/**
 * Returns the arguments of initdb. Text is sorted and compared by PostgreSQL's built-in locale, which is the same on
 * every operating system. The C library's locales differ, so indexes would break when the data moves to another system.
 */
function initArguments(
  pgdata: string,
  passwordFile: string,
  durability: Durability,
): readonly string[] {
  return [
    `--pgdata=${pgdata}`,
    `--username=${ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--set=password_encryption=scram-sha-256',
    ...(durability === 'none' ? ['--no-sync'] : []),
  ];
}

async function passwordOf(dir: string): Promise<string> {
  try {
    return await readFile(join(dir, PASSWORD_FILE), 'utf8');
  } catch (cause) {
    if (!hasSystemCode(cause, 'ENOENT')) throw cause;
    throw new EmbeddedPostgresError(
      'DATA_DIR_UNUSABLE',
      `${dir} was not created by Tenure (it has no ${PASSWORD_FILE}): move it to another place`,
      { cause },
    );
  }
}

function otherVersion(dir: string, version: string, identity: Identity): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'DATA_DIR_VERSION',
    `${dir} was written by PostgreSQL ${version}, but the embedded PostgreSQL has version ${identity.binaries.major}: ` +
      `dump the data with PostgreSQL ${version} and move the folder, or set DATABASE_URL to a server of version ${version}`,
  );
}

/**
 * Makes the identity that the server runs as now the owner of the cluster. The identity can differ between starts as
 * root: user namespaces may be available at one start and not at another.
 */
async function giveToOwner(dir: string, identity: Identity): Promise<void> {
  const { uid } = await lstat(dir);
  if (identity.owner === null) {
    if (uid === process.getuid?.()) return;
    throw new EmbeddedPostgresError(
      'DATA_DIR_UNUSABLE',
      `${dir} belongs to user ${uid}, not to user ${process.getuid?.() ?? 'unknown'}: ` +
        'run as that user, or use another data folder',
    );
  }
  if (uid === identity.owner.uid) return;
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory() || entry.isFile()) {
      await chown(join(entry.parentPath, entry.name), identity.owner.uid, identity.owner.gid);
    }
  }
  // The root folder is changed last, because its owner shows whether the change is complete. An interrupted change is
  // repeated at the next start.
  await chown(dir, identity.owner.uid, identity.owner.gid);
  await chmod(dir, 0o700);
}

async function removeStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(STAGING_PREFIX)) {
      await rm(join(dataDir, name), { recursive: true, force: true });
    }
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
