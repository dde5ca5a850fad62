import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openQueue } from '../../src/queue/backend.ts';
import { QueueStartError } from '../../src/queue/queue-error.ts';
import { QUEUE_LIMITS } from '../../src/queue/limits.ts';
import { probeRedisQueue } from '../../src/queue/probe.ts';
import { redisBackend } from '../../src/queue/redis-backend.ts';
import { infoField } from '../../src/queue/redis-info.ts';
import { startWorker } from '../../src/queue/worker.ts';
import type { QueueServer } from './queue-kit.ts';
import { freeNodePort } from '../../embedded/free-port.ts';
import { effectIds, first, io, recordingLog, silent, until } from '../kit/queue-under-test.ts';
import { queueServers, startRedisServer, temporaryFolder, worksOn } from './queue-kit.ts';

const installed = (await queueServers('starting')).some(({ kind }) => kind === 'redis');

async function failureOf(start: Promise<unknown>): Promise<QueueStartError> {
  const beganMs = performance.now();
  const error: unknown = await start.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(QueueStartError);
  expect(performance.now() - beganMs).toBeLessThan(10 * QUEUE_LIMITS.connectMs);
  return error as QueueStartError;
}

test.each(['http://127.0.0.1', 'redis:', '127.0.0.1:6379', '//host', 'local', ''])(
  'an address that is none is refused: %j',
  async (url) => {
    const error = await failureOf(redisBackend({ url }, silent));
    expect(error.code).toBe('QUEUE_URL_INVALID');
  },
);

test('nobody listens: one clear error without the password', async () => {
  // Port 9 of the loopback interface (discard) has no server.
  const error = await failureOf(redisBackend({ url: 'redis://:secret@127.0.0.1:9' }, silent));
  expect(error.code).toBe('QUEUE_UNREACHABLE');
  expect(error.message).toMatch(
    /^Redis at redis:\/\/127\.0\.0\.1:9 cannot be used: .*ECONNREFUSED/,
  );
  expect(error.message).not.toContain('secret');
});

describe.skipIf(!installed)('starting on Redis', () => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function withServer<T>(settings: readonly string[], work: (socket: string) => Promise<T>) {
    const folder = await temporaryFolder();
    const socket = join(folder, 's');
    const asked = new Redis(server.address);
    const program = /executable:(.*)\r/.exec(await asked.info('server'))?.[1];
    asked.disconnect();
    const child = spawn(
      program ?? 'redis-server',
      ['--port', '0', '--unixsocket', socket, '--dir', folder, ...settings],
      { stdio: 'ignore' },
    );
    const exited = once(child, 'exit');
    try {
      return await work(socket);
    } finally {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true });
    }
  }
  /** Starts the queue on a new server that may not answer yet. */
  async function answerOf(socket: string, log = silent): Promise<unknown> {
    let answer: unknown;
    await until(async () => {
      answer = await redisBackend({ url: socket }, log).catch((error: unknown) => error);
      return !(answer instanceof Error && /ENOENT|ECONNREFUSED|LOADING/.test(answer.message));
    }, 'the server answers');
    return answer;
  }

  test('a server that may evict or forget jobs is used, and that is said', async () => {
    const log = recordingLog();
    await withServer(
      ['--maxmemory-policy', 'allkeys-lru', '--appendonly', 'no'],
      async (socket) => {
        expect(await answerOf(socket, log)).toMatchObject({ kind: 'redis' });
      },
    );
    expect(log.entries.map(({ level, message }) => [level, message.split(':')[0]])).toEqual([
      ['warn', 'Redis may delete jobs when its memory is full, which delays operations'],
      ['warn', 'Redis keeps no append-only file, so a restart delays the operations on the queue'],
    ]);
  });

  test('one that does neither is used in silence', async () => {
    const log = recordingLog();
    await server.backend(log);
    expect(log.entries).toEqual([]);
  });

  test('a server that wants a password: refused', async () => {
    await withServer(['--requirepass', 'x'], async (socket) => {
      const answer = await answerOf(socket);
      expect(answer).toMatchObject({ code: 'QUEUE_UNREACHABLE' });
      expect(String(answer)).toContain('NOAUTH');
    });
  });

  test('a replica: refused, because jobs cannot be written there', async () => {
    await withServer(['--replicaof', '127.0.0.1', '9'], async (socket) => {
      expect(await answerOf(socket)).toMatchObject({
        code: 'QUEUE_UNSUITABLE',
        message: expect.stringContaining('is a replica') as string,
      });
    });
  });

  test('a node of a cluster that is not made yet: refused', async () => {
    await withServer(['--cluster-enabled', 'yes'], async (socket) => {
      expect(await answerOf(socket)).toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    });
  });

  test('a cluster that lacks slots: refused, and nothing waits for it for ever', async () => {
    await withServer(
      ['--cluster-enabled', 'yes', '--port', String(await freeNodePort())],
      async (socket) => {
        await answerOf(socket);
        const node = new Redis(socket);
        const port = infoField(await node.info('server'), 'tcp_port') ?? '';
        await node.cluster('ADDSLOTSRANGE', 0, 100);
        node.disconnect();
        const url = `redis://127.0.0.1:${port},127.0.0.1:${port}`;
        const error = await failureOf(redisBackend({ url }, silent));
        expect(error.message).toContain('its cluster is incomplete');
        expect(await probeRedisQueue(url)).toMatchObject({ kind: 'unreachable' });
      },
    );
  });

  test('down between the check and the start: refused; and once it is up, started', async () => {
    const backend = await server.backend();
    await server.down();
    try {
      const start = startWorker({ backend, log: silent, processor: async () => {} });
      expect((await failureOf(start)).code).toBe('QUEUE_UNREACHABLE');
      expect((await failureOf(openQueue(backend, silent))).code).toBe('QUEUE_UNREACHABLE');
    } finally {
      await server.up();
    }
    await worksOn(server, backend);
  });

  test('keys are below our prefix, and nothing stays connected after stop', async () => {
    const admin = new Redis(server.address);
    try {
      await admin.flushall();
      const ours = async () =>
        (String(await admin.client('LIST')).match(/name=tenure-queue|name=\S*:/g) ?? []).length;
      const backend = await server.backend();
      const queue = await openQueue(backend, silent);
      const worker = await startWorker({ backend, log: silent, processor: async () => {} });
      await queue.add(effectIds(3).map(first), io);
      const keys = await admin.keys('*');
      expect(keys.length).toBeGreaterThan(0);
      expect(keys.filter((key) => !key.startsWith('{tenure}:submit-command:'))).toEqual([]);
      expect(await ours()).toBe(3);
      await worker.stop();
      await queue.close();
      await until(async () => (await ours()) === 0, 'all connections are closed');
    } finally {
      admin.disconnect();
    }
  });
});
