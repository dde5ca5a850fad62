import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/domain/limits.ts';
import { queueNameOf, shardOf, shardPrefix } from '../../../src/queue/shards.ts';

test('a lane is always of the same shard, in every version', () => {
  // These values must never change, because relays of two versions may run at the same time.
  expect(['install-1', 'install-2', 'license-a', ''].map((lane) => shardOf(lane, 6))).toEqual([
    2, 0, 3, 2,
  ]);
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: LIMITS.queueShardsMax }), (lane, shards) => {
      const shard = shardOf(lane, shards);
      expect(shard).toBe(shardOf(lane, shards));
      expect(shard).toBeGreaterThanOrEqual(0);
      expect(shard).toBeLessThan(shards);
    }),
  );
});

test('lanes are spread over the shards', () => {
  const counts = [0, 0, 0, 0];
  for (let n = 0; n < 4_000; n += 1) counts[shardOf(`install-${n}`, 4)]! += 1;
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(200);
});

test('the first shard is the queue as it was, and each other has a name and a slot of its own', () => {
  expect([queueNameOf(0), shardPrefix('{tenure}', 0)]).toEqual(['submit-command', '{tenure}']);
  expect([queueNameOf(3), shardPrefix('{tenure}', 3)]).toEqual(['submit-command-3', '{tenure:3}']);
  const places = Array.from(
    { length: LIMITS.queueShardsMax },
    (_, shard) => `${shardPrefix('{tenure}', shard)}:${queueNameOf(shard)}`,
  );
  expect(new Set(places).size).toBe(LIMITS.queueShardsMax);
});
