import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { Pool } from 'pg';
import { Client } from 'pg';
import { createAlarms } from '../../src/store/desk/alarms.ts';
import { createBulkActs } from '../../src/store/desk/bulk-acts.ts';
import { hearChanges } from '../../src/store/engine/change-listener.ts';
import { EFFECTS_CHANNEL, TIMERS_CHANNEL } from '../../src/store/sql/channels.ts';
import { createEventLog } from '../../src/store/webhooks/events.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { createOutbox } from '../../src/store/engine/outbox.ts';
import { createPauses } from '../../src/store/engine/pauses.ts';
import { createPolicies } from '../../src/store/policies/policies.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { createPostgresStore } from '../../src/store/engine/postgres-store.ts';
import { trusted } from '../../src/domain/ids.ts';
import { createDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { createClockReports, createTimeWanted } from '../../src/store/engine/clock-reports.ts';
import { createRebuilds } from '../../src/store/engine/rebuild.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { createWebhooks } from '../../src/store/webhooks/webhooks.ts';
import { createTimers } from '../../src/store/policies/timers.ts';
import type { TestDatabase } from './postgres.ts';
import { testDatabase } from './postgres.ts';
import { queryOnce } from './postgres-query.ts';
import type { Ear, StoreUnderTest } from './store-under-test.ts';
import { tellLockWaits } from './store-under-test.ts';
import { PATIENCE_MS } from './patience.ts';

export interface PostgresStoreUnderTest extends StoreUnderTest {
  readonly url: string;
  readonly pool: Pool;
}

/** Listens to all notification channels. */
async function earOf(
  url: string,
  { onChanges, onEffects, onTimers = () => undefined }: Ear,
): Promise<AsyncDisposable> {
  const listener = openListener({ url, applicationName: 'tenure test listener' });
  await Promise.all([
    new Promise<void>((onGap) => hearChanges(listener, { onChanges, onGap })),
    new Promise<void>((onGap) =>
      listener.on(EFFECTS_CHANNEL, { onMessage: onEffects, onGap: () => onGap() }),
    ),
    new Promise<void>((onGap) =>
      listener.on(TIMERS_CHANNEL, { onMessage: onTimers, onGap: () => onGap() }),
    ),
  ]);
  return { [Symbol.asyncDispose]: () => listener.stop() };
}

/** A query that counts the sessions that wait for a lock. */
const WAITING = `
  select count(*) as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/**
 * Creates a store on a database of its own, with the contents that `testDatabase` describes. Disposing of the store
 * fails if a connection has not been returned to the pool.
 */
export async function postgresStore(
  max = 8,
  contents: 'migrated' | 'pristine' = 'migrated',
): Promise<PostgresStoreUnderTest> {
  const database = await testDatabase(contents);
  const pool = await poolOf(database, max);
  return storeOn(database, pool, async () => {
    try {
      await closePool(pool, GIVEN_BACK_MS);
    } finally {
      await database[Symbol.asyncDispose]();
    }
  });
}

/** How long to wait for a connection that a test has used to return to the pool. */
const GIVEN_BACK_MS = 10_000;
const APPLICATION = 'tenure store test';

const poolOf = (database: TestDatabase, max: number): Promise<Pool> =>
  openPool({
    url: database.url,
    max,
    pipelined: true,
    applicationName: APPLICATION,
    statementTimeoutMs: 30_000,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });

/** One database of {@link sharedStores}. */
interface Shared {
  readonly database: TestDatabase;
  readonly pool: Pool;
  readonly cleaner: Client;
}

/**
 * Makes stores for tests that use a store only through its interface. Such tests run one after another on the same
 * database and connections, and the database is emptied after each test. Opening new connections would cost the server
 * more than most of these tests.
 */
export function sharedStores(): AsyncDisposable & { make(): Promise<PostgresStoreUnderTest> } {
  const idle: Shared[] = [];
  const open = async (): Promise<Shared> => {
    const database = await testDatabase();
    const cleaner = new Client({ connectionString: database.url, application_name: APPLICATION });
    cleaner.on('error', () => {});
    await cleaner.connect();
    return { database, pool: await poolOf(database, 8), cleaner };
  };
  const close = async ({ database, pool, cleaner }: Shared): Promise<void> => {
    try {
      await cleaner.end();
      await closePool(pool, GIVEN_BACK_MS);
    } finally {
      await database[Symbol.asyncDispose]();
    }
  };
  const giveBack = async (shared: Shared): Promise<void> => {
    const { database, pool, cleaner } = shared;
    const isWhole = pool.idleCount === pool.totalCount && !pool.ending;
    if (isWhole && (await database.empty(cleaner))) idle.push(shared);
    else await close(shared);
  };
  return {
    make: async () => {
      const shared = idle.pop() ?? (await open());
      return storeOn(shared.database, shared.pool, () => giveBack(shared));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(idle.splice(0).map(close));
    },
  };
}

async function sessionOn(url: string): ReturnType<StoreUnderTest['beginSession']> {
  const listener = openListener({
    url,
    applicationName: 'tenure-test',
    lifeOf: randomUUID(),
    namesSessions: true,
  });
  await vi.waitUntil(() => listener.session !== null, { timeout: PATIENCE_MS });
  return { name: listener.session ?? '', [Symbol.asyncDispose]: () => listener.stop() };
}

function storeOn(
  database: TestDatabase,
  pool: Pool,
  dispose: () => Promise<void>,
): PostgresStoreUnderTest {
  const store = createPostgresStore(pool);
  tellLockWaits(store, async () => {
    const [row] = await queryOnce<{ n: bigint }>(database.url, WAITING);
    return row!.n > 0n;
  });
  return {
    url: database.url,
    pool,
    store,
    outbox: createOutbox(pool, true),
    leases: createLeases(pool),
    alarms: createAlarms(pool),
    bulkActs: createBulkActs(pool, {
      itemsMax: LIMITS.bulkItemsMax,
      ending: NEWEST_MODEL.ending,
      operations: NEWEST_MODEL.names,
    }),
    events: createEventLog(pool),
    pauses: createPauses(pool),
    policies: createPolicies(pool),
    timers: createTimers(pool),
    retention: createRetention(pool, trusted('app-provider')),
    webhooks: createWebhooks(pool),
    deliveries: createDeliveries(pool),
    processClocks: createClockReports(pool),
    timeWanted: createTimeWanted(pool),
    rebuilds: createRebuilds(pool),
    startAnew: async () => {
      await queryOnce(database.url, `update query_store_offset set followed_on = 'another start'`);
      await queryOnce(database.url, `update lease set granted_on = 'another start'`);
    },
    beginSession: () => sessionOn(database.url),
    listen: (ear) => earOf(database.url, ear),
    [Symbol.asyncDispose]: dispose,
  };
}
