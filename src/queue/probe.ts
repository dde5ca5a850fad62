import { Redis } from 'ioredis';
import { Client } from 'pg';
import { closeQuietly } from './bounded.ts';
import { SUBMIT_QUEUE } from './job.ts';
import { withoutSecrets } from './queue-error.ts';
import { QUEUE_LIMITS } from './limits.ts';
import { POSTGRES_SCHEMA } from './postgres-backend.ts';
import { lookAtSchema, wrongWith } from './postgres-schema.ts';
import { REDIS_PREFIX } from './redis-backend.ts';
import { whyNoWrites } from './redis-info.ts';
import { lookAtKeys, readAnew } from './redis-keys.ts';
import { errorText } from '../domain/error-text.ts';
import type { QueueProbe } from '../app/ports/queue-probe.ts';

/** How many jobs wait and run, as BullMQ's own tables say. */
export async function probePostgresQueue(databaseUrl: string): Promise<QueueProbe> {
  const client = new Client({
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
       from ${POSTGRES_SCHEMA}.job where queue = $1`,
      [SUBMIT_QUEUE],
    );
    if (rows[0]?.readonly === 'on') {
      return { kind: 'unwritable', where: 'PostgreSQL', why: 'transactions there only read' };
    }
    const { waiting = 0, active = 0 } = rows[0] ?? {};
    return { kind: 'counts', waiting, active, anew: state.made?.anew ?? null };
  } catch (error) {
    return { kind: 'unreachable', where: 'PostgreSQL', why: errorText(error) };
  } finally {
    await closeQuietly(client.end(), QUEUE_LIMITS.connectMs);
  }
}

/** @param url as `redisBackend` takes it */
export async function probeRedisQueue(url: string): Promise<QueueProbe> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: QUEUE_LIMITS.connectMs,
    commandTimeout: QUEUE_LIMITS.commandMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: 'tenure-doctor',
  });
  let reason: unknown;
  client.on('error', (error) => {
    reason = error;
  });
  try {
    await client.connect();
    const damage = await lookAtKeys(client, REDIS_PREFIX, 'queue');
    if (damage !== null) return { kind: 'damaged', why: damage };
    const [info, waiting, active] = await Promise.all([
      client.info(),
      client.llen(`${REDIS_PREFIX}:${SUBMIT_QUEUE}:wait`),
      client.llen(`${REDIS_PREFIX}:${SUBMIT_QUEUE}:active`),
    ]);
    const why = whyNoWrites(info);
    if (why !== null) return { kind: 'unwritable', where: withoutSecrets(url), why };
    return { kind: 'counts', waiting, active, anew: await readAnew(client, REDIS_PREFIX) };
  } catch (error) {
    return { kind: 'unreachable', where: withoutSecrets(url), why: errorText(reason ?? error) };
  } finally {
    client.disconnect();
  }
}
