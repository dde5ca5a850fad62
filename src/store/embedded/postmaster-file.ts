import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import { isAlive, isPostgresOn, postgresProcessesOn, sendSignal } from './process-facts.ts';
import { BOUNDS } from './settings.ts';

/** What a server says about itself in `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number;
  /** `starting`, `stopping`, `ready` or `standby`; empty before the server has written it. */
  readonly status: string;
}

/** Null when there is no such file, or not yet a whole one. */
export async function readPostmasterFile(clusterDir: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(
    (error: unknown) => {
      if (hasSystemCode(error, 'ENOENT')) return '';
      throw error;
    },
  );
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!(pid > 0)) return null;
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
 * other live process (the number was given out again, as happens in containers and after a reboot) would stop the
 * server from starting, so it is removed; but only once no process of the old server is left, because the file is what
 * keeps two servers off the same shared memory.
 *
 * @throws EmbeddedPostgresError `DATA_DIR_UNUSABLE` when a server does not end
 */
export async function clearOrphans(clusterDir: string, signal: AbortSignal): Promise<void> {
  const file = await readPostmasterFile(clusterDir);
  if (file === null) return;
  if (await isPostgresOn(file.pid, clusterDir, signal)) {
    await stopForeign(file.pid, clusterDir, signal);
  }
  await awaitChildrenOfDead(clusterDir, signal);
  const left = await readPostmasterFile(clusterDir);
  if (left !== null && isAlive(left.pid) && process.platform === 'linux') {
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
 */
export async function awaitChildrenOfDead(clusterDir: string, signal: AbortSignal): Promise<void> {
  let left: readonly number[] = [];
  const gone = await eventually(
    async () => {
      left = (await postgresProcessesOn(clusterDir, signal)) ?? [];
      return left.length === 0;
    },
    BOUNDS.stopMs,
    signal,
  );
  if (!gone) throw stillThere(clusterDir, left);
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
