import { readFile, readdir, readlink, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { runToEnd } from './child.ts';
import { BOUNDS } from './settings.ts';

/*
 * Facts about a process that is no child of this one. A process ID alone proves nothing, because another program may
 * have got it since it was recorded. Linux answers from /proc, other systems through ps.
 */

const onLinux = process.platform === 'linux';

/**
 * A text that is the same as long as the same process has this ID, and null when no such process runs.
 * Boot and start time on Linux, start time elsewhere.
 */
export async function birthOf(pid: number, signal: AbortSignal): Promise<string | null> {
  if (!isAlive(pid)) return null;
  if (!onLinux) {
    const listed = await ps(['-o', 'lstart=', '-p', String(pid)], signal);
    return listed.trim() === '' ? null : listed.trim();
  }
  try {
    const [boot, status] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // The second field is the program's name in parentheses and may contain anything; count from behind it.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    return state === 'Z' || state === 'X' ? null : `${boot.trim()} ${fields[19] ?? ''}`;
  } catch {
    return null;
  }
}

/** True only for a PostgreSQL server that works in this very directory, whatever path it was started with. */
export async function isPostgresOn(
  pid: number,
  clusterDir: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (!onLinux) {
    const command = await ps(['-o', 'command=', '-p', String(pid)], signal);
    return /\bpostgres\b/.test(command) && command.includes(clusterDir);
  }
  try {
    const [program, cwd, cluster] = await Promise.all([
      readlink(`/proc/${pid}/exe`),
      stat(`/proc/${pid}/cwd`),
      stat(clusterDir),
    ]);
    // A server whose binary has been replaced is shown as "postgres (deleted)".
    const name = basename(program).replace(/ \(deleted\)$/, '');
    return name === 'postgres' && cwd.dev === cluster.dev && cwd.ino === cluster.ino;
  } catch {
    return false; // gone meanwhile, or somebody else's and hence not ours to touch
  }
}

/**
 * The processes of a server on this directory: the postmaster and its children, which outlive it for a moment when it
 * is killed. Null where the system does not tell.
 */
export async function postgresProcessesOn(
  clusterDir: string,
  signal: AbortSignal,
): Promise<readonly number[] | null> {
  if (!onLinux) return null;
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const found = await Promise.all(
    pids.map(async (pid) => ((await isPostgresOn(pid, clusterDir, signal)) ? pid : null)),
  );
  return found.filter((pid) => pid !== null);
}

/** Sends a signal; false when the process is gone or not ours. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Whether any process has this ID now. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function ps(args: readonly string[], signal: AbortSignal): Promise<string> {
  const { stdout } = await runToEnd({ file: 'ps', args }, { timeoutMs: BOUNDS.probeMs, signal });
  return stdout;
}
