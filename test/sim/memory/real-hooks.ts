import type { After, Hooks } from './hooks.ts';

/** Timers on the real clock, for tests of code that otherwise runs on the simulated one. */
export const realAfter: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** Hooks with a network that lets other work run between any two steps. */
export const realHooks = (): Hooks => ({
  after: realAfter,
  step: () => new Promise((resolve) => setImmediate(resolve)),
});
