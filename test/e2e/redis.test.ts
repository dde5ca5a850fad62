import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasRedis } from './kit/has-redis.ts';
import { startWorld } from './kit/world.ts';
import type { World } from './kit/world.ts';

/* The whole path with the queue on a Redis of its own, as `REDIS_URL=local` starts it. */

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
    const path = `/app-installs/${accepted.body.contractId}:create-license`;
    const made = await Promise.all(
      Array.from({ length: 20 }, () => post('provider', path, { params: { meta: {} } })),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(new Set(made.map(({ body }) => body.licenseId)).size).toBe(20);
    const expired = await post('provider', `/licenses/${made[0]?.body.licenseId}:expire`, {});
    expect(expired.status).toBe(200);
  });
});
