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
  /** The server could not be restarted for this reason. Reported once per reason; the attempts continue. */
  | { readonly kind: 'server-down'; readonly reason: string };

export interface Supervised {
  pid(): number;
  /** Returns in one line why the server is unavailable now; null while it runs. */
  trouble(): string | null;
  stop(): Promise<void>;
}

const RESTART: Backoff = {
  firstMs: BOUNDS.restartMsMin,
  maxMs: BOUNDS.restartMsMax,
  jitter: 0,
};

/**
 * Returns the pause before a restart: none before the first one, then longer pauses, so that the cause has time to
 * disappear.
 */
const pauseMs = (failures: number): number =>
  failures <= 1 ? 0 : backoffDelayMs(RESTART, failures - 2);

/**
 * Keeps a server running until it is stopped: a server that dies is restarted on the same port, without a limit on
 * time. Data is safe during this time, because the new server recovers it. No failure to start is final: disk space may
 * become available, or the port may become free. `stop` ends the supervision.
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
  // On systems without a parent-death signal, the server is stopped at least when this process exits in order.
  const atExit = () => current.stopAtExit();
  process.once('exit', atExit);

  const startOnce = async (): Promise<void> => {
    try {
      // Removes files that would prevent a start: a crash on a full disk has left them, or they name a process ID that
      // another program has now.
      await clearOrphans(run.cluster.dir, signal);
      await awaitChildrenOfDead(run.cluster.dir, signal);
      current = await runPostmaster({ ...run, signal });
    } catch (error) {
      signal.throwIfAborted();
      const reason = errorText(error);
      if (reason !== trouble) onEvent({ kind: 'server-down', reason });
      trouble = reason;
      // A plain Error is thrown, because p-retry does not repeat after a TypeError.
      throw new Error(reason, { cause: error });
    }
    if (signal.aborted) await current.stop(); // the supervision was stopped while the server was starting
  };

  /** Restarts the server. @param failures number of consecutive deaths of the server, including the latest */
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
      trouble = `the embedded PostgreSQL has ended unexpectedly with ${how}`;
      onEvent({ kind: 'server-died', how });
      await startAgain(failures);
      trouble = null;
      onEvent({ kind: 'server-restarted', pid: current.pid });
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  // A failure is reported by `stop`, which awaits this promise.
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
