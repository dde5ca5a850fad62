import { expect, test } from 'vitest';
import { whyNoWrites } from '../../../src/queue/redis-info.ts';

const WELL = {
  role: 'master',
  used_memory: '900',
  maxmemory: '1000',
  maxmemory_policy: 'noeviction',
  aof_last_write_status: 'ok',
  rdb_last_bgsave_status: 'ok',
};
const info = (over: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ ...WELL, ...over })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('');

test.each([
  ['nothing', {}, null],
  ['no bound of memory', { maxmemory: '0' }, null],
  ['memory that makes room', { used_memory: '2000', maxmemory_policy: 'allkeys-lru' }, null],
  ['a replica', { role: 'slave' }, 'replica'],
  ['full memory', { used_memory: '1000' }, '1000 of 1000 bytes'],
  ['a full disk', { aof_last_write_status: 'err' }, 'append-only file'],
  ['a snapshot that failed', { rdb_last_bgsave_status: 'err' }, 'snapshot'],
  ['no replica where one must be', { min_slaves_good_slaves: '0' }, 'requires connected replicas'],
])('of a Redis with %s', (_, over, why) => {
  const found = whyNoWrites(info(over));
  expect(found).toEqual(why === null ? null : expect.stringContaining(why));
});
