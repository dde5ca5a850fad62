import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rowsOf } from '../../chaos/rows.ts';
import { fetchToken } from '../../cli/commands/token.ts';
import type { Embedded } from '../../embedded/embedded.ts';
import { localnetAddresses } from '../../embedded/localnet.ts';
import type { Config } from '../../src/main/config.ts';
import { loadConfig } from '../../src/main/config.ts';
import { createLog } from '../../src/main/log.ts';
import { queueBackendOf } from '../../src/main/queue-side.ts';
import { startSystem } from '../../src/main/system.ts';
import { openQueue } from '../../src/queue/backend.ts';
import type { Relay } from '../../src/queue/relay.ts';
import { startRelay } from '../../src/queue/relay.ts';
import { createOutbox } from '../../src/store/engine/outbox.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import type { Answer } from './kit/call-api.ts';
import { callApi } from './kit/call-api.ts';
import { hasRedis } from './kit/has-redis.ts';
import { startParts } from './kit/parts.ts';

/*
 * One caller sends many requests, and afterwards another caller sends one. All requests are on the queue before a
 * worker runs, so that only the queue and the worker decide their order.
 */

const FLOOD = 150;
const log = createLog('error');
const signal = AbortSignal.timeout(240_000);

interface World extends AsyncDisposable {
  readonly databaseUrl: string;
  post(who: 'provider' | 'user', path: string, id: string, prefer?: string): Promise<Answer>;
  /** Starts a worker, which runs until it is stopped. */
  work(): Promise<AsyncDisposable>;
  /** Starts a relay, which puts due effects on the queue and does nothing else. */
  relay(): Promise<Pick<Relay, 'wake'> & AsyncDisposable>;
}

async function openRelay(config: Config): ReturnType<World['relay']> {
  await using stack = new AsyncDisposableStack();
  const pool = stack.adopt(
    await openPool({
      url: config.databaseUrl,
      max: 2,
      applicationName: 'test',
      pipelined: true,
      signal,
    }),
    (one) => closePool(one, 5_000),
  );
  const queue = stack.adopt(await openQueue(await queueBackendOf(config, log)(), log), (one) =>
    one.close(),
  );
  const relay = stack.adopt(startRelay({ outbox: createOutbox(pool), queue, log }), (one) =>
    one.stop(),
  );
  const opened = stack.move();
  return { wake: () => relay.wake(), [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function startEverything(
  stack: AsyncDisposableStack,
  environment: Readonly<Record<string, string>>,
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-fair-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const embedded: Embedded = stack.use(
    await startParts({ TENURE_DATA_DIR: dataDir, ...environment }),
  );
  const configOf = (roles: string): Config =>
    loadConfig({
      ...embedded.environment,
      TENURE_DATA_DIR: dataDir,
      TENURE_ROLES: roles,
      TENURE_WORKER_CONCURRENCY: '2',
      BACKEND_PORT: '0',
    });
  return { embedded, configOf };
}

async function startWorld(environment: Readonly<Record<string, string>>): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const { embedded, configOf } = await startEverything(stack, environment);
  const config = configOf('api,projector');
  const system = stack.adopt(await startSystem(config, log, signal), (one) => one.stop());
  const localnet = localnetAddresses(embedded.localnet!.ready);
  const tokens = {
    provider: await fetchToken(localnet, 'provider'),
    user: await fetchToken(localnet, 'user'),
  };
  const opened = stack.move();
  return {
    databaseUrl: config.databaseUrl,
    post: (who, path, id, prefer = 'respond-async') =>
      callApi(`http://127.0.0.1:${system.apiPort}${path}?commandId=${id}`, {
        body: { installMeta: {}, meta: {} },
        token: tokens[who],
        headers: { prefer },
      }),
    async work() {
      const worker = await startSystem(configOf('worker'), log, signal);
      return { [Symbol.asyncDispose]: () => worker.stop() };
    },
    relay: () => openRelay(config),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns the operations in the order in which they were first submitted. */
async function submitted({ databaseUrl }: World, ids: readonly string[]): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    databaseUrl,
    `select c.command_id as id from change c join attempt a on a.change_id = c.id
     where a.n = 1 and c.command_id = any($1) order by a.at`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Wakes the relay, and returns how many effects are on the queue afterwards. */
async function dispatched({ databaseUrl }: World, relay: Pick<Relay, 'wake'>): Promise<number> {
  relay.wake();
  const [row] = await rowsOf<{ count: number }>(
    databaseUrl,
    'select count(*)::int as count from effect where done_at is null and dispatch_no = 1',
  );
  return row?.count ?? 0;
}

const redis = hasRedis('fairness') ? [['Redis', { REDIS_URL: 'local' }] as const] : [];

describe.each([['PostgreSQL', {}] as const, ...redis])('with the queue in %s', (_, environment) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(environment);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('what one asks for is not behind all that another has asked for before', async () => {
    const requested = world.post('user', '/app-install-requests', randomUUID(), 'wait=60');
    const installRequest = await (async () => {
      await using _worker = await world.work();
      return (await requested).body.contractId;
    })();
    const flood = Array.from({ length: FLOOD }, () => randomUUID());
    const quiet = randomUUID();
    {
      await using relay = await world.relay();
      const asked = await Promise.all(
        flood.map((id) => world.post('user', '/app-install-requests', id)),
      );
      expect(asked.map(({ status }) => status)).toEqual(flood.map(() => 202));
      await expect.poll(() => dispatched(world, relay)).toBe(FLOOD);
      const accept = `/app-install-requests/${installRequest}:accept`;
      expect((await world.post('provider', accept, quiet)).status).toBe(202);
      await expect.poll(() => dispatched(world, relay)).toBe(FLOOD + 1);
    }
    await using _worker = await world.work();
    const all = [...flood, quiet];
    await expect
      .poll(async () => (await submitted(world, all)).length, { timeout: 60_000 })
      .toBe(all.length);
    expect((await submitted(world, all)).indexOf(quiet)).toBeLessThan(FLOOD / 4);
  });
});
