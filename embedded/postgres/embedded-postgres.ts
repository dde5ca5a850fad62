import { mkdir, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pRetry from 'p-retry';
import { assertPlatform, locateBinaries } from './binaries.ts';
import { claimDataDir, type Claim } from './claim.ts';
import { openCluster, type Cluster } from './cluster.ts';
import { ensureDatabase } from './database.ts';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import { chooseIdentity, HOST, type Host, type Identity, type IdentityKind } from './identity.ts';
import { refuseForeignData } from './owner.ts';
import { choosePort, rememberPort } from './port.ts';
import { clearOrphans } from './postmaster-file.ts';
import { runPostmaster, type Postmaster, type RunOptions } from './server.ts';
import { DATABASE, ROLE, type Durability } from './settings.ts';
import { supervise, type ServerEvent } from './supervise.ts';

export interface EmbeddedPostgresOptions {
  /**
   * A folder that only the launcher uses; it is created if missing. It holds `cluster/` (the data), `postgres.log`,
   * `port`, `socket/` and, if npm's package cannot be written, `runtime/`.
   */
  readonly dataDir: string;
  /** If 0 or absent, the server gets the port of the previous start if that port is free, else any free port. */
  readonly port?: number;
  /** Folder for the Unix socket; null for no socket. @default `socket/` in the data folder */
  readonly socketDir?: string | null;
  /** When this signal is aborted, the start is given up. A server that has started is not stopped. */
  readonly signal: AbortSignal;
  readonly durability?: Durability;
  /** Called when the server ends by itself, is restarted, or cannot be started. */
  readonly onEvent?: (event: ServerEvent) => void;
  /** The features of the host that may be used. @default all */
  readonly host?: Host;
}

export interface EmbeddedPostgres {
  /** The address with user and password, which makes it a secret. */
  readonly url: string;
  /** The URL through the Unix socket, which is slightly faster; null without a socket. */
  readonly socketUrl: string | null;
  readonly port: number;
  /** The process ID of the postmaster; it changes at a restart. */
  readonly pid: number;
  readonly identity: IdentityKind;
  readonly logFile: string;
  /**
   * Returns in one line why the server is unavailable; null while it runs. The server is restarted until that succeeds.
   */
  trouble(): string | null;
  /** Ends connections, writes all data to disk and ends the server, within a limited time. May be called repeatedly. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server on this machine, from the binaries that npm installed, with its data in `dataDir`.
 *
 * The start works for an ordinary user, for root, in a folder that only root can enter, after any of the server's
 * processes was killed, and if the package's install script did not run. The server ends when this process ends,
 * however that happens; if the operating system does not support this, the next start stops the orphaned server. If the
 * server dies by itself, it is restarted on the same port, so that connection pools can reconnect; attempts continue
 * until one succeeds.
 *
 * @throws EmbeddedPostgresError with one line that says what to do; the signal's reason if the start was aborted
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  await assertPlatform();
  try {
    await refuseForeignData(resolve(options.dataDir));
    await mkdir(resolve(options.dataDir), { recursive: true, mode: 0o700 });
    // Symbolic links are resolved, so that two names of one folder are treated as the same folder.
    const dataDir = await realpath(options.dataDir);
    const claim = await claimDataDir(dataDir, options.signal);
    return await startClaimed(dataDir, claim, options).catch(async (error: unknown) => {
      await claim.release();
      throw error;
    });
  } catch (error) {
    // If the start was aborted, throw the signal's reason instead of the error of the interrupted step.
    options.signal.throwIfAborted();
    if (!(error instanceof Error) || !hasSystemCode(error, ...FOLDER_TROUBLE)) throw error;
    throw new EmbeddedPostgresError(
      'DATA_DIR_UNUSABLE',
      `the data folder ${options.dataDir} cannot be used: ${error.message}`,
      { cause: error },
    );
  }
}

const FOLDER_TROUBLE = [
  'EACCES',
  'EDQUOT',
  'EEXIST',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOSPC',
  'ENOTDIR',
  'EPERM',
  'EROFS',
] as const;

async function startClaimed(
  dataDir: string,
  claim: Claim,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { signal, durability = 'full' } = options;
  const binaries = await locateBinaries(join(dataDir, 'runtime'));
  const identity = await chooseIdentity(binaries, options.host ?? HOST, signal);
  const cluster = await openCluster(dataDir, identity, { durability, signal });
  await clearOrphans(cluster.dir, signal);
  const socketDir = await openSocketDir(dataDir, identity, options.socketDir);
  const logFile = join(dataDir, 'postgres.log');
  const run: Omit<RunOptions, 'port'> = {
    cluster,
    identity,
    socketDir,
    durability,
    logFile,
    signal,
  };
  const { postmaster, port } = await startOnSomePort(dataDir, run, options.port ?? 0);
  const url = urlOf(cluster, port);
  try {
    await ensureDatabase(url, signal);
    await rememberPort(dataDir, port);
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
  const supervised = supervise(postmaster, { ...run, port }, options.onEvent ?? (() => {}));
  const stop = async () => {
    await supervised.stop();
    await claim.release();
  };
  let stopped: Promise<void> | null = null;
  return {
    url,
    socketUrl: socketDir === null ? null : socketUrlOf(cluster, socketDir, port),
    port,
    get pid() {
      return supervised.pid();
    },
    identity: identity.kind,
    logFile,
    trouble: () => supervised.trouble(),
    stop: () => (stopped ??= stop()),
  };
}

const PORT_RETRIES_MAX = 4;

async function startOnSomePort(
  dataDir: string,
  run: Omit<RunOptions, 'port'>,
  wanted: number,
): Promise<{ postmaster: Postmaster; port: number }> {
  const startOnOne = async () => {
    const port = await choosePort(dataDir, wanted);
    return { postmaster: await runPostmaster({ ...run, port }), port };
  };
  return pRetry(startOnOne, {
    retries: wanted === 0 ? PORT_RETRIES_MAX : 0,
    minTimeout: 0,
    shouldRetry: ({ error }) =>
      error instanceof EmbeddedPostgresError && error.code === 'PORT_TAKEN',
  });
}

/** The longest path of a Unix socket, in bytes: every platform allows 104, including the terminating zero. */
const SOCKET_PATH_BYTES_MAX = 100;

/**
 * Returns the folder for the socket, which is created if necessary. Returns null if the path would be too long, or if
 * the server runs as `nobody`, who may be unable to enter the folder.
 */
async function openSocketDir(
  dataDir: string,
  identity: Identity,
  wanted: string | null | undefined,
): Promise<string | null> {
  if (wanted === null || identity.kind === 'nobody') return null;
  const dir = wanted === undefined ? join(dataDir, 'socket') : resolve(wanted);
  if (Buffer.byteLength(join(dir, '.s.PGSQL.65535')) >= SOCKET_PATH_BYTES_MAX) return null;
  // Only this server uses the folder, and no server is running now. An old lock file in the folder could stop a new
  // server.
  if (wanted === undefined) await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return dir;
}

/** TLS is disabled explicitly, because PGSSLMODE in the caller's environment could demand it. */
const urlOf = (cluster: Cluster, port: number): string =>
  `postgresql://${ROLE}:${cluster.password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`;

const socketUrlOf = (cluster: Cluster, socketDir: string, port: number): string =>
  `postgresql://${ROLE}:${cluster.password}@${encodeURIComponent(socketDir)}:${port}/${DATABASE}?sslmode=disable`;
