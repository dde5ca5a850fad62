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
   * Folder of the launcher's own, made when missing. It holds `cluster/` (the data), `postgres.log`, `port`, `socket/`
   * and, where npm's package cannot be written, `runtime/`.
   */
  readonly dataDir: string;
  /** 0 or absent: the port of last time if it is free, else any free one. */
  readonly port?: number;
  /** Folder for the Unix socket; null for none. `socket/` in the data folder unless told. */
  readonly socketDir?: string | null;
  /** Gives up the start. Does not stop a server that has started. */
  readonly signal: AbortSignal;
  readonly durability?: Durability;
  /** Told when the server ends by itself, is started again, or does not start. */
  readonly onEvent?: (event: ServerEvent) => void;
  /** The features of the host that may be used. @default all */
  readonly host?: Host;
}

export interface EmbeddedPostgres {
  /** With user and password: a secret. */
  readonly url: string;
  /** The URL through the Unix socket, which is slightly faster; null without a socket. */
  readonly socketUrl: string | null;
  readonly port: number;
  /** The process ID of the postmaster; it changes at a restart. */
  readonly pid: number;
  readonly identity: IdentityKind;
  readonly logFile: string;
  /** Why it is not there now, in one line; null while it is. It is started again until it is. */
  trouble(): string | null;
  /** Ends connections, writes everything out and ends the server. Bounded in time; may be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server from the binaries that npm installed, on this machine only, with its data in `dataDir`.
 *
 * It starts for an ordinary user, for root, in a folder that only root can enter, after any process of it was killed,
 * and without the install script of the package having run. It ends with this process, however that ends; where the
 * operating system cannot do that, the next start stops the orphan. If the server dies by itself it is started again
 * on the same port, so that pools reconnect, for as long as that takes.
 *
 * @throws EmbeddedPostgresError one line that says what to do; the signal's reason when it was called off
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  await assertPlatform();
  try {
    await refuseForeignData(resolve(options.dataDir));
    await mkdir(resolve(options.dataDir), { recursive: true, mode: 0o700 });
    // Links are resolved, so that two names of one folder are one folder.
    const dataDir = await realpath(options.dataDir);
    const claim = await claimDataDir(dataDir, options.signal);
    return await startClaimed(dataDir, claim, options).catch(async (error: unknown) => {
      await claim.release();
      throw error;
    });
  } catch (error) {
    // Called off: a step that was waiting says so in words of its own.
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

/** The longest socket path that every platform takes, with the terminating zero, is 104 bytes. */
const SOCKET_PATH_BYTES_MAX = 100;

/**
 * Opens a folder for the socket. Null if the path would be too long, or if the server runs as `nobody`, who may be
 * unable to enter the folder.
 */
async function openSocketDir(
  dataDir: string,
  identity: Identity,
  wanted: string | null | undefined,
): Promise<string | null> {
  if (wanted === null || identity.kind === 'nobody') return null;
  const dir = wanted === undefined ? join(dataDir, 'socket') : resolve(wanted);
  if (Buffer.byteLength(join(dir, '.s.PGSQL.65535')) >= SOCKET_PATH_BYTES_MAX) return null;
  // Ours alone and no server is running: what is in it is left over, and its lock file could stop a new server.
  if (wanted === undefined) await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return dir;
}

/** TLS is ruled out by name, because PGSSLMODE in the caller's environment would demand it. */
const urlOf = (cluster: Cluster, port: number): string =>
  `postgresql://${ROLE}:${cluster.password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`;

const socketUrlOf = (cluster: Cluster, socketDir: string, port: number): string =>
  `postgresql://${ROLE}:${cluster.password}@${encodeURIComponent(socketDir)}:${port}/${DATABASE}?sslmode=disable`;
