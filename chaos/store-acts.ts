import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { RedisCluster } from '../embedded/redis-cluster.ts';
import { queueShards } from '../src/main/queue-shards.ts';
import type { Act } from './script.ts';
import type { Stores } from './stores.ts';
import { writableUrl } from './stores.ts';

export const STORE_KINDS = [
  'wipe',
  'postgres',
  'failover',
  'standby',
  'shards',
  'redis-primary',
  'redis-slot',
  'redis-clients',
  'redis-lost',
] as const;
export type StoreAct = Extract<Act, { readonly kind: (typeof STORE_KINDS)[number] }>;

export const isStoreAct = (act: Act): act is StoreAct =>
  STORE_KINDS.some((kind) => kind === act.kind);

export interface StoreActsParts {
  readonly stores: Stores;
  /** Waits for the duration of a fault, or until all faults are ended. */
  readonly last: (ms: number) => Promise<void>;
}

const QUEUE_SCHEMA = 'tenure_queue';

/**
 * Performs those acts of a script that affect the database or the queue. Acts on a cluster are performed one at a time.
 */
export class StoreActs {
  readonly #stores: Stores;
  readonly #last: (ms: number) => Promise<void>;
  #cluster: Promise<unknown> = Promise.resolve();

  constructor({ stores, last }: StoreActsParts) {
    this.#stores = stores;
    this.#last = last;
  }

  /** Returns the name of the act's target, for the report. */
  target({ kind }: StoreAct): string {
    if (kind === 'wipe') return (this.#stores.redis ?? this.#stores.cluster) ? 'redis' : 'postgres';
    return kind.startsWith('redis-') ? 'redis' : 'postgres';
  }

  async do(act: StoreAct): Promise<void> {
    const { pair } = this.#stores;
    switch (act.kind) {
      case 'wipe':
        return this.#wipe();
      case 'postgres':
        return this.#crash();
      case 'failover':
        return pair?.failOver(() => this.#last(act.ms));
      case 'standby':
        return pair?.loseStandby(() => this.#last(act.ms));
      case 'shards':
        await queueShards(writableUrl(this.#stores), act.count);
        return undefined;
      case 'redis-primary':
        return this.#onQueueOf(act.queue, async (cluster, key) => {
          await cluster.killPrimaryOf(key);
          await this.#last(act.ms);
          await cluster.revive();
        });
      case 'redis-slot':
        return this.#onQueueOf(act.queue, (cluster, key) => cluster.moveSlotOf(key));
      case 'redis-clients':
        return this.#onCluster((cluster) => cluster.dropClients());
      case 'redis-lost':
        return this.#onCluster((cluster) => cluster.loseEverything());
      default:
        return act satisfies never;
    }
  }

  /** Resolves when no act is in progress and no server is missing. */
  async whole(): Promise<void> {
    await this.#cluster;
    await this.#stores.cluster?.revive();
    await this.#stores.pair?.whole();
  }

  /**
   * Stops the server in immediate mode. As in a crash, everything that is not committed is lost. The server's launcher
   * starts it again.
   */
  async #crash(): Promise<void> {
    const { postgres, pair } = this.#stores;
    if (postgres !== null) process.kill(postgres.pid, 'SIGQUIT');
    await pair?.crash();
  }

  #onCluster(act: (cluster: RedisCluster) => Promise<void>): Promise<void> {
    const { cluster } = this.#stores;
    if (cluster === null) return Promise.resolve();
    const done = this.#cluster.then(() => act(cluster));
    this.#cluster = done.catch(() => undefined);
    return done;
  }

  /** Performs an act on a Redis key of one of the queues. */
  #onQueueOf(
    queue: number,
    act: (cluster: RedisCluster, key: string) => Promise<void>,
  ): Promise<void> {
    return this.#onCluster(async (cluster) => {
      const keys = await cluster.keys('*:meta');
      const key = keys[queue % keys.length];
      if (key !== undefined) await act(cluster, key);
    });
  }

  async #wipe(): Promise<void> {
    const { redis, cluster } = this.#stores;
    if (cluster !== null) return this.#onCluster((all) => all.flush());
    if (redis === null) return wipePostgresQueue(writableUrl(this.#stores));
    const client = new Redis(redis.url, { lazyConnect: true, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.flushall();
    } finally {
      client.disconnect();
    }
    return undefined;
  }
}

/** SQL: all tables of the queue, without those by which BullMQ knows that its tables exist. */
const QUEUE_TABLES = `
  select string_agg(format('%I.%I', schemaname, tablename), ', ') as tables
  from pg_tables where schemaname = '${QUEUE_SCHEMA}' and tablename not in ('migration', 'meta')`;

async function wipePostgresQueue(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 3_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ tables: string | null }>(QUEUE_TABLES);
    const tables = rows[0]?.tables ?? null;
    if (tables !== null) await client.query(`truncate ${tables}`);
  } finally {
    await client.end();
  }
}
