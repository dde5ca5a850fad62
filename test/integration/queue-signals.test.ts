import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EFFECTS_CHANNEL, createSignals, listenForEffects } from '../../src/queue/signals.ts';
import type { QueueServer } from './queue-kit.ts';
import { recordingLog, silent, startPostgresServer, until } from './queue-kit.ts';

let server: QueueServer;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function notify(channel: string): Promise<void> {
  const client = new Client({ connectionString: server.address });
  await client.connect();
  await client.query('select pg_notify($1, $2)', [channel, '']);
  await client.end();
}

function countingListener(log = silent) {
  let wakes = 0;
  const listener = listenForEffects({
    databaseUrl: server.address,
    log,
    wake: () => {
      wakes += 1;
    },
  });
  return { listener, wakes: () => wakes };
}

test('wakes once when connected, for what came before, and then for each notification', async () => {
  const { listener, wakes } = countingListener();
  await until(() => listener.connected, 'it listens');
  expect(wakes()).toBe(1);
  await notify(EFFECTS_CHANNEL);
  await until(() => wakes() === 2, 'it was woken');
  await notify(`other_${randomUUID()}`);
  await notify(EFFECTS_CHANNEL);
  await until(() => wakes() === 3, 'it was woken again, and by its own channel only');
  await listener.stop();
  expect(listener.connected).toBe(false);
});

test('listens again after the server was away, and wakes for what it has missed', async () => {
  const log = recordingLog();
  const { listener, wakes } = countingListener(log);
  await until(() => listener.connected, 'it listens');
  await server.down();
  await until(() => !listener.connected, 'it notices');
  await server.up();
  await until(() => listener.connected, 'it listens again');
  expect(wakes()).toBe(2);
  await notify(EFFECTS_CHANNEL);
  await until(() => wakes() === 3, 'it was woken');
  expect(log.entries.some(({ level }) => level === 'warn')).toBe(true);
  await listener.stop();
});

test('a lost connection alone is enough to connect again', async () => {
  const { listener, wakes } = countingListener();
  await until(() => listener.connected, 'it listens');
  const client = new Client({ connectionString: server.address });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tenure-effects'`,
  );
  await client.end();
  await until(() => wakes() === 2 && listener.connected, 'it listens again');
  await notify(EFFECTS_CHANNEL);
  await until(() => wakes() === 3, 'it was woken');
  await listener.stop();
  expect(wakes()).toBe(3);
});

test('stops at once while there is nobody to connect to', async () => {
  const { listener } = countingListener();
  await server.down();
  try {
    const beganMs = performance.now();
    await listener.stop();
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  } finally {
    await server.up();
  }
});

test('signals of the own process reach who listens until they stop', () => {
  const signals = createSignals();
  let wakes = 0;
  signals.effectsDue();
  const stop = signals.onEffectsDue(() => {
    wakes += 1;
  });
  signals.effectsDue();
  signals.effectsDue();
  stop();
  signals.effectsDue();
  expect(wakes).toBe(2);
});
