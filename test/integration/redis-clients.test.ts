import { spawn } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { EndingCluster } from '../../src/queue/redis-clients.ts';
import { hasRedis, redisProgram } from '../e2e/kit/has-redis.ts';
import { forFile } from '../kit/for-file.ts';
import { freeNodePort } from '../../embedded/free-port.ts';
import { until } from '../kit/queue-under-test.ts';
import { temporaryFolder } from './queue-kit.ts';

/*
 * A client of a cluster whose nodes have ended, one of them only while the client reconnects. ioredis reports this by
 * an event of its pool. The tests emit this event at that moment.
 */

const HOST = '127.0.0.1';

/** Starts a cluster of one node. */
async function startCluster() {
  await using stack = new AsyncDisposableStack();
  const port = await freeNodePort();
  const folder = await temporaryFolder();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const settings = [
    '--cluster-enabled',
    'yes',
    '--port',
    String(port),
    '--bind',
    HOST,
    '--cluster-announce-ip',
    HOST,
  ];
  const server = spawn(redisProgram() ?? '', [...settings, '--dir', folder], { stdio: 'ignore' });
  const exited = once(server, 'exit');
  stack.defer(async () => {
    server.kill('SIGKILL');
    await exited;
  });
  const node = new Redis(port, HOST, { maxRetriesPerRequest: null });
  node.on('error', () => undefined);
  await node.cluster('ADDSLOTSRANGE', 0, 16_383);
  await until(async () => (await node.cluster('INFO')).includes('cluster_state:ok'), 'it is whole');
  node.disconnect();
  const running = stack.move();
  return { port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const lateEnd = (client: EndingCluster): boolean =>
  (client as unknown as { connectionPool: EventEmitter }).connectionPool.emit('drain');

describe.skipIf(!hasRedis('clients of a cluster'))('a client of a cluster', async () => {
  const cluster = hasRedis('clients of a cluster') ? await forFile(startCluster()) : null;
  const open = (): EndingCluster => {
    const client = new EndingCluster([{ host: HOST, port: cluster!.port }], {
      lazyConnect: true,
      clusterRetryStrategy: () => 20,
    });
    client.on('error', () => undefined);
    return client;
  };

  test('is connected again although a node ended late', async () => {
    const client = open();
    const connecting = client.connect();
    lateEnd(client);
    await expect(connecting).rejects.toThrow('aborted');
    await expect.poll(() => client.status).toBe('ready');
    expect(await client.ping()).toBe('PONG');
    const ended = once(client, 'end');
    client.disconnect();
    await ended;
  });

  test('is connected once its cluster is whole, and says so to what waits for it', async () => {
    const node = new Redis(cluster!.port, HOST);
    await node.cluster('DELSLOTS', 0);
    await until(async () => (await node.cluster('INFO')).includes('cluster_state:fail'), 'a gap');
    const client = open();
    const connecting = client.connect();
    await once(client, 'reconnecting');
    await node.cluster('ADDSLOTS', 0);
    node.disconnect();
    await connecting;
    expect(client.status).toBe('ready');
    client.disconnect();
  });

  test('that was closed and connected in the same breath can be connected once more', async () => {
    const client = open();
    await client.connect();
    const ended = once(client, 'end');
    client.disconnect();
    await ended;
    const connecting = client.connect();
    lateEnd(client);
    await expect(connecting).rejects.toThrow('aborted');
    await expect.poll(() => client.status).toBe('end');
    await client.connect();
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
  });

  test('ends when it is told to while it looks for its nodes', async () => {
    const client = open();
    const ended = once(client, 'end');
    const connecting = client.connect();
    client.disconnect();
    await expect(connecting).rejects.toThrow('aborted');
    await ended;
    expect(client.status).toBe('end');
  });
});
