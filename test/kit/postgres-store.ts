import type { Pool } from 'pg';
import { createLeases } from '../../src/store/lease.ts';
import { createOutbox } from '../../src/store/outbox.ts';
import { closePool, openPool } from '../../src/store/pool.ts';
import { createPostgresStore } from '../../src/store/postgres-store.ts';
import { testDatabase } from './postgres.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export interface PostgresStoreUnderTest extends StoreUnderTest {
  readonly url: string;
  readonly pool: Pool;
}

/** A store on a database of its own. Disposing it fails when a connection has not been given back. */
export async function postgresStore(max = 8): Promise<PostgresStoreUnderTest> {
  const database = await testDatabase();
  const pool = await openPool({
    url: database.url,
    max,
    pipelined: true,
    applicationName: 'tenure store test',
    statementTimeoutMs: 30_000,
    signal: AbortSignal.timeout(20_000),
  });
  return {
    url: database.url,
    pool,
    store: createPostgresStore(pool),
    outbox: createOutbox(pool),
    leases: createLeases(pool),
    [Symbol.asyncDispose]: async () => {
      try {
        await closePool(pool, 10_000);
      } finally {
        await database[Symbol.asyncDispose]();
      }
    },
  };
}
