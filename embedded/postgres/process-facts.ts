import { readFile, readdir, readlink, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { runToEnd } from './child.ts';
import { BOUNDS } from './settings.ts';

/*
 * Facts about a process that is not a child of this process. A process ID alone proves nothing, because it may have
 * been reused by another program. The facts come from /proc on Linux, and from ps on other systems.
 */

const onLinux = process.platform === 'linux';

/**
 * Returns a text that identifies the process that has this ID now: boot time and start time on Linux, the start time on
 * other systems. Returns null if no process has this ID.
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
    // The second field is the program's name in parentheses and may contain any characters, so the fields are counted
    // after its end.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    return state === 'Z' || state === 'X' ? null : `${boot.trim()} ${fields[19] ?? ''}`;
  } catch {
    return null;
  }
}

/**
 * Returns whether the process is a PostgreSQL server that works in this directory, under whatever path it was started.
 */
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
    // Linux shows a server whose binary has been replaced as "postgres (deleted)".
    const name = basename(program).replace(/ \(deleted\)$/, '');
    return name === 'postgres' && cwd.dev === cluster.dev && cwd.ino === cluster.ino;
  } catch {
    return false; // the process has ended, or belongs to another user; then it must not be touched
  }
}

/**
 * Returns the processes of a server on this directory: the server process and its children, which live a little longer
 * if it is killed. Returns null if the operating system does not provide this information.
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

/** Sends a signal. Returns false if the process has ended or belongs to another user. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Returns whether any process has this ID now. */
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
