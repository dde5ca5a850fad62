import pRetry from 'p-retry';
import { awaitChildrenOfDead, clearOrphans } from './postmaster-file.ts';
import { runPostmaster, type Postmaster, type RunOptions } from './server.ts';
import { BOUNDS } from './settings.ts';
import { sleep } from '../../src/app/ports/wakeup.ts';
import type { Backoff } from '../../src/domain/backoff.ts';
import { backoffDelayMs } from '../../src/domain/backoff.ts';
import { errorText } from '../../src/domain/error-text.ts';

export type ServerEvent =
  /** The server has ended without a request. */
  | { readonly kind: 'server-died'; readonly how: string }
  | { readonly kind: 'server-restarted'; readonly pid: number }
  /** It does not start again, for this reason; told once for each, and tried on. */
  | { readonly kind: 'server-down'; readonly reason: string };

export interface Supervised {
  pid(): number;
  /** Why the server is not there now, in one line; null while it is. */
  trouble(): string | null;
  stop(): Promise<void>;
}

const RESTART: Backoff = {
  firstMs: BOUNDS.restartMsMin,
  maxMs: BOUNDS.restartMsMax,
  jitter: 0,
};

/** The first time at once; then slower, for a cause that needs time to go away. */
const pauseMs = (failures: number): number =>
  failures <= 1 ? 0 : backoffDelayMs(RESTART, failures - 2);

/**
 * Keeps a server running until it is stopped: one that dies is restarted on the same port, without a limit on time.
 * Data is safe meanwhile, because the new server recovers it. No obstacle to a start is final: a disk may get space, a
 * port may become free. `stop` ends the supervision.
 */
export function supervise(
  first: Postmaster,
  run: Omit<RunOptions, 'signal'>,
  onEvent: (event: ServerEvent) => void,
): Supervised {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current = first;
  let trouble: string | null = null;
  // Where no parent-death signal exists, at least an orderly exit of ours takes the server along.
  const atExit = () => current.stopAtExit();
  process.once('exit', atExit);

  const startOnce = async (): Promise<void> => {
    try {
      // Removes what a crash on a full disk, or another program with the old process ID, has left.
      await clearOrphans(run.cluster.dir, signal);
      await awaitChildrenOfDead(run.cluster.dir, signal);
      current = await runPostmaster({ ...run, signal });
    } catch (error) {
      signal.throwIfAborted();
      const reason = errorText(error);
      if (reason !== trouble) onEvent({ kind: 'server-down', reason });
      trouble = reason;
      // A plain error: a type error would count as a mistake that no repetition mends.
      throw new Error(reason, { cause: error });
    }
    if (signal.aborted) await current.stop(); // asked for while it became ready
  };

  /** @param failures in a row, the death that it is about among them */
  const startAgain = async (failures: number): Promise<void> => {
    await sleep(pauseMs(failures), signal);
    const { maxMs: maxTimeout } = RESTART;
    const minTimeout = pauseMs(failures + 1);
    await pRetry(startOnce, { retries: Infinity, minTimeout, maxTimeout, signal });
  };

  const watch = async () => {
    for (let failures = 0; ;) {
      const beganMs = performance.now();
      const how = await current.ended;
      if (signal.aborted) return;
      const lasted = performance.now() - beganMs >= BOUNDS.steadyMs;
      failures = lasted ? 1 : failures + 1;
      trouble = `the embedded PostgreSQL has ended with ${how}`;
      onEvent({ kind: 'server-died', how });
      await startAgain(failures);
      trouble = null;
      onEvent({ kind: 'server-restarted', pid: current.pid });
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  // `stop` reports the failure.
  watching.catch(() => undefined);

  return {
    pid: () => current.pid,
    trouble: () => trouble,
    stop: async () => {
      stopping.abort();
      await current.stop();
      await watching;
      process.off('exit', atExit);
    },
  };
}
