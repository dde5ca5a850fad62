import { expect, test } from 'vitest';
import { connectionsOf, shareSizes, shortOfConnections } from '../../../src/main/connections.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';

const WITH_QUEUE = { databasePool: 12, hasQueue: true, shards: 1 };

test('a process of every role asks for its pool, what is beside it, and what the queue needs', () => {
  const { queueConnections, workerConnections } = QUEUE_LIMITS;
  const all = ['api', 'worker', 'projector', 'clock'] as const;
  const queue = queueConnections + queueConnections + workerConnections + 1;
  expect(connectionsOf(all, WITH_QUEUE)).toBe(12 + 3 + queue);
  expect(connectionsOf(all, { ...WITH_QUEUE, hasQueue: false })).toBe(15);
  expect(connectionsOf(['projector'], WITH_QUEUE)).toBe(15);
  expect(connectionsOf(all, { ...WITH_QUEUE, shards: 6 })).toBe(12 + 3 + 6 * queue);
  expect(connectionsOf(all, { ...WITH_QUEUE, hasQueue: false, shards: 6 })).toBe(15);
});

test('callers, the engine and probes divide the pool, and the engine has two at least', () => {
  expect(shareSizes(['api', 'worker'], 12)).toEqual({ reads: 3, writes: 2, engine: 6, probes: 1 });
  expect(shareSizes(['api'], 6)).toEqual({ reads: 2, writes: 1, engine: 2, probes: 1 });
  expect(shareSizes(['worker', 'clock'], 12)).toEqual({
    reads: 0,
    writes: 0,
    engine: 11,
    probes: 1,
  });
  expect(shareSizes(['api'], 2)).toEqual({ reads: 1, writes: 1, engine: 2, probes: 1 });
  expect(connectionsOf(['api'], { ...WITH_QUEUE, databasePool: 2, hasQueue: false })).toBe(5 + 3);
});

test('too few are told with what asks for them and what others use', () => {
  const sum = { wanted: 60, processes: 3, usable: 97, others: 40 };
  expect(shortOfConnections({ ...sum, others: 37 })).toBeNull();
  expect(shortOfConnections(sum)).toBe(
    '3 processes need up to 60 database connections, but the database server allows 97, of which other programs use 40',
  );
  expect(shortOfConnections({ wanted: 24, processes: 1, usable: 20, others: 0 })).toBe(
    '1 process needs up to 24 database connections, but the database server allows 20',
  );
});
