import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisEndpoint } from '../../src/main/redis-endpoint.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { hasRedis } from './kit/has-redis.ts';
import { startWorld } from './kit/world.ts';
import type { World } from './kit/world.ts';

/* A whole Tenure whose queue is on its own Redis, as `REDIS_URL=local` starts it. */

describe.skipIf(!hasRedis('the whole path'))('with the queue on Redis', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ REDIS_URL: 'local' });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const post = (who: 'provider' | 'user', path: string, body: object) =>
    world.call(who, 'POST', `${path}?commandId=${randomUUID()}`, { body });

  test('its server is listed among what runs, with its log', async () => {
    const redis = world.tenure.state.processes.find(({ name }) =>
      /^(?:valkey|redis)-server$/.test(name),
    );
    expect(redis?.pid).toBeGreaterThan(1);
    expect(await readFile(redis?.logFile ?? '', 'utf8')).toMatch(/ready to accept connections/i);
  });

  let installPath: string;
  const licenses: string[] = [];

  /** Empties the queue's server while workers and relays use it. */
  async function wipe(): Promise<void> {
    const url = await redisEndpoint(join(world.dataDir, 'redis'));
    if (url === null) throw new Error('this world has no Redis of its own');
    const redis = new Redis(url);
    try {
      expect(await redis.dbsize()).toBeGreaterThan(0);
      await redis.flushall();
    } finally {
      redis.disconnect();
    }
  }

  test('the lifecycle runs, also twenty at once', async () => {
    expect(world.tenure.config.queue).toEqual({ kind: 'local-redis' });
    const request = await post('user', '/app-install-requests', {});
    const accepted = await post(
      'provider',
      `/app-install-requests/${request.body.contractId}:accept`,
      {
        installMeta: {},
        meta: {},
      },
    );
    installPath = `/app-installs/${accepted.body.contractId}:create-license`;
    const made = await Promise.all(
      Array.from({ length: 20 }, () => post('provider', installPath, { params: { meta: {} } })),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(new Set(made.map(({ body }) => body.licenseId)).size).toBe(20);
    licenses.push(...made.map(({ body }) => String(body.licenseId)));
    const expired = await post('provider', `/licenses/${licenses.shift()}:expire`, {});
    expect(expired.status).toBe(200);
  });

  test('a queue that has forgotten everything forgets no pause, and nothing that was accepted', async () => {
    const act = async (path: string, body: object) => {
      const done = await world.call('operator', 'POST', path, { body });
      expect([200, 201], JSON.stringify(done.body)).toContain(done.status);
      return done.body;
    };
    const asked = { scope: 'participant', name: 'app-provider', mode: 'pause' };
    const pause = await act('/ops/pauses', { ...asked, reason: 'an upgrade' });
    const accept = async (path: string, body: object = {}): Promise<string> => {
      const headers = { prefer: 'respond-async' };
      const url = `${path}?commandId=${randomUUID()}`;
      const accepted = await world.call('provider', 'POST', url, { body, headers });
      expect(accepted.status, JSON.stringify(accepted.body)).toBe(202);
      return accepted.body.id;
    };
    const expire = () => accept(`/licenses/${licenses.shift()}:expire`);
    const create = () => accept(installPath, { params: { meta: {} } });
    const ids = [await create(), await create(), await expire(), await expire()];
    await wipe();
    ids.push(await expire(), await create());
    const all = () =>
      Promise.all(
        ids.map(async (id) => (await world.call('operator', 'GET', `/ops/operations/${id}`)).body),
      );
    // Only the head of the lane with the creations counts as held; the other changes wait behind it.
    const [held] = (await world.call('operator', 'GET', '/ops/pauses')).body;
    expect(held).toMatchObject({ id: pause.id, held: 4 });
    expect((await all()).map(({ attempts }) => attempts)).toEqual(ids.map(() => []));

    await act(`/ops/pauses/${pause.id}:resume`, { reason: 'it is done' });
    await expect
      .poll(async () => (await all()).map(({ state }) => state), { timeout: PATIENCE_MS })
      .toEqual(ids.map(() => 'succeeded'));
    const accepted = (await all()).map(
      ({ attempts }) =>
        attempts.filter(({ answer }: { answer: string }) => answer === 'accepted').length,
    );
    expect(accepted).toEqual(ids.map(() => 1));
    const { body: active } = await world.call('provider', 'GET', '/licenses');
    expect(active).toHaveLength(licenses.length + 3);
  });
});
