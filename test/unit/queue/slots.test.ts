import { expect, test } from 'vitest';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import { createSlots } from '../../../src/queue/turns.ts';

const never = new AbortController().signal;

/** Takes all slots, and then lets callers ask for one. Each caller returns its slot at once. */
async function crowded() {
  const slots = createSlots(1);
  const giveBack = await slots.take(never);
  const order: string[] = [];
  const asking: Promise<void>[] = [];
  const turn = async (name: string, isAhead: boolean, signal: AbortSignal): Promise<void> => {
    const end = await slots.take(signal, isAhead);
    order.push(name);
    end();
  };
  const ask = (name: string, isAhead: boolean, signal = never): void => {
    asking.push(turn(name, isAhead, signal));
  };
  const letGo = async () => {
    giveBack();
    return Promise.allSettled(asking);
  };
  return { slots, order, ask, letGo };
}

test('no more have a place than there are, in the order of the asking', async () => {
  const slots = createSlots(2);
  const ends = await Promise.all([slots.take(never), slots.take(never)]);
  const order: number[] = [];
  const more = [1, 2, 3].map(async (n) => {
    const end = await slots.take(never);
    order.push(n);
    return end;
  });
  await Promise.resolve();
  expect(order).toEqual([]);
  for (const end of ends) end();
  await Promise.all(more.slice(0, 2));
  expect(order).toEqual([1, 2]);
  (await more[0])?.();
  await more[2];
  expect(order).toEqual([1, 2, 3]);
});

test('what goes ahead has the next place, whatever waits already', async () => {
  const { ask, letGo, order } = await crowded();
  for (const n of [1, 2, 3]) ask(`behind ${n}`, false);
  ask('ahead 1', true);
  ask('ahead 2', true);
  await letGo();
  expect(order).toEqual(['ahead 1', 'ahead 2', 'behind 1', 'behind 2', 'behind 3']);
});

test('however much goes ahead, what does not has every fourth place', async () => {
  const { ask, letGo, order } = await crowded();
  for (const n of [1, 2]) ask(`behind ${n}`, false);
  for (let n = 1; n <= 3 * QUEUE_LIMITS.aheadInRow; n += 1) ask('ahead', true);
  await letGo();
  expect(order.indexOf('behind 1')).toBe(QUEUE_LIMITS.aheadInRow);
  expect(order.indexOf('behind 2')).toBe(2 * QUEUE_LIMITS.aheadInRow + 1);
});

test('what is not wanted any more leaves its turn to the next', async () => {
  const { slots, ask, letGo, order } = await crowded();
  const stopped = new AbortController();
  ask('ahead', true, stopped.signal);
  ask('behind', false, stopped.signal);
  ask('another', false);
  stopped.abort(new Error('stopped'));
  const ended = await letGo();
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(order).toEqual(['another']);
  await expect(slots.take(stopped.signal)).rejects.toThrow('stopped');
});
