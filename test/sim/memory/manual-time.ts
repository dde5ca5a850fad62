import type { After } from './hooks.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** Resolves when everything has run that needs no time to pass. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock that a test advances by hand. */
export function manualTime(startMs = Date.parse('2026-01-01T00:00:00Z')) {
  const timers = new Set<Timer>();
  let nowMs = startMs;
  const after: After = (ms, run) => {
    const timer = { atMs: nowMs + ms, run };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const next = (untilMs: number): Timer | undefined =>
    [...timers].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0];
  return {
    after,
    now: () => nowMs,
    /** Advances the time from timer to timer. All consequences of one timer come before the next timer. */
    async pass(ms: number): Promise<void> {
      const untilMs = nowMs + ms;
      await settled();
      for (let timer = next(untilMs); timer !== undefined; timer = next(untilMs)) {
        timers.delete(timer);
        nowMs = timer.atMs;
        timer.run();
        await settled();
      }
      nowMs = untilMs;
    },
  };
}

/** Returns whether a promise is pending, fulfilled or rejected at this moment. */
export async function fateOf(
  promise: Promise<unknown>,
): Promise<'fulfilled' | 'rejected' | 'open'> {
  let fate: 'fulfilled' | 'rejected' | 'open' = 'open';
  const end = (how: typeof fate) => (): void => {
    fate = how;
  };
  promise.then(end('fulfilled'), end('rejected'));
  await settled();
  return fate;
}
