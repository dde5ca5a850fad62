import { Redis } from 'ioredis';
import { Client } from 'pg';
import { closeQuietly } from './bounded.ts';
import { SUBMIT_QUEUE } from './job.ts';
import { errorText, withoutSecrets } from './queue-error.ts';
import { QUEUE_LIMITS } from './queue-limits.ts';
import { POSTGRES_SCHEMA } from './postgres-backend.ts';
import { REDIS_PREFIX } from './redis-backend.ts';
import { whyNoWrites } from './redis-info.ts';

/** What a look at the queue found, without preparing or changing anything there. */
export type Glance =
  | { readonly kind: 'counts'; readonly waiting: number; readonly active: number }
  /** Its tables are made by the first worker that starts. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreachable'; readonly where: string; readonly why: string }
  /** It answers, and takes no jobs. */
  | { readonly kind: 'unwritable'; readonly where: string; readonly why: string };

/** How many jobs wait and run, as BullMQ's own tables say. */
export async function glanceAtPostgresQueue(databaseUrl: string): Promise<Glance> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'tenure-doctor',
    connectionTimeoutMillis: QUEUE_LIMITS.connectMs,
    query_timeout: QUEUE_LIMITS.commandMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows: there } = await client.query<{ there: boolean }>(
      'select to_regclass($1) is not null as there',
      [`${POSTGRES_SCHEMA}.job`],
    );
    if (there[0]?.there !== true) return { kind: 'empty' };
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
    return { kind: 'counts', waiting: rows[0]?.waiting ?? 0, active: rows[0]?.active ?? 0 };
  } catch (error) {
    return { kind: 'unreachable', where: 'PostgreSQL', why: errorText(error) };
  } finally {
    await closeQuietly(client.end(), QUEUE_LIMITS.connectMs);
  }
}

/** @param url as `redisBackend` takes it */
export async function glanceAtRedisQueue(url: string): Promise<Glance> {
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
    const [info, waiting, active] = await Promise.all([
      client.info(),
      client.llen(`${REDIS_PREFIX}:${SUBMIT_QUEUE}:wait`),
      client.llen(`${REDIS_PREFIX}:${SUBMIT_QUEUE}:active`),
    ]);
    const why = whyNoWrites(info);
    if (why !== null) return { kind: 'unwritable', where: withoutSecrets(url), why };
    return { kind: 'counts', waiting, active };
  } catch (error) {
    return { kind: 'unreachable', where: withoutSecrets(url), why: errorText(reason ?? error) };
  } finally {
    client.disconnect();
  }
}
