import type { After, Hooks } from './hooks.ts';

/** On the real clock, for tests of what runs on the simulated one. */
export const realAfter: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** With a network that lets others in between any two steps. */
export const realHooks = (): Hooks => ({
  after: realAfter,
  step: () => new Promise((resolve) => setImmediate(resolve)),
});
