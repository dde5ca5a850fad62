import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisProgram } from '../../e2e/kit/has-redis.ts';
import { freePort } from '../../kit/free-port.ts';
import { until } from '../../kit/queue-under-test.ts';

/* Redis Cluster: three primaries and three replicas, each a process of its own. */

const PRIMARIES = 3;
const SLOTS = 16_384;
/** A primary that is silent for so long is taken for dead by the others. */
const NODE_TIMEOUT_MS = 1_000;

interface ClusterNode {
  readonly port: number;
  readonly folder: string;
  child: ChildProcess;
}

const HOST = '127.0.0.1';

async function startNode(port: number, folder: string): Promise<ClusterNode> {
  await mkdir(folder, { recursive: true });
  const settings = {
    port,
    bind: HOST,
    dir: folder,
    appendonly: 'yes',
    'cluster-enabled': 'yes',
    'cluster-node-timeout': NODE_TIMEOUT_MS,
    'cluster-replica-validity-factor': 0,
    'maxmemory-policy': 'noeviction',
    'repl-diskless-sync-delay': 0,
    save: '',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(redisProgram() ?? '', args, { stdio: 'ignore' });
  await once(child, 'spawn');
  return { port, folder, child };
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

const answers = (port: number): Promise<boolean> =>
  ask(port, (client) => client.ping()).then(
    () => true,
    () => false,
  );

const call = (port: number, ...words: readonly (string | number)[]): Promise<unknown> =>
  ask(port, (client) => client.call('CLUSTER', words.map(String)));

const idOf = async (port: number): Promise<string> => String(await call(port, 'MYID'));

/** Whether all that answer take the cluster for whole, and know of so many nodes. */
async function isWhole(ports: readonly number[], nodes: number): Promise<boolean> {
  const infos = await Promise.all(ports.map((port) => call(port, 'INFO').catch(() => '')));
  return infos.every(
    (info) =>
      /cluster_state:ok/u.test(String(info)) &&
      String(info).includes(`cluster_known_nodes:${nodes}`) &&
      String(info).includes(`cluster_slots_ok:${SLOTS}`),
  );
}

/** Makes one cluster of empty nodes: the first are primaries, the others follow one each. */
async function join3And3(ports: readonly number[]): Promise<void> {
  const [first = 0] = ports;
  const share = Math.ceil(SLOTS / PRIMARIES);
  for (const [index, port] of ports.entries()) {
    await call(port, 'SET-CONFIG-EPOCH', index + 1);
    if (port !== first) await call(port, 'MEET', HOST, first);
    if (index >= PRIMARIES) continue;
    const last = Math.min(SLOTS, (index + 1) * share) - 1;
    await call(port, 'ADDSLOTSRANGE', index * share, last);
  }
  await until(() => isWhole(ports, ports.length), 'all nodes know each other');
  for (const [index, port] of ports.slice(PRIMARIES).entries()) {
    const primary = await idOf(ports[index] ?? 0);
    // It may not have heard yet that the other has slots.
    await until(
      () =>
        call(port, 'REPLICATE', primary).then(
          () => true,
          () => false,
        ),
      'a replica follows its primary',
    );
  }
  await until(async () => {
    const linked = await Promise.all(
      ports.slice(PRIMARIES).map((port) => ask(port, (client) => client.info('replication'))),
    );
    return linked.every((info) => info.includes('master_link_status:up'));
  }, 'replicas have what their primaries have');
}

export interface RedisCluster extends AsyncDisposable {
  readonly ports: readonly number[];
  /** Names three of its nodes. */
  readonly url: string;
  /** The port of the primary that has a key. */
  primaryOf(key: string): Promise<number>;
  /** Kills the primary that has a key, and waits until another has its place. */
  killPrimaryOf(key: string): Promise<void>;
  /** Starts again what was killed. */
  revive(): Promise<void>;
  /** Moves the slot of a key to another primary, with what is in it. */
  moveSlotOf(key: string): Promise<void>;
  /** Kills all nodes. */
  kill(): Promise<void>;
  /** Kills all nodes, and makes a new cluster of empty ones at the same addresses. */
  loseEverything(): Promise<void>;
}

async function kill(node: ClusterNode): Promise<void> {
  if (node.child.exitCode !== null || node.child.signalCode !== null) return;
  const exited = once(node.child, 'exit');
  node.child.kill('SIGKILL');
  await exited;
}

const isAlive = ({ child }: ClusterNode): boolean =>
  child.exitCode === null && child.signalCode === null;

/** Who has which slots, as one node tells it: `[first, last, primary port, its ID]`. */
async function shares(
  port: number,
): Promise<readonly (readonly [number, number, number, string])[]> {
  const told = (await call(port, 'SLOTS')) as [number, number, [string, number, string]][];
  return told.map(([from, to, [, at, id]]) => [from, to, at, id]);
}

async function move(slot: number, from: number, to: number, all: readonly number[]): Promise<void> {
  const [fromId, toId] = [await idOf(from), await idOf(to)];
  await call(to, 'SETSLOT', slot, 'IMPORTING', fromId);
  await call(from, 'SETSLOT', slot, 'MIGRATING', toId);
  for (;;) {
    const keys = (await call(from, 'GETKEYSINSLOT', slot, 100)) as string[];
    if (keys.length === 0) break;
    await ask(from, (client) =>
      client.call('MIGRATE', [HOST, String(to), '', '0', '5000', 'REPLACE', 'KEYS', ...keys]),
    );
  }
  for (const port of [to, from, ...all]) {
    await call(port, 'SETSLOT', slot, 'NODE', toId).catch(() => undefined); // replicas refuse
  }
}

export async function startRedisCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-cluster-'));
  const ports: number[] = [];
  // Each has a second one for its neighbours, 10,000 above; no outgoing connection is given that one either.
  while (ports.length < 2 * PRIMARIES) {
    const port = await freePort();
    if (port < 22_768 && !ports.includes(port)) ports.push(port);
  }
  const nodes = new Map<number, ClusterNode>();
  const startAll = async (): Promise<void> => {
    for (const port of ports) nodes.set(port, await startNode(port, join(folder, String(port))));
    await until(
      async () => (await Promise.all(ports.map(answers))).every(Boolean),
      'all nodes answer',
    );
    await join3And3(ports);
  };
  const killAll = () => Promise.all([...nodes.values()].map(kill));
  const alive = (): number[] => [...nodes.values()].filter(isAlive).map(({ port }) => port);
  const slotOf = async (key: string) => Number(await call(alive()[0] ?? 0, 'KEYSLOT', key));
  const primaryOf = async (key: string): Promise<number> => {
    const slot = await slotOf(key);
    const found = (await shares(alive()[0] ?? 0)).find(([from, to]) => from <= slot && slot <= to);
    return found?.[2] ?? 0;
  };
  try {
    await startAll();
  } catch (error) {
    await killAll();
    await rm(folder, { recursive: true });
    throw error;
  }
  return {
    ports,
    url: `redis://${ports
      .slice(0, PRIMARIES)
      .map((port) => `${HOST}:${port}`)
      .join(',')}`,
    primaryOf,
    async killPrimaryOf(key) {
      const port = await primaryOf(key);
      const node = nodes.get(port);
      if (node === undefined) throw new Error(`no node has ${key}`);
      await kill(node);
      await until(async () => (await primaryOf(key)) !== port, 'a replica has taken over');
      await until(() => isWhole(alive(), ports.length), 'the cluster is whole');
    },
    async revive() {
      for (const [port, node] of nodes) {
        if (!isAlive(node)) nodes.set(port, await startNode(port, node.folder));
      }
      await until(() => isWhole(ports, ports.length), 'all nodes are back');
    },
    async moveSlotOf(key) {
      const from = await primaryOf(key);
      const primaries = (await shares(from)).map(([, , port]) => port);
      const to = primaries.find((port) => port !== from);
      if (to === undefined) throw new Error('there is one primary only');
      await move(await slotOf(key), from, to, primaries);
    },
    async kill() {
      await killAll();
    },
    async loseEverything() {
      await killAll();
      for (const { folder: lost } of nodes.values()) await rm(lost, { recursive: true });
      await startAll();
    },
    async [Symbol.asyncDispose]() {
      await killAll();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
