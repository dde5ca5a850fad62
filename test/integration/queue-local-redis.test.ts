import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LocalRedisError, startLocalRedis } from '../../embedded/redis.ts';
import { probeRedisQueue } from '../../src/queue/probe.ts';
import { until } from '../kit/queue-under-test.ts';
import { queueServers, temporaryFolder } from './queue-kit.ts';

const installed = (await queueServers('REDIS_URL=local')).some(({ kind }) => kind === 'redis');
const searchPath = process.env['PATH'] ?? '';
const signal = new AbortController().signal;

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => rm(folder, { recursive: true }));

async function valueOf<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

describe.skipIf(!installed)('a Redis of our own', () => {
  test('keeps its data over a stop, listens on no port, and nobody else may enter', async () => {
    const dataDir = join(folder, 'redis');
    const one = await startLocalRedis({ dataDir, searchPath, signal });
    expect(one.url).toBe(join(dataDir, 'redis.sock'));
    expect((await stat(dataDir)).mode & 0o077).toBe(0);
    const settings = await valueOf(one.url, async (client) => {
      await client.set('kept', 'yes');
      return client.info();
    });
    expect(settings).toMatch(/tcp_port:0\r/);
    expect(settings).toMatch(/aof_enabled:1\r/);
    expect(settings).toMatch(/maxmemory_policy:noeviction\r/);
    await one.stop();
    await one.exited;
    expect(await readdir(dataDir)).not.toContain('redis.sock');

    const two = await startLocalRedis({ dataDir, searchPath, signal });
    expect(await valueOf(two.url, (client) => client.get('kept'))).toBe('yes');
    await two.stop();
  });

  test('that is full, or only reads, is told apart from one that takes jobs', async () => {
    const redis = await startLocalRedis({ dataDir: join(folder, 'redis'), searchPath, signal });
    try {
      const after = (...command: readonly [string, ...string[]]) =>
        valueOf(redis.url, (client) => client.call(...command));
      const probe = () => probeRedisQueue(redis.url);
      expect(await probe()).toEqual({ kind: 'counts', waiting: 0, active: 0, anew: null });
      await after('config', 'set', 'maxmemory', '1');
      expect(await probe()).toMatchObject({
        kind: 'unwritable',
        why: expect.stringContaining('memory of Redis is full'),
      });
      // No key remains that could be evicted, so only a refused write shows that the setting is wrong.
      await after('config', 'set', 'maxmemory-policy', 'allkeys-lru');
      expect(await probe()).toMatchObject({
        kind: 'unwritable',
        why: expect.stringContaining('Redis refuses writes: OOM'),
      });
      await after('config', 'set', 'maxmemory', '0');
      await after('replicaof', '127.0.0.1', '1');
      expect(await probe()).toMatchObject({
        kind: 'unwritable',
        why: expect.stringContaining('replica'),
      });
      await after('replicaof', 'no', 'one');
      expect((await probe()).kind).toBe('counts');
    } finally {
      await redis.stop();
    }
  });

  test('in a folder too deep for a socket it puts the socket elsewhere, and cleans up there', async () => {
    const dataDir = join(folder, 'x'.repeat(110));
    const redis = await startLocalRedis({ dataDir, searchPath, signal });
    expect(redis.url.startsWith(dataDir)).toBe(false);
    expect(await valueOf(redis.url, (client) => client.ping())).toBe('PONG');
    await redis.stop();
    await expect(stat(dirname(redis.url))).rejects.toThrow('ENOENT');
  });

  test('one that still has the data is taken over, never joined by a second', async () => {
    const dataDir = join(folder, 'redis');
    const one = await startLocalRedis({ dataDir, searchPath, signal });
    const two = await startLocalRedis({ dataDir, searchPath, signal });
    expect([two.pid, two.url, two.program]).toEqual([one.pid, one.url, one.program]);
    await two.stop();
    await one.exited;
  });

  test.runIf(process.platform === 'linux')(
    'ends with the process that started it, even when that is killed',
    async () => {
      const dataDir = join(folder, 'redis');
      const module = new URL('../../embedded/redis.ts', import.meta.url).href;
      const child = spawn(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `const { startLocalRedis } = await import(${JSON.stringify(module)});
         const redis = await startLocalRedis({ dataDir: ${JSON.stringify(dataDir)},
           searchPath: process.env.PATH, signal: new AbortController().signal });
         console.log(redis.url);
         setInterval(() => {}, 1000);`,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
      expect(await valueOf(url, (client) => client.ping())).toBe('PONG');
      child.kill('SIGKILL');
      await once(child, 'exit');
      await until(
        () =>
          stat(url).then(
            () => false,
            () => true,
          ),
        'its socket is gone',
      );
      const again = await startLocalRedis({ dataDir, searchPath, signal });
      await again.stop();
    },
  );

  test('data it cannot read: one error with its own last words, and no process left', async () => {
    const dataDir = join(folder, 'redis');
    await mkdir(join(dataDir, 'appendonlydir'), { recursive: true });
    await writeFile(join(dataDir, 'appendonlydir', 'appendonly.aof.manifest'), 'nonsense\n');
    const error: unknown = await startLocalRedis({ dataDir, searchPath, signal }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(LocalRedisError);
    expect(error).toMatchObject({ code: 'LOCAL_REDIS_FAILED' });
    expect(String(error)).toMatch(/did not start in .*manifest/i);
    expect(await readFile(join(dataDir, 'redis.log'), 'utf8')).not.toBe('');
  });
});

test('where none is installed the error says what to do', async () => {
  // The search also covers the folders into which package managers install programs.
  const error: unknown = await startLocalRedis({
    dataDir: join(folder, 'redis'),
    searchPath: folder,
    alsoLookIn: [],
    signal,
  }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'LOCAL_REDIS_NOT_FOUND',
    message: expect.stringContaining(
      'REDIS_URL=local needs valkey-server or redis-server',
    ) as string,
  });
});
