import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openShardedQueue } from '../../src/queue/sharded-queue.ts';
import { probeRedisQueue } from '../../src/queue/probe.ts';
import { redisBackend } from '../../src/queue/redis-backend.ts';
import { startWorker } from '../../src/queue/worker.ts';
import { hasRedis, redisProgram } from '../e2e/kit/has-redis.ts';
import { freePort } from '../../embedded/free-port.ts';
import { effectIds, first, io, silent, until } from '../kit/queue-under-test.ts';
import { temporaryFolder } from './queue-kit.ts';

/* A Redis with TLS, and a user with only the permissions listed in docs/operations/redis.md. */

const RIGHTS = /^ACL SETUSER tenure (.*)$/mu.exec(
  readFileSync('docs/operations/redis.md', 'utf8'),
)?.[1];
const PASSWORD = 'a-secret';
const SHARDS = 3;

/** Creates a certificate for 127.0.0.1 with its authority, and a second authority. */
function makeCertificates(folder: string): void {
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['ca', 'other'])
    openssl(
      'req',
      '-x509',
      ...key,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    );
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', 'subjectAltName=IP:127.0.0.1'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-days',
    '2',
    '-subj',
    '/CN=redis',
    ...signed,
    '-keyout',
    'redis.key',
    '-out',
    'redis.pem',
  );
}

async function startServer(folder: string) {
  makeCertificates(folder);
  const port = await freePort();
  const settings = {
    port: 0,
    'tls-port': port,
    bind: '127.0.0.1',
    'tls-cert-file': 'redis.pem',
    'tls-key-file': 'redis.key',
    'tls-ca-cert-file': 'ca.pem',
    'tls-auth-clients': 'no',
    dir: folder,
    save: '',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(redisProgram() ?? '', args, { cwd: folder, stdio: 'ignore' });
  const admin = new Redis({
    host: '127.0.0.1',
    port,
    tls: { ca: readFileSync(join(folder, 'ca.pem')) },
    maxRetriesPerRequest: null,
  });
  admin.on('error', () => undefined);
  const rights = (RIGHTS ?? '').replace('>password', `>${PASSWORD}`).split(' ');
  await admin.call('ACL', ['SETUSER', 'tenure', ...rights]);
  await admin.call('ACL', ['SETUSER', 'default', 'off', 'resetpass']);
  const log = async () => (await admin.call('ACL', ['LOG'])) as readonly unknown[];
  return {
    url: (password = PASSWORD, ca = 'ca') =>
      `rediss://tenure:${password}@127.0.0.1:${port}?sslrootcert=${join(folder, `${ca}.pem`)}`,
    /** The commands that the server has refused, from its log. */
    refused: log,
    async [Symbol.asyncDispose]() {
      admin.disconnect();
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Returns the error with which a start fails at this URL; `null` if it succeeds. */
const refusalAt = (url: string): Promise<Error | null> =>
  redisBackend({ url }, silent).then(
    () => null,
    (error: unknown) => error as Error,
  );

describe.skipIf(!hasRedis('TLS and rights'))('a Redis with TLS and rights', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    server = await startServer(folder);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test('gives the user that the manual describes all that queues, workers and the doctor need', async () => {
    await using stack = new AsyncDisposableStack();
    const backend = await redisBackend({ url: server.url(), lookMs: 200 }, silent);
    const queue = await openShardedQueue(backend, silent);
    stack.defer(() => queue.close());
    queue.follow(SHARDS);
    const done = new Set<string>();
    const processor = async ({ effectId }: { readonly effectId: string }) => {
      done.add(effectId);
    };
    for (let shard = 0; shard < SHARDS; shard += 1) {
      const worker = await startWorker({ processor, backend, log: silent, shard, drainMs: 500 });
      stack.defer(() => worker.stop());
    }
    const ids = effectIds(60);
    await queue.add(
      ids.map((id, index) => ({ ...first(id), shard: index % SHARDS })),
      io,
    );
    await until(() => done.size === ids.length, 'all have run');
    const empty = { kind: 'counts', waiting: 0, active: 0 };
    await expect.poll(() => probeRedisQueue(server.url(), SHARDS)).toMatchObject(empty);
    expect(await server.refused()).toEqual([]);
  });

  test('that is signed by another authority is refused in one line', async () => {
    const error = await refusalAt(server.url(PASSWORD, 'other'));
    expect(error).toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    expect(error?.message).toMatch(/^Redis at rediss:.*cannot be used: .*certificate/u);
    expect(error?.message).not.toContain('\n');
    expect(await probeRedisQueue(server.url(PASSWORD, 'other'))).toMatchObject({
      kind: 'unreachable',
      why: expect.stringContaining('certificate'),
    });
  });

  test('whose authority is in no file is told by the name of the setting', async () => {
    const error = await refusalAt(server.url(PASSWORD, 'nowhere'));
    expect(error?.message).toMatch(/sslrootcert cannot be read: .*ENOENT/u);
    expect(error?.message).not.toContain('\n');
  });

  test('that does not know the password is told as that, without the password', async () => {
    const error = await refusalAt(server.url('wrong-one'));
    expect(error).toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    expect(error?.message).toMatch(/^Redis at .*WRONGPASS/u);
    expect(error?.message).not.toMatch(/\n|wrong-one/u);
  });
});
