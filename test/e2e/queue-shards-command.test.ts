import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { queueShards } from '../../src/main/queue-shards.ts';
import { forFile } from '../kit/for-file.ts';
import { testDatabase } from '../kit/postgres.ts';
import { runCommand } from './kit/tenure-command.ts';

/* The command `tenure queue shards`. The tests in test/cluster change the number of shards under load. */

const database = await forFile(testDatabase());
const folder = await mkdtemp(join(tmpdir(), 'tenure-queue-'));
afterAll(() => rm(folder, { recursive: true }));

const env = { DATABASE_URL: database.url };
const shards = (...args: readonly string[]) =>
  runCommand(folder, ['queue', 'shards', ...args], env);
const stored = () => queueShards(database.url, null);

test('says how many there are, changes it, and keeps the most there have been', async () => {
  const one = 'Operations are distributed over one queue.\n';
  expect(await shards()).toEqual({ code: 0, out: one, err: '' });
  const six = 'Operations are distributed over 6 queues.\n';
  expect(await shards('6')).toEqual({ code: 0, out: six, err: '' });
  expect(await stored()).toEqual({ shards: 6, most: 6 });
  expect(await shards()).toMatchObject({ code: 0, out: six });
  const json = await shards('2', '--json');
  expect([json.code, JSON.parse(json.out)]).toEqual([0, { shards: 2 }]);
  expect(await stored()).toEqual({ shards: 2, most: 6 });
  expect(await shards('1')).toMatchObject({ code: 0, out: one });
});

test('refuses what is no number of queues in one line, and leaves it as it is', async () => {
  const before = await stored();
  for (const wrong of ['0', String(LIMITS.queueShardsMax + 1), '2.5', '1e1', '0x4', 'six', '']) {
    const { code, out, err } = await shards(wrong);
    expect([code, out], wrong).toEqual([1, '']);
    expect(err).toContain(`${wrong} is not a number of queues from 1 to ${LIMITS.queueShardsMax}`);
    expect(err.trim(), wrong).not.toContain('\n');
  }
  expect(await shards('-1')).toMatchObject({ out: '', err: expect.stringContaining('-1') });
  expect(await stored()).toEqual(before);
});

test('says in one line that nothing runs here, and that a database is none of ours', async () => {
  const nothing = await runCommand(folder, ['queue', 'shards']);
  expect(nothing).toMatchObject({ out: '', err: expect.stringContaining('not running') });
  await using empty = await testDatabase('empty');
  const foreign = await runCommand(folder, ['queue', 'shards', '3'], { DATABASE_URL: empty.url });
  expect([foreign.code, foreign.out]).toEqual([1, '']);
  expect(foreign.err.trim().split('\n')).toHaveLength(1);
});
