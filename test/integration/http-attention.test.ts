import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/domain/change.ts';
import { away } from '../kit/broken-ports.ts';
import { buildServer } from '../../src/http/server.ts';
import { PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { asOperator, givenUp, inDoubt, refusedChange, tenantOperators } from '../kit/http-ops.ts';
import { forFile } from '../kit/for-file.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/*
 * GET /ops/attention: the matters that a person must decide, for operators of the provider and of tenants, including
 * answers when some of them cannot be read.
 */

const api = await forFile(startApi());
const claims = { roles: ['operator'], name: 'Olga' };
const operator = await asking(api, PROVIDER, { claims });
const { tenant, stranger } = await tenantOperators(api);
const SHARED = ['inDoubt', 'alarms', 'failures', 'waiting', 'timers', 'webhooks'];
const WHOLE = ['pauses', 'circuits', 'streams', 'leases'];
const attention = async (ask = operator) => {
  const reply = await ask.get('/ops/attention');
  expect(`${reply.statusCode} ${reply.body.slice(0, 300)}`).toMatch(/^200 /u);
  return reply.json();
};

const soon = { timeout: PATIENCE_MS };
const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();
const doubts: Change[] = [];
for (let n = 0; n < 6; n += 1) {
  const acceptedAt = new Date(Date.parse(HOUR_AGO) + n * 1_000).toISOString();
  doubts.push(await inDoubt(api, { acceptedAt }));
}
/** The user requested this operation an hour ago, and it is still in progress. */
const waits = await inDoubt(api, { callerParty: USER, acceptedAt: HOUR_AGO });
await api.pool.query(`update change set state = 'retrying' where id = $1`, [waits.id]);
const refused = await refusedChange(api, USER);
const { license } = await givenUp(api);
await api.pool.query(
  `insert into alarm (change_id, kind, since, detail) values ($1, 'person', $2, 'a person has to look')`,
  [doubts[0]!.id, HOUR_AGO],
);
await operator.post('/ops/pauses', {
  scope: 'operation',
  name: 'renew-license',
  reason: 'prices have changed',
});
await api.pool.query(
  `insert into lease (name, holder, epoch, expires_at) values ('clock', 'gone', 1, now() - interval '1 hour')
   on conflict (name) do update set expires_at = excluded.expires_at`,
);

describe('an operator of the provider', () => {
  test('sees of each part how many there are, and the first few', async () => {
    const digest = await attention();
    expect(Object.keys(digest).toSorted()).toEqual(
      [...SHARED, ...WHOLE, 'asOf', 'unavailable'].toSorted(),
    );
    expect(digest.unavailable).toEqual([]);
    expect(digest.inDoubt).toMatchObject({ count: 6, more: false });
    expect(digest.inDoubt.items.map(({ id }: { id: string }) => id)).toEqual(
      doubts.slice(0, 5).map(({ id }) => id),
    );
    expect(digest.alarms).toMatchObject({ count: 1, items: [{ changeId: doubts[0]!.id }] });
    expect(digest.waiting).toMatchObject({
      count: 1,
      items: [{ id: waits.id, waitingFor: { kind: 'person', since: expect.any(String) } }],
    });
    const byCount = digest.failures.items.map(({ count }: { count: number }) => count);
    expect(byCount).toEqual(byCount.toSorted((a: number, b: number) => b - a));
    expect(byCount.length).toBeGreaterThan(0);
    expect(digest.pauses).toMatchObject({ count: 1, items: [{ name: 'renew-license' }] });
    expect(digest.leases.items).toContainEqual(
      expect.objectContaining({ name: 'clock', held: false }),
    );
    expect(digest.timers).toMatchObject({ count: 1, items: [{ lifecycleId: license.id }] });
    expect(digest.timers.items[0].operationId).toBeDefined();
    expect(digest.webhooks).toEqual({ count: 0, more: false, items: [] });
  });

  test('sees the same as the lists of each part show', async () => {
    const digest = await attention();
    for (const [part, url] of [
      ['alarms', '/ops/alarms'],
      ['failures', '/ops/failures'],
      ['timers', '/ops/timers?state=given-up'],
      ['inDoubt', '/ops/operations?state=in-doubt&sort=acceptedAt&limit=5'],
    ] as const) {
      const listed = (await operator.get(url)).json();
      for (const item of digest[part].items) expect(listed).toContainEqual(item);
    }
  });

  test('sees a participant left alone, a stream that lags, and its own webhook that fails', async () => {
    await api.pool.query(
      `insert into circuit (participant, level, delay_ms, since, until, ledger_code, reason, probe)
       values ('elsewhere', 2, 1000, now(), now() + interval '1 hour', 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT', 'traffic', true)`,
    );
    const made = await operator.post('/webhooks', { url: 'http://127.0.0.1:9/hook' });
    expect(made.statusCode).toBe(201);
    await api.pool.query(
      `update webhook set failures = 3, failing_since = now() - interval '1 hour' where id = $1`,
      [made.json().id],
    );
    await api.ledger.happen([]);
    await api.pool.query(
      `update query_store_offset set "offset" = 1, record_time = now() - interval '1 hour' where stream = 'updates'`,
    );
    // The digest is cached for a second, so changes that are made without the API appear after that time.
    await expect.poll(async () => (await attention()).circuits.count, soon).toBe(1);
    const digest = await attention();
    expect(digest.circuits).toMatchObject({
      count: 1,
      items: [{ name: 'elsewhere', mode: 'traffic' }],
    });
    expect(digest.webhooks).toMatchObject({
      count: 1,
      items: [{ id: made.json().id, failures: 3 }],
    });
    expect(JSON.stringify(digest.webhooks)).not.toContain('secret');
    expect(digest.streams).toMatchObject({ count: 1, items: [{ stream: 'updates' }] });
    expect(digest.streams.items[0].lagSeconds).toBeGreaterThan(3_590);
  });
});

test('one reading serves all who ask in a second, each scope by itself, until its operator acts', async () => {
  let reads = 0;
  const { failures } = api.deps.desk;
  const list: typeof failures.list = (...asked) => {
    reads += 1;
    return failures.list(...asked);
  };
  const desk = { ...api.deps.desk, failures: { ...failures, list } };
  await using server = await buildServer({ ...api.deps, desk });
  const authorization = await asOperator(api);
  const ask = (headers = { authorization }) => server.inject({ url: '/ops/attention', headers });
  const asked = await Promise.all(Array.from({ length: 20 }, () => ask()));
  expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
  expect([asked[0]?.statusCode, reads]).toEqual([200, 1]);
  const other = await ask({ authorization: await api.as(USER, { claims }) });
  expect([other.statusCode, other.json().pauses, reads]).toEqual([200, undefined, 2]);
  const pause = { scope: 'operation', name: 'cancel-install', reason: 'it is being tried' };
  const headers = { authorization };
  await server.inject({ method: 'POST', url: '/ops/pauses', headers, payload: pause });
  expect((await ask()).json().pauses.count).toBe(2);
});

describe('an operator of a tenant', () => {
  test('sees what its party asked for, and nothing of the whole deployment', async () => {
    const digest = await attention(tenant);
    expect(Object.keys(digest).toSorted()).toEqual([...SHARED, 'asOf', 'unavailable'].toSorted());
    expect(digest.inDoubt).toEqual({ count: 0, more: false, items: [] });
    expect(digest.waiting).toMatchObject({ count: 1, items: [{ id: waits.id }] });
    expect(digest.failures).toMatchObject({ count: 1, items: [{ example: { id: refused.id } }] });
    expect(digest.alarms.count).toBe(0);
    // The timer belongs to its licence; the operation belongs to the provider.
    expect(digest.timers).toMatchObject({ count: 1, items: [{ lifecycleId: license.id }] });
    expect(digest.timers.items[0]).not.toHaveProperty('operationId');
    expect(digest.webhooks.count).toBe(0);
  });

  test('that has no part in anything sees nothing', async () => {
    const { asOf: _asOf, unavailable, ...parts } = await attention(stranger);
    expect(unavailable).toEqual([]);
    for (const part of Object.values(parts)) {
      expect(part).toEqual({ count: 0, more: false, items: [] });
    }
  });
});

test('callers that are no operators see nothing', async () => {
  for (const party of [PROVIDER, USER]) {
    const reply = await (await asking(api, party)).get('/ops/attention');
    expect([reply.statusCode, reply.json().code]).toEqual([403, 'FORBIDDEN']);
  }
});

test('what cannot be read is missing and named, and the rest is there', async () => {
  const app = await buildServer({
    ...api.deps,
    timers: { page: () => Promise.reject(away()) },
    desk: {
      ...api.deps.desk,
      upkeep: {
        ...api.deps.desk.upkeep,
        streams: () => Promise.reject(new Error('it takes too long')),
      },
    },
  });
  try {
    const headers = { authorization: await asOperator(api) };
    const reply = await app.inject({ method: 'GET', url: '/ops/attention', headers });
    const digest = reply.json();
    expect([reply.statusCode, digest.unavailable]).toEqual([200, ['streams', 'timers']]);
    expect(digest).not.toHaveProperty('streams');
    expect(digest).not.toHaveProperty('timers');
    expect(digest.inDoubt.count).toBe(6);
  } finally {
    await app.close();
  }
});
