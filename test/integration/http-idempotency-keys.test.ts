import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeptAnswers } from '../../src/store/callers/kept-answers.ts';
import { PROVIDER, USER, IO, startApi } from '../kit/http-api.ts';
import { asOperator } from '../kit/http-ops.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * `Idempotency-Key` of requests that record no operation: those about webhooks, customers and keys, and acts of
 * operators.
 */

/** A gate that stops requests for a customer in the middle, until the test opens it. */
const gate = { isReached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() };
const shut = () => {
  gate.isReached = Promise.withResolvers();
  gate.opened = Promise.withResolvers();
};
gate.opened.resolve();

const api = await forFile(
  startApi(({ customers }) => ({
    customers: {
      ...customers,
      add: async (customer, by, io) => {
        gate.isReached.resolve();
        await gate.opened.promise;
        io.signal.throwIfAborted();
        return customers.add(customer, by, io);
      },
    },
  })),
);

const HOOK = { url: 'http://127.0.0.1:9/hook' };
const CUSTOMER = { party: USER, name: 'Acme' };

async function post(url: string, key: string, payload: object | undefined, by = USER) {
  const headers = { authorization: await api.as(by), 'idempotency-key': key };
  return api.app.inject({
    method: 'POST',
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
}

const count = async (table: string): Promise<number> =>
  (await api.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;

beforeEach(async () => {
  await api.pool.query('delete from kept_answer; delete from webhook; delete from customer');
});

describe('a repeated request', () => {
  test('gets the first answer again, without the secret, which is stored nowhere', async () => {
    const first = await post('/webhooks', '"k-1"', { ...HOOK, types: ['*'] });
    const again = await post('/webhooks', 'k-1', { types: ['*'], ...HOOK });
    const { secret, ...shown } = first.json();
    expect([first.statusCode, secret]).toEqual([201, expect.stringMatching(/^whsec_/u)]);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.json()).toEqual({ ...shown, secretShown: true });
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(await count('webhook')).toBe(1);
    const { rows } = await api.pool.query('select answer::text as text from kept_answer');
    expect(rows).toHaveLength(1);
    expect(rows[0].text).not.toContain(secret);
  });

  test('keeps headers, and answers without a body', async () => {
    const first = await post('/customers', 'k-2', CUSTOMER, PROVIDER);
    const again = await post('/customers', 'k-2', CUSTOMER, PROVIDER);
    expect([again.statusCode, again.headers['etag']]).toEqual([201, first.headers['etag']]);
    expect(again.json()).toEqual(first.json());
    expect(await count('customer')).toBe(1);
    const { id } = (await post('/webhooks', 'k-3', HOOK)).json();
    const tests = [
      await post(`/webhooks/${id}/test`, 'k-4', undefined),
      await post(`/webhooks/${id}:test`, 'k-4', undefined),
    ];
    expect(tests.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    expect(await count('delivery')).toBe(1);
  });

  test('is another request with another body, at another address, and of another caller', async () => {
    await post('/webhooks', 'k-5', HOOK);
    const body = await post('/webhooks', 'k-5', { ...HOOK, types: ['*'] });
    expect([body.statusCode, body.json().code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await post('/webhooks/x/test', 'k-5', undefined)).statusCode).toBe(422);
    expect((await post('/webhooks', 'k-5', HOOK, PROVIDER)).statusCode).toBe(201);
    expect(await count('webhook')).toBe(2);
  });

  test('is carried out again after a refusal, and after a day', async () => {
    expect((await post('/webhooks', 'k-6', { url: 'http://10.0.0.1/' })).statusCode).toBe(422);
    expect((await post('/webhooks', 'k-6', HOOK)).statusCode).toBe(201);
    await api.pool.query(`update kept_answer set began_at = now() - interval '25 hours'`);
    expect((await post('/webhooks', 'k-6', { ...HOOK, types: ['*'] })).statusCode).toBe(201);
    expect(await count('webhook')).toBe(2);
  });

  test('is harmless at a preview, which needs no key', async () => {
    const filter = { action: 'retry', filter: {}, reason: 'the participant is back' };
    const headers = { authorization: await asOperator(api), 'idempotency-key': 'k-7' };
    const preview = {
      method: 'POST',
      url: '/ops/operations/preview',
      headers,
      payload: filter,
    } as const;
    const { token } = (await api.app.inject(preview)).json();
    const again = await api.app.inject(preview);
    expect([again.statusCode, again.json().token === token]).toEqual([200, false]);
  });

  test.each(['', 'x'.repeat(256)])('with the key %j is refused', async (key) => {
    const refused = await post('/webhooks', `"${key}"`, HOOK);
    expect([refused.statusCode, refused.json().field]).toEqual([400, 'Idempotency-Key']);
  });
});

describe('the first request', () => {
  test('is being carried out while others are refused', async () => {
    shut();
    const first = post('/customers', 'k-8', CUSTOMER, PROVIDER);
    await gate.isReached.promise;
    const second = await post('/customers', 'k-8', CUSTOMER, PROVIDER);
    expect(second.json()).toMatchObject({
      status: 409,
      code: 'IDEMPOTENCY_KEY_IN_USE',
      retryable: true,
    });
    gate.opened.resolve();
    expect((await first).statusCode).toBe(201);
    expect((await post('/customers', 'k-8', CUSTOMER, PROVIDER)).statusCode).toBe(201);
  });

  test('is carried out although its client has gone', async () => {
    shut();
    if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const gone = new AbortController();
    const headers = {
      authorization: await api.as(PROVIDER),
      'content-type': 'application/json',
      'idempotency-key': 'k-9',
    };
    const body = JSON.stringify(CUSTOMER);
    const url = `http://127.0.0.1:${port}/customers`;
    const first = fetch(url, { method: 'POST', headers, body, signal: gone.signal });
    await gate.isReached.promise;
    const connections = () =>
      new Promise<number>((resolve) => api.app.server.getConnections((_, n) => resolve(n)));
    expect(await connections()).toBe(1);
    gone.abort();
    await expect(first).rejects.toThrow();
    await vi.waitFor(async () => expect(await connections()).toBe(0));
    gate.opened.resolve();
    await vi.waitFor(async () => {
      const again = await post('/customers', 'k-9', CUSTOMER, PROVIDER);
      expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    });
    expect(await count('customer')).toBe(1);
  });

  test('may have ended without an answer: then nobody repeats its effect', async () => {
    await post('/webhooks', 'k-10', HOOK);
    await api.pool.query(
      `update kept_answer set answer = null, began_at = now() - interval '3 minutes'`,
    );
    const again = await post('/webhooks', 'k-10', HOOK);
    expect(again.json()).toMatchObject({
      status: 409,
      code: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
      retryable: false,
    });
    expect(await count('webhook')).toBe(1);
  });
});

test('old answers are deleted, and others are not', async () => {
  await post('/webhooks', 'k-11', HOOK);
  await post('/webhooks', 'k-12', HOOK);
  await api.pool.query(
    `update kept_answer set began_at = now() - interval '25 hours' where id = (select id from kept_answer limit 1)`,
  );
  expect(await createKeptAnswers(api.pool).prune(IO)).toBe(false);
  expect(await count('kept_answer')).toBe(1);
});

test('every POST of the document declares the header', () => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    paths: Record<string, { post?: { operationId: string; parameters?: { name: string }[] } }>;
  };
  const posts = Object.values(paths).flatMap(({ post: operation }) => operation ?? []);
  const without = posts.filter(
    ({ parameters = [] }) => !parameters.some(({ name }) => name === 'Idempotency-Key'),
  );
  expect(posts.length).toBeGreaterThan(50);
  expect(without.map(({ operationId }) => operationId)).toEqual([]);
});
