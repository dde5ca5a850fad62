import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freeNodePort } from './free-port.ts';
import { redisFile, spawnRedis } from './redis.ts';
import { until } from './until.ts';

/* Redis Cluster: three primaries and three replicas, each a process of its own. */

const PRIMARIES = 3;
const SLOTS = 16_384;
/** A node that has not answered for this long is considered dead by the other nodes. */
const NODE_TIMEOUT_MS = 1_000;

interface ClusterNode {
  readonly folder: string;
  readonly child: ChildProcess;
}

const HOST = '127.0.0.1';

const settingsOf = (port: number, folder: string) => ({
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
});

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

/** Returns whether all nodes that answer see a complete cluster with this number of nodes. */
async function isWhole(ports: readonly number[], nodes: number): Promise<boolean> {
  const infos = await Promise.all(ports.map((port) => call(port, 'INFO').catch(() => '')));
  return infos.every(
    (info) =>
      /cluster_state:ok/u.test(String(info)) &&
      String(info).includes(`cluster_known_nodes:${nodes}`) &&
      String(info).includes(`cluster_slots_ok:${SLOTS}`),
  );
}

/** Joins empty nodes to one cluster: the first three are primaries, and each of the others follows one primary. */
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
  await until('all nodes know each other', () => isWhole(ports, ports.length));
  for (const [index, port] of ports.slice(PRIMARIES).entries()) {
    const primary = await idOf(ports[index] ?? 0);
    // The node may not know yet that the other node has slots.
    await until('a replica follows its primary', async () => {
      await call(port, 'REPLICATE', primary);
      return true;
    });
  }
  await until('replicas have what their primaries have', async () => {
    const linked = await Promise.all(
      ports.slice(PRIMARIES).map((port) => ask(port, (client) => client.info('replication'))),
    );
    return linked.every((info) => info.includes('master_link_status:up'));
  });
}

export interface RedisCluster extends AsyncDisposable {
  readonly ports: readonly number[];
  /** The address, which names three nodes. */
  readonly url: string;
  /** Returns the keys of all nodes that match a Redis pattern, sorted. */
  keys(pattern: string): Promise<readonly string[]>;
  /** Returns the port of the primary that holds a key. */
  primaryOf(key: string): Promise<number>;
  /** Kills the primary that holds a key, and waits until another node has replaced it. */
  killPrimaryOf(key: string): Promise<void>;
  /** Restarts the killed nodes. */
  revive(): Promise<void>;
  /** Moves the slot of a key, with its contents, to another primary. */
  moveSlotOf(key: string): Promise<void>;
  /** Ends the connections of all clients to all nodes. */
  dropClients(): Promise<void>;
  /** Deletes the data of all nodes. */
  flush(): Promise<void>;
  /** Kills all nodes. */
  kill(): Promise<void>;
  /** Kills all nodes, and creates a new cluster of empty nodes at the same addresses. */
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

/** Returns the slots of the primaries as one node lists them: `[first, last, primary port, its ID]`. */
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
    await call(port, 'SETSLOT', slot, 'NODE', toId).catch(() => undefined); // replicas refuse this command
  }
}

class Cluster implements RedisCluster {
  readonly ports: readonly number[];
  readonly #file: string;
  readonly #folder: string;
  readonly #searchPath: string;
  readonly #nodes = new Map<number, ClusterNode>();

  constructor(file: string, folder: string, searchPath: string, ports: readonly number[]) {
    this.#file = file;
    this.#folder = folder;
    this.#searchPath = searchPath;
    this.ports = ports;
  }

  get url(): string {
    const named = this.ports.slice(0, PRIMARIES).map((port) => `${HOST}:${port}`);
    return `redis://${named.join(',')}`;
  }

  async start(): Promise<void> {
    await Promise.all(this.ports.map((port) => this.#startNode(port)));
    await until('all nodes answer', async () =>
      (await Promise.all(this.ports.map(answers))).every(Boolean),
    );
    await join3And3(this.ports);
  }

  async keys(pattern: string): Promise<readonly string[]> {
    const found = await this.#onPrimaries((client) => client.keys(pattern));
    return found.flat().toSorted();
  }

  async primaryOf(key: string): Promise<number> {
    const slot = await this.#slotOf(key);
    const told = await shares(this.#anyAlive());
    return told.find(([from, to]) => from <= slot && slot <= to)?.[2] ?? 0;
  }

  async killPrimaryOf(key: string): Promise<void> {
    const port = await this.primaryOf(key);
    const node = this.#nodes.get(port);
    if (node === undefined) throw new Error(`no node has ${key}`);
    await kill(node);
    await until('a replica has taken over', async () => (await this.primaryOf(key)) !== port);
    await until('the cluster is whole', () => isWhole(this.#alive(), this.ports.length));
  }

  async revive(): Promise<void> {
    for (const [port, node] of this.#nodes) if (!isAlive(node)) await this.#startNode(port);
    await until('all nodes are back', () => isWhole(this.ports, this.ports.length));
  }

  async moveSlotOf(key: string): Promise<void> {
    const from = await this.primaryOf(key);
    const primaries = await this.#primaries();
    const to = primaries.find((port) => port !== from);
    if (to === undefined) throw new Error('there is one primary only');
    await move(await this.#slotOf(key), from, to, primaries);
  }

  async dropClients(): Promise<void> {
    const drop = (client: Redis) => client.call('CLIENT', ['KILL', 'TYPE', 'normal']);
    await Promise.all(this.#alive().map((port) => ask(port, drop)));
  }

  async flush(): Promise<void> {
    await this.#onPrimaries((client) => client.flushall());
  }

  async kill(): Promise<void> {
    await Promise.all([...this.#nodes.values()].map(kill));
  }

  async loseEverything(): Promise<void> {
    await this.kill();
    for (const { folder } of this.#nodes.values()) await rm(folder, { recursive: true });
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #startNode(port: number): Promise<void> {
    const folder = join(this.#folder, String(port));
    await mkdir(folder, { recursive: true });
    const settings = Object.entries(settingsOf(port, folder));
    const args = settings.flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = await spawnRedis(this.#file, args, {
      searchPath: this.#searchPath,
      log: 'ignore',
    });
    this.#nodes.set(port, { folder, child });
  }

  #alive(): number[] {
    return [...this.#nodes].flatMap(([port, node]) => (isAlive(node) ? [port] : []));
  }

  #anyAlive(): number {
    const [port] = this.#alive();
    if (port === undefined) throw new Error('all nodes are dead');
    return port;
  }

  async #slotOf(key: string): Promise<number> {
    return Number(await call(this.#anyAlive(), 'KEYSLOT', key));
  }

  /** Returns the ports of the primaries that have slots. */
  async #primaries(): Promise<readonly number[]> {
    return [...new Set((await shares(this.#anyAlive())).map(([, , port]) => port))];
  }

  async #onPrimaries<T>(work: (client: Redis) => Promise<T>): Promise<T[]> {
    return Promise.all((await this.#primaries()).map((port) => ask(port, work)));
  }
}

async function choosePorts(): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < 2 * PRIMARIES) ports.add(await freeNodePort());
  return [...ports];
}

/**
 * Starts six nodes as one cluster. Its data is deleted when the cluster is disposed.
 *
 * @param searchPath the value of PATH, in which Redis is searched for
 * @throws LocalRedisError `LOCAL_REDIS_NOT_FOUND`
 */
export async function startRedisCluster(searchPath: string): Promise<RedisCluster> {
  const file = await redisFile(searchPath, 'a Redis Cluster');
  const folder = await mkdtemp(join(tmpdir(), 'tenure-cluster-'));
  const cluster = new Cluster(file, folder, searchPath, await choosePorts());
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}
