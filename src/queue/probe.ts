import { Client } from 'pg';
import { closeQuietly } from './bounded.ts';
import { withoutSecrets } from './queue-error.ts';
import { QUEUE_LIMITS } from './limits.ts';
import { POSTGRES_SCHEMA } from './postgres-backend.ts';
import { lookAtSchema, wrongWith } from './postgres-schema.ts';
import { REDIS_PREFIX } from './redis-backend.ts';
import type { RedisClient } from './redis-address.ts';
import {
  clusterAt,
  connectRedis,
  openRedis,
  parseRedisAddress,
  primariesOf,
} from './redis-address.ts';
import { WRITE_PROBE, infoField, whyNoWrites, whyRefused } from './redis-info.ts';
import { lookAtKeys, readAnew } from './redis-keys.ts';
import { queueNameOf, shardPrefix } from './shards.ts';
import { errorText } from '../domain/error-text.ts';
import type { QueueProbe } from '../app/ports/queue-probe.ts';

/** Returns where the keys of each queue are. */
const placesOf = (shards: number) =>
  Array.from({ length: shards }, (_, shard) => ({
    prefix: shardPrefix(REDIS_PREFIX, shard),
    name: queueNameOf(shard),
  }));

/** Counts waiting and running jobs in BullMQ's tables. */
export async function probePostgresQueue(
  databaseUrl: string,
  shards = 1,
  Connecting: typeof Client = Client,
): Promise<QueueProbe> {
  const client = new Connecting({
    connectionString: databaseUrl,
    application_name: 'tenure-doctor',
    connectionTimeoutMillis: QUEUE_LIMITS.connectMs,
    query_timeout: QUEUE_LIMITS.commandMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const state = await lookAtSchema(client, POSTGRES_SCHEMA);
    if (state.likeness === null) return { kind: 'empty' };
    const why = wrongWith(state);
    if (why !== null) return { kind: 'damaged', why };
    const { rows } = await client.query<{ waiting: number; active: number; readonly: string }>(
      `select current_setting('transaction_read_only') as readonly,
              count(*) filter (where state = 'waiting')::int as waiting,
              count(*) filter (where state = 'active')::int as active
       from ${POSTGRES_SCHEMA}.job where queue = any($1)`,
      [placesOf(shards).map(({ name }) => name)],
    );
    if (rows[0]?.readonly === 'on') {
      return { kind: 'unwritable', where: 'PostgreSQL', why: 'transactions are read-only' };
    }
    const { waiting = 0, active = 0 } = rows[0] ?? {};
    return { kind: 'counts', waiting, active, anew: state.made?.anew ?? null };
  } catch (error) {
    return { kind: 'unreachable', where: 'PostgreSQL', why: errorText(error) };
  } finally {
    await closeQuietly(client.end(), QUEUE_LIMITS.connectMs);
  }
}

const ONCE = {
  lazyConnect: true,
  connectTimeout: QUEUE_LIMITS.connectMs,
  commandTimeout: QUEUE_LIMITS.commandMs,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
  connectionName: 'tenure-doctor',
} as const;

/** Returns why one of the servers accepts no writes, or `null`. */
async function unwritable(client: RedisClient): Promise<string | null> {
  for (const node of primariesOf(client)) {
    const info = await node.info();
    const why = whyNoWrites(info);
    const refusal = why ?? (await node.eval(WRITE_PROBE, 0).then(() => null, whyRefused));
    if (refusal !== null) return refusal;
    if (infoField(info, 'cluster_enabled') !== '1') continue;
    const state = infoField(await node.cluster('INFO'), 'cluster_state');
    if (state !== 'ok') return `its cluster is incomplete: ${state ?? 'its state is unknown'}`;
  }
  return null;
}

async function look(client: RedisClient, where: string, shards: number): Promise<QueueProbe> {
  let [waiting, active] = [0, 0];
  const why = await unwritable(client);
  if (why !== null) return { kind: 'unwritable', where, why };
  let anew = null;
  for (const place of placesOf(shards)) {
    const damage = await lookAtKeys(client, place, 'queue');
    if (damage !== null) return { kind: 'damaged', why: damage };
    waiting += await client.llen(`${place.prefix}:${place.name}:wait`);
    active += await client.llen(`${place.prefix}:${place.name}:active`);
    anew ??= await readAnew(client, place);
  }
  return { kind: 'counts', waiting, active, anew };
}

/** Connects to the server at an address, or to the whole cluster if it is a cluster node. */
async function openAll(
  client: RedisClient,
  close: (client: RedisClient) => void,
): Promise<RedisClient> {
  await connectRedis(client);
  const [node] = primariesOf(client);
  if (node === undefined || client !== node) return client;
  if (infoField(await node.info(), 'cluster_enabled') !== '1') return client;
  const cluster = openRedis(clusterAt(node), ONCE);
  close(cluster);
  await connectRedis(cluster);
  return cluster;
}

/** @param url in the format of `redisBackend` */
export async function probeRedisQueue(url: string, shards = 1): Promise<QueueProbe> {
  const where = withoutSecrets(url);
  const address = parseRedisAddress(url);
  if (address === null)
    return { kind: 'unreachable', where, why: 'the value is not an address of a Redis server' };
  const opened: RedisClient[] = [];
  let reason: unknown;
  const keep = (client: RedisClient): void => {
    client.on('error', (error) => {
      reason = error;
    });
    opened.push(client);
  };
  try {
    const first = openRedis(address, ONCE);
    keep(first);
    return await look(await openAll(first, keep), where, shards);
  } catch (error) {
    return { kind: 'unreachable', where, why: errorText(reason ?? error) };
  } finally {
    for (const client of opened) client.disconnect();
  }
}
