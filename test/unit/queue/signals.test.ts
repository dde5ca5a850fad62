import { expect, test } from 'vitest';
import { trusted } from '../../../src/domain/ids.ts';
import { createSignals, wakingRelay } from '../../../src/queue/signals.ts';
import { change, succeeded, writes } from '../../kit/store-rows.ts';

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

const SAVED = [writes({ changes: [succeeded(change()), change()] })];

test('the relay of a process looks when what it has committed moves effects, and only then', () => {
  let wakes = 0;
  const told: (readonly object[])[] = [];
  const observer = wakingRelay(
    'us',
    { effectsDue: () => (wakes += 1) },
    {
      committed: (saved) => told.push(saved),
    },
  );
  expect(observer.process).toBe('us');
  observer.committed(SAVED, 0);
  expect(wakes).toBe(0);
  const { id: changeId } = change();
  const begun = [writes({ newEffects: [{ id: trusted('fx-1'), changeId, dueAt: '' }] })];
  observer.committed(begun, 0);
  expect(wakes).toBe(1);
  const again = [writes({}), writes({ effectsDue: [{ changeId, inMs: 10 }] })];
  observer.committed(again, 0);
  expect(wakes).toBe(2);
  expect(told).toEqual([SAVED, begun, again]);
  observer.failed?.(SAVED);
  expect(wakes).toBe(2);
  observer.failed?.(begun);
  expect(wakes).toBe(3);
  expect(told).toHaveLength(3);
});
