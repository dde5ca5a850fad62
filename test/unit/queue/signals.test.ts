import { expect, test } from 'vitest';
import { createSignals } from '../../../src/queue/signals.ts';

test('signals of the own process reach who listens until they stop', () => {
  const signals = createSignals();
  let wakes = 0;
  signals.effectsDue();
  const stop = signals.onEffectsDue(() => {
    wakes += 1;
  });
  signals.effectsDue();
  signals.effectsDue();
  stop();
  signals.effectsDue();
  expect(wakes).toBe(2);
});
