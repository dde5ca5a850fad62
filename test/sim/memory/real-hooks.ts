import type { After, Hooks } from './hooks.ts';

/** Timers that use the real clock, for tests of code that otherwise runs with simulated time. */
export const realAfter: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** Returns hooks that imitate a network: other work can run between any two steps. */
export const realHooks = (): Hooks => ({
  after: realAfter,
  step: () => new Promise((resolve) => setImmediate(resolve)),
});
