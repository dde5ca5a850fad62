import { afterAll, describe, expect, test } from 'vitest';
import { newLicenseKey } from '../../src/domain/license-key.ts';
import type { RateLimits } from '../../src/http/kit/rate-limits.ts';
import { buildServer } from '../../src/http/server.ts';
import { forFile } from '../kit/for-file.ts';
import { USER } from '../kit/http-api.ts';
import { sellUnderPlan } from '../kit/http-plans.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';

/* The limits of calls with a licence key, over the API and on a real PostgreSQL. */

const world = await forFile(startRenewalsWorld());
const { api } = world;
const open = new AsyncDisposableStack();
afterAll(() => open.disposeAsync());

/** Creates a licence in its trial, and a key for it. */
async function newKey(): Promise<string> {
  const id = String((await world.shown(await world.newLicense()))['lifecycleId']);
  await sellUnderPlan(api, id, { trial: 'P14D' });
  const made = await world.provider.post(`/licenses/${id}/keys`, { name: 'build server' });
  expect(made.statusCode).toBe(201);
  return made.json().secret;
}

describe('the limits of a key', () => {
  const startLimited = async (rateLimits: Partial<RateLimits>) => {
    const lookups = { count: 0 };
    const { keys } = api.deps.validation;
    const app = await buildServer({
      ...api.deps,
      rateLimits: { ...api.deps.rateLimits, ...rateLimits },
      validation: {
        ...api.deps.validation,
        keys: {
          ...keys,
          holderOf: (...args) => {
            lookups.count += 1;
            return keys.holderOf(...args);
          },
        },
      },
    });
    const validate = async (key: string, payload: object | string = {}) => {
      const headers = { authorization: `License ${key}`, 'content-type': 'application/json' };
      const reply = await app.inject({
        method: 'POST',
        url: '/licenses/validate',
        headers,
        payload,
      });
      const { code, message = '' } = reply.json();
      return [reply.statusCode, code, /(?:of your tenant|of one \w+)/u.exec(message)?.[0]];
    };
    // A server that closes ends the waits of all servers of this test.
    open.defer(() => app.close());
    return { app, lookups, validate };
  };

  test('are those of a caller of its tenant, and cost no lookup once the key is known', async () => {
    const [first, second] = [await newKey(), await newKey()];
    const limited = await startLimited({ perTenant: 5, perCaller: 3, perAddress: 2 });
    const ok = [200, 'TRIAL', undefined];
    for (let n = 0; n < 3; n += 1) expect(await limited.validate(first)).toEqual(ok);
    expect(await limited.validate(first)).toEqual([429, 'RATE_LIMITED', 'of one caller']);
    for (let n = 0; n < 2; n += 1) expect(await limited.validate(second)).toEqual(ok);
    expect(await limited.validate(second)).toEqual([429, 'RATE_LIMITED', 'of your tenant']);
    const headers = { authorization: await api.as(USER) };
    expect((await limited.app.inject({ url: '/licenses', headers })).statusCode).toBe(429);
    expect(limited.lookups.count).toBe(2);
  });

  test('are those of the address while the key is unknown', async () => {
    const limited = await startLimited({ perAddress: 2 });
    const unknown = () => limited.validate(newLicenseKey());
    for (let n = 0; n < 2; n += 1) expect(await unknown()).toEqual([200, 'UNKNOWN_KEY', undefined]);
    expect(await unknown()).toEqual([429, 'RATE_LIMITED', 'of one address']);
    expect(limited.lookups.count).toBe(2);
  });

  test('hold its requests in progress like those of a caller', async () => {
    const key = await newKey();
    const limited = await startLimited({ writesPerTenant: 2 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => limited.validate(key)));
    const statuses = new Set(replies.map(([status]) => status));
    expect(statuses).toEqual(new Set([200, 429]));
  });

  test('let it send bodies of 32 KiB, and the body of an unknown key is not read', async () => {
    const key = await newKey();
    const limited = await startLimited({});
    const body = (bytes: number) => '{}'.padEnd(bytes);
    expect(await limited.validate(key, body(32_768))).toEqual([200, 'TRIAL', undefined]);
    expect((await limited.validate(key, body(32_769))).slice(0, 1)).toEqual([413]);
    const unknown = [200, 'UNKNOWN_KEY', undefined];
    expect(await limited.validate(newLicenseKey(), body(32_769))).toEqual(unknown);
    expect(await limited.validate(newLicenseKey(), '{')).toEqual(unknown);
  });
});
