import type { Pool } from 'pg';
import { createAlarms } from '../../src/store/alarms.ts';
import { startChangeListener } from '../../src/store/change-listener.ts';
import { EFFECTS_CHANNEL, TIMERS_CHANNEL } from '../../src/store/channels.ts';
import { createEventLog } from '../../src/store/events.ts';
import { createLeases } from '../../src/store/lease.ts';
import type { Listener } from '../../src/store/listen.ts';
import { listen } from '../../src/store/listen.ts';
import { createOutbox } from '../../src/store/outbox.ts';
import { createPauses } from '../../src/store/pauses.ts';
import { closePool, openPool } from '../../src/store/pool.ts';
import { createPostgresStore } from '../../src/store/postgres-store.ts';
import { createTimers } from '../../src/store/timers.ts';
import { testDatabase } from './postgres.ts';
import type { Ear, StoreUnderTest } from './store-under-test.ts';

export interface PostgresStoreUnderTest extends StoreUnderTest {
  readonly url: string;
  readonly pool: Pool;
}

/** Hears all channels, each on a connection of its own. */
async function earOf(
  url: string,
  { onChanges, onEffects, onTimers = () => undefined }: Ear,
): Promise<AsyncDisposable> {
  const ready = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ] as const;
  const listeners: Listener[] = [
    startChangeListener({ url, onChanges, onGap: ready[0].resolve }),
    listen({
      url,
      channel: EFFECTS_CHANNEL,
      applicationName: 'tenure test effects',
      onMessage: onEffects,
      onGap: ready[1].resolve,
    }),
    listen({
      url,
      channel: TIMERS_CHANNEL,
      applicationName: 'tenure test timers',
      onMessage: onTimers,
      onGap: ready[2].resolve,
    }),
  ];
  await Promise.all(ready.map(({ promise }) => promise));
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(listeners.map((listener) => listener.stop()));
    },
  };
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
    alarms: createAlarms(pool),
    events: createEventLog(pool),
    pauses: createPauses(pool),
    timers: createTimers(pool),
    listen: (ear) => earOf(database.url, ear),
    [Symbol.asyncDispose]: async () => {
      try {
        await closePool(pool, 10_000);
      } finally {
        await database[Symbol.asyncDispose]();
      }
    },
  };
}
