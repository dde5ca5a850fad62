import { tmpdir, userInfo } from 'node:os';
import { copyForEveryone, type Binaries } from './binaries.ts';
import { runToEnd, type Invocation } from './child.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import { BOUNDS } from './settings.ts';

/** The ID of the user `nobody` on Linux. */
export const NOBODY = 65_534;

/**
 * The user that the server runs as. The server refuses root, and `initdb` refuses a user without a name.
 * - `caller`: the current user.
 * - `namespace`: the current user, named nobody inside a user namespace of its own. Files keep their owner, so this
 *   works in folders that only root can enter, and for user IDs without a name (as in containers).
 * - `nobody`: the real user nobody, for root if namespaces are forbidden (as in most containers). The data is given to
 *   nobody. As nobody may be unable to reach the data by its path, the server is started inside the folder and gets the
 *   folder as a relative path.
 */
export type IdentityKind = 'caller' | 'namespace' | 'nobody';

/** The features of the host that the launcher may use. Tests remove some. */
export interface Host {
  /** The names of these programs of util-linux; null means that the program must not be used. */
  readonly setpriv: string | null;
  readonly unshare: string | null;
  /** Folders in which a copy of the binaries for other users may be created, best first. */
  readonly sharedFolders: readonly string[];
}

/**
 * The features of an ordinary host. `/var/tmp` is preferred, because it survives a reboot and `/tmp` may be mounted
 * noexec.
 */
export const HOST: Host = {
  setpriv: 'setpriv',
  unshare: 'unshare',
  sharedFolders: ['/var/tmp', '/tmp', tmpdir()],
};

export interface Identity {
  readonly kind: IdentityKind;
  /** The binaries that this identity can run. */
  readonly binaries: Binaries;
  /** The required owner of the data; null for the current owner. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /**
   * Returns how to run a program as this identity.
   *
   * @param onParentDeath the signal that the kernel sends to the program when this process ends for any reason. Without
   *   `setpriv` (on systems other than Linux) no signal is sent; the next start then finds the orphaned server.
   */
  invoke(file: string, args: readonly string[], onParentDeath: ParentDeathSignal): Invocation;
}

/**
 * Finds out as which user the server can run here: uses the first identity as which the server binary can print its
 * version.
 *
 * @throws EmbeddedPostgresError `BINARIES_UNUSABLE` with the server's error output, `PLATFORM_UNSUPPORTED`
 */
export async function chooseIdentity(
  binaries: Binaries,
  host: Host,
  signal: AbortSignal,
): Promise<Identity> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && process.platform !== 'linux') {
    throw new EmbeddedPostgresError(
      'PLATFORM_UNSUPPORTED',
      'root can start the embedded PostgreSQL only on Linux: run as another user, or set DATABASE_URL',
    );
  }
  // A user without a name can start the server without a namespace, but cannot create a cluster, and initdb reports
  // this.
  const kinds: readonly IdentityKind[] = isRoot
    ? ['namespace', 'nobody']
    : hasName()
      ? ['caller']
      : ['namespace', 'caller'];
  const found = await firstThatRuns(
    kinds.flatMap((kind) => waysToBe(kind, binaries, host)),
    signal,
  );
  if (found instanceof Error && isRoot) return asNobodyWithCopy(binaries, host, signal);
  if (found instanceof Error) throw found;
  return found;
}

async function asNobodyWithCopy(
  binaries: Binaries,
  host: Host,
  signal: AbortSignal,
): Promise<Identity> {
  const copy = await copyForEveryone(binaries, host.sharedFolders, async (candidate) => {
    const found = await firstThatRuns(waysToBe('nobody', candidate, host), signal);
    return !(found instanceof Error);
  });
  const found = await firstThatRuns(waysToBe('nobody', copy, host), signal);
  if (found instanceof Error) throw found;
  return found;
}

async function firstThatRuns(
  candidates: readonly Identity[],
  signal: AbortSignal,
): Promise<Identity | EmbeddedPostgresError> {
  let said = '';
  for (const candidate of candidates) {
    const invocation = candidate.invoke(candidate.binaries.postgres, ['--version'], 'KILL');
    const finished = await runToEnd(invocation, { timeoutMs: BOUNDS.probeMs, signal });
    if (finished.exitCode === 0) return candidate;
    said = finished.stderr.trim() || `exit code ${finished.exitCode ?? 'none'}`;
  }
  return new EmbeddedPostgresError(
    'BINARIES_UNUSABLE',
    `the embedded PostgreSQL cannot run on this machine: ${said}`,
  );
}

/**
 * Returns the ways to run programs as this kind: first with the signal on the death of this process, then without it,
 * because Busybox has a setpriv that lacks this option.
 */
function waysToBe(kind: IdentityKind, binaries: Binaries, host: Host): readonly Identity[] {
  const { setpriv, unshare } = host;
  if (kind === 'namespace' && unshare === null) return [];
  const enter =
    kind === 'namespace' && unshare !== null
      ? [unshare, '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--']
      : [];
  const unbound = identity(kind, binaries, () => enter);
  if (setpriv === null || process.platform !== 'linux') return [unbound];
  const bind = (onParentDeath: ParentDeathSignal) => [setpriv, '--pdeathsig', onParentDeath, '--'];
  return [identity(kind, binaries, (death) => [...enter, ...bind(death)]), unbound];
}

type ParentDeathSignal = 'INT' | 'KILL';
/** Returns the words that come before a command and run it as an identity. */
type Prefix = (onParentDeath: ParentDeathSignal) => readonly string[];

function identity(kind: IdentityKind, binaries: Binaries, prefix: Prefix): Identity {
  const isRoot = process.getuid?.() === 0;
  const owner = { uid: kind === 'nobody' ? NOBODY : 0, gid: kind === 'nobody' ? NOBODY : 0 };
  return {
    kind,
    binaries,
    owner: isRoot ? owner : null,
    invoke: (file, args, onParentDeath) => {
      const [first = file, ...rest] = [...prefix(onParentDeath), file, ...args];
      return {
        file: first,
        args: rest,
        ...(kind === 'nobody' ? { uid: NOBODY, gid: NOBODY } : {}),
      };
    },
  };
}

function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false; // the user has no name, because no password file contains the user ID
  }
}
