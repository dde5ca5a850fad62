import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import { isAlive, isPostgresOn, postgresProcessesOn, sendSignal } from './process-facts.ts';
import { BOUNDS } from './settings.ts';

/** The contents of a server's `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number;
  /** `starting`, `stopping`, `ready` or `standby`; empty if the server has not written it yet. */
  readonly status: string;
}

/**
 * Reads the `postmaster.pid` of a cluster. Returns null if the file does not exist, and `unreadable` if it is
 * incomplete.
 */
export async function readPostmasterFile(
  clusterDir: string,
): Promise<PostmasterFile | 'unreadable' | null> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(
    (error: unknown) => {
      if (hasSystemCode(error, 'ENOENT')) return null;
      throw error;
    },
  );
  if (text === null) return null;
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!(pid > 0)) return 'unreadable';
  return { pid, status: (lines[7] ?? '').trim() };
}

/**
 * Makes sure that no other server runs on the cluster. The caller must have claimed the data folder, so any server that
 * is found has lost its launcher.
 *
 * Such an orphaned server is stopped and not reused. A start takes only 30 ms, and only a child process reports its
 * end, ends together with this process, and has the current settings. No signal is sent to a process that is not a
 * PostgreSQL server working in this directory.
 *
 * A pid file whose process is dead is kept, because the server itself knows best when to overwrite it. Two kinds of pid
 * file would stop the server from starting: one that names another live process (the ID was reused, as happens in
 * containers and after a reboot), and one that a crash has left empty. Such a file is removed, but only if no process
 * of the old server is left, because the file protects the shared memory from a second server. If this cannot be found
 * out, the file is kept and the server reports the error.
 *
 * @throws EmbeddedPostgresError `DATA_DIR_UNUSABLE` if a server does not end
 */
export async function clearOrphans(clusterDir: string, signal: AbortSignal): Promise<void> {
  const file = await readPostmasterFile(clusterDir);
  if (file === null) return;
  if (file !== 'unreadable' && (await isPostgresOn(file.pid, clusterDir, signal))) {
    await stopForeign(file.pid, clusterDir, signal);
  }
  if (!(await awaitChildrenOfDead(clusterDir, signal))) return;
  const left = await readPostmasterFile(clusterDir);
  if (left === 'unreadable' || (left !== null && isAlive(left.pid))) {
    await rm(join(clusterDir, 'postmaster.pid'), { force: true });
  }
}

async function stopForeign(pid: number, clusterDir: string, signal: AbortSignal): Promise<void> {
  const steps = [
    { send: 'SIGINT', waitMs: BOUNDS.stopMs },
    { send: 'SIGQUIT', waitMs: BOUNDS.quitMs },
    { send: 'SIGKILL', waitMs: BOUNDS.quitMs },
  ] as const;
  for (const step of steps) {
    if (!(await isPostgresOn(pid, clusterDir, signal))) return;
    sendSignal(pid, step.send);
    const gone = await eventually(
      async () => !(await isPostgresOn(pid, clusterDir, signal)),
      step.waitMs,
      signal,
    );
    if (gone) return;
  }
  throw stillThere(clusterDir, [pid]);
}

/**
 * Waits for the children of a server process that was killed. They notice its end and end by themselves. As long as one
 * of them runs, another server must not be started.
 *
 * @returns false if the operating system does not tell which processes belong to the server
 */
export async function awaitChildrenOfDead(
  clusterDir: string,
  signal: AbortSignal,
): Promise<boolean> {
  let left: readonly number[] | null = null;
  const gone = await eventually(
    async () => {
      left = await postgresProcessesOn(clusterDir, signal);
      return left === null || left.length === 0;
    },
    BOUNDS.stopMs,
    signal,
  );
  if (!gone) throw stillThere(clusterDir, left ?? []);
  return left !== null;
}

function stillThere(clusterDir: string, pids: readonly number[]): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'DATA_DIR_UNUSABLE',
    `a PostgreSQL of an earlier start still runs in ${clusterDir} (process ${pids.join(', ')}): stop it`,
  );
}

async function eventually(
  holds: () => Promise<boolean>,
  withinMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) return false;
    await delay(BOUNDS.pollMs, undefined, { signal });
  }
  return true;
}
