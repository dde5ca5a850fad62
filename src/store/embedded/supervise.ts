import { setTimeout as delay } from 'node:timers/promises';
import { awaitChildrenOfDead } from './postmaster-file.ts';
import { runPostmaster, type Postmaster, type RunOptions } from './server.ts';
import { BOUNDS } from './settings.ts';

export type ServerEvent =
  /** The server has ended although nobody asked for it. */
  | { readonly kind: 'server-died'; readonly how: string }
  | { readonly kind: 'server-restarted'; readonly pid: number }
  /** It does not stay up; nothing more is tried. */
  | { readonly kind: 'server-given-up'; readonly reason: string };

export interface Supervised {
  pid(): number;
  stop(): Promise<void>;
}

/**
 * Keeps a server running until it is stopped: one that dies by itself is started again on the same port. Data is safe
 * meanwhile, the new one recovers it. One that dies again and again is given up.
 */
export function supervise(
  first: Postmaster,
  run: Omit<RunOptions, 'signal'>,
  onEvent: (event: ServerEvent) => void,
): Supervised {
  const stopping = new AbortController();
  let current = first;
  // Where no parent-death signal exists, at least an orderly exit of ours takes the server along.
  const atExit = () => current.stopAtExit();
  process.once('exit', atExit);

  const watch = async () => {
    const deaths: number[] = [];
    for (;;) {
      const how = await current.ended;
      if (stopping.signal.aborted) return;
      onEvent({ kind: 'server-died', how });
      const now = performance.now();
      deaths.push(now);
      const recent = deaths.filter((at) => now - at < BOUNDS.restartWindowMs);
      if (recent.length > BOUNDS.restartsMax) {
        throw new Error(`it died ${recent.length} times in ${BOUNDS.restartWindowMs} ms`);
      }
      // The first time at once; then slower, for a cause that needs time to go away.
      await delay((recent.length - 1) * 200, undefined, { signal: stopping.signal });
      await awaitChildrenOfDead(run.cluster.dir, stopping.signal);
      const next = await runPostmaster({ ...run, signal: stopping.signal });
      if (stopping.signal.aborted) return next.stop(); // asked for while it became ready
      current = next;
      onEvent({ kind: 'server-restarted', pid: current.pid });
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    onEvent({ kind: 'server-given-up', reason });
  });

  return {
    pid: () => current.pid,
    stop: async () => {
      stopping.abort();
      await current.stop();
      await watching;
      process.off('exit', atExit);
    },
  };
}
