import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisProgram } from '../../e2e/kit/has-redis.ts';
import { freePort } from '../../../embedded/free-port.ts';
import { until } from '../../kit/queue-under-test.ts';

/*
 * A Redis primary, its replica, and three sentinels that agree which server is the primary. Each of them is a separate
 * process.
 */

const HOST = '127.0.0.1';
const NAME = 'tenure';
const SENTINELS = 3;
const QUORUM = 2;
/** The time after which a primary that does not answer counts as dead. */
const DOWN_AFTER_MS = 1_000;

export interface RedisSentinels extends AsyncDisposable {
  readonly url: string;
  /** Kills the primary, and waits until the sentinels report another one. */
  killPrimary(): Promise<void>;
}

async function ask<T>(port: number, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, HOST, { retryStrategy: () => null, lazyConnect: true });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** Returns the port of the primary according to a sentinel. */
const primaryBy = (sentinel: number): Promise<number> =>
  ask(sentinel, async (client) => {
    const [, port] = (await client.call('SENTINEL', ['GET-MASTER-ADDR-BY-NAME', NAME])) as string[];
    return Number(port);
  });

/** Returns whether a sentinel knows the replica and all other sentinels. */
const knowsAll = (sentinel: number): Promise<boolean> =>
  ask(sentinel, async (client) => {
    const info = await client.info('sentinel');
    return info.includes('status=ok') && info.includes(`slaves=1,sentinels=${SENTINELS}`);
  }).catch(() => false);

const SERVER = ['--bind', HOST, '--appendonly', 'yes', '--save', ''];

/** Writes the settings of a sentinel. @returns the file, which the sentinel itself also changes */
async function writeSentinel(folder: string, port: number, primary: number): Promise<string> {
  const file = join(folder, 'sentinel.conf');
  await mkdir(folder);
  const lines = [
    `port ${port}`,
    `bind ${HOST}`,
    `dir ${folder}`,
    `sentinel monitor ${NAME} ${HOST} ${primary} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} 10000`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

export async function startRedisSentinels(): Promise<RedisSentinels> {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tenure-sentinels-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const children = new Map<number, ChildProcess>();
  const kill = async (port: number): Promise<void> => {
    const child = children.get(port);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const start = async (port: number, args: readonly string[]): Promise<void> => {
    const child = spawn(redisProgram() ?? '', args, { stdio: 'ignore' });
    await once(child, 'spawn');
    children.set(port, child);
    stack.defer(() => kill(port));
    const answers = () => ask(port, (client) => client.ping()).then(Boolean, () => false);
    await until(answers, `${port} answers`);
  };
  const startServer = async (port: number, ...more: readonly string[]): Promise<void> => {
    const dir = join(folder, String(port));
    await mkdir(dir);
    await start(port, ['--port', String(port), '--dir', dir, ...SERVER, ...more]);
  };
  try {
    const [primary, replica] = [await freePort(), await freePort()];
    await startServer(primary);
    await startServer(
      replica,
      '--replicaof',
      `${HOST} ${primary}`,
      '--repl-diskless-sync-delay',
      '0',
    );
    const sentinels: number[] = [];
    for (let index = 0; index < SENTINELS; index += 1) {
      const port = await freePort();
      const file = await writeSentinel(join(folder, `sentinel-${index}`), port, primary);
      await start(port, [file, '--sentinel']);
      sentinels.push(port);
    }
    const all = async () => (await Promise.all(sentinels.map(knowsAll))).every(Boolean);
    await until(all, 'all sentinels know each other and the replica');
    return {
      url: `redis+sentinel://${sentinels.map((port) => `${HOST}:${port}`).join(',')}/${NAME}`,
      async killPrimary() {
        const [first = 0] = sentinels;
        const killed = await primaryBy(first);
        await kill(killed);
        await until(async () => (await primaryBy(first)) !== killed, 'the replica is the primary');
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
