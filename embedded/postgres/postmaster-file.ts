import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import { isAlive, isPostgresOn, postgresProcessesOn, sendSignal } from './process-facts.ts';
import { BOUNDS } from './settings.ts';

/** The contents of a server's `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number;
  /** `starting`, `stopping`, `ready` or `standby`; empty before the server has written it. */
  readonly status: string;
}

/** Null when there is no such file; `unreadable` for one that is not, or not yet, whole. */
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
 * Makes the cluster free for a server of ours. May only be called with the data folder claimed: a server that is found
 * then has lost its launcher.
 *
 * An orphan is stopped and not adopted, because a start costs 30 ms, and only a child tells us when it ends, ends with
 * us, and has the settings of today. Nothing is ever sent to a process that is not a PostgreSQL at work in this very
 * directory.
 *
 * A pid file whose process is dead is left to the server, which knows best when to overwrite it. One that names some
 * other live process (the number was given out again, as happens in containers and after a reboot), or that a crash has
 * left empty, would stop the server from starting, so it is removed; but only once no process of the old server is
 * left, because the file is what keeps two servers off the same shared memory. Where that cannot be known, the server
 * is left to complain.
 *
 * @throws EmbeddedPostgresError `DATA_DIR_UNUSABLE` when a server does not end
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
 * Waits for the processes of a postmaster that was killed. They notice and end by themselves; as long as one is at
 * work, another server must not be started.
 *
 * @returns false where the system does not tell whose processes are whose
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
    `a PostgreSQL of an earlier start is still at work in ${clusterDir} (process ${pids.join(', ')}); stop it`,
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
