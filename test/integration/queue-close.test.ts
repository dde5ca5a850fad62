import { describe, expect, test } from 'vitest';
import { closedWithout } from '../kit/queue-close.ts';
import { hasRedis } from '../e2e/kit/has-redis.ts';
import { startRedisServer } from './queue-kit.ts';

describe.skipIf(!hasRedis('a queue that is closed while its store is gone'))('on Redis', () => {
  test('a process whose queue is closed while its store is gone ends by itself', async () => {
    await using server = await startRedisServer();
    expect(await closedWithout(server.address, () => server.down())).toBe(0);
  });
});
