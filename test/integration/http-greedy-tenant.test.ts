import { Agent, request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { databaseCheck } from '../../src/main/database-check.ts';
import { shareSizes } from '../../src/main/connections.ts';
import type { ReadinessCheck } from '../../src/http/kit/deps.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { buildServer } from '../../src/http/server.ts';
import { keepShares } from '../../src/store/sql/shares.ts';
import { OTHER_USER, USER, startApi } from '../kit/http-api.ts';
import { forFile } from '../kit/for-file.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/*
 * One tenant sends as many calls as it can, from many subjects, over real connections. Calls of another tenant still
 * succeed.
 */

const SUBJECTS = 100;
const STREAMS = 12;
const READS = 16;
const WRITES = 16;
const CALLS = 8;

const readiness: ReadinessCheck[] = [];
const api = await forFile(
  startApi((deps) => ({
    readiness,
    rateLimits: {
      ...deps.rateLimits,
      streamsPerTenant: STREAMS,
      readsPerTenant: READS,
      writesPerTenant: WRITES,
      readTimePercent: 75,
    },
  })),
);
keepShares(api.pool, shareSizes(['api'], 6));
readiness.push(databaseCheck(api.pool));
const following = api.ledger.follow();
afterAll(() => following.stop());
const { port } = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
afterAll(() => agent.destroy());

const greedy = await Promise.all(
  Array.from({ length: SUBJECTS }, (_, n) =>
    api.as(OTHER_USER, { claims: { sub: `greedy-${n}` } }),
  ),
);
const modest = await api.as(USER);

interface Answer {
  readonly status: number;
  readonly policy: string | undefined;
  readonly retryAfter: string | undefined;
}

/** Makes a call over a connection of its own. For a stream, the answer is its first chunk. */
function call(method: 'GET' | 'POST', path: string, authorization: string, open?: ClientRequest[]) {
  return new Promise<Answer>((resolve, reject) => {
    const asked = request({ port, path, method, agent, headers: { authorization } }, (answer) => {
      const { 'ratelimit-policy': policy, 'retry-after': retryAfter } = answer.headers;
      const told = {
        status: answer.statusCode ?? 0,
        policy: policy?.toString(),
        retryAfter,
      };
      answer.resume().on('error', () => undefined);
      if (open === undefined || told.status !== 200) answer.on('end', () => resolve(told));
      else resolve(told);
      if (told.status === 200) open?.push(asked);
    });
    asked.on('error', reject).end();
  });
}

const ready = () => call('GET', '/readyz', '').then(({ status }) => status);
let made = 0;
const write = (authorization: string) =>
  call('POST', `/app-install-requests?commandId=share-${(made += 1)}`, authorization);

test('a tenant’s streams leave room for those of others, however many its subjects are', async () => {
  const open: ClientRequest[] = [];
  const asked = await Promise.all(
    greedy.slice(0, 3 * STREAMS).map((token) => call('GET', '/events', token, open)),
  );
  const refused = asked.filter(({ status }) => status === 429);
  expect(asked.filter(({ status }) => status === 200)).toHaveLength(STREAMS);
  expect(refused).toHaveLength(2 * STREAMS);
  expect(refused[0]).toMatchObject({
    policy: `"tenant-streams";q=${STREAMS};qu="concurrent-requests"`,
    retryAfter: '1',
  });
  expect((await call('GET', '/events', modest, open)).status).toBe(200);
  for (const each of open) each.destroy();
  // When the streams have ended, the tenant can open new ones.
  const again = () => call('GET', '/events', greedy[0] ?? '', open).then(({ status }) => status);
  await expect.poll(again, { timeout: PATIENCE_MS }).toBe(200);
  for (const each of open) each.destroy();
});

test('reads that hold all their connections take none from writes and from probes', async () => {
  const blocker = await api.pool.connect();
  try {
    // A read of webhooks waits for this lock, and does not release its connection while it waits.
    await blocker.query('begin; lock table webhook in access exclusive mode');
    const reads = greedy.map((token) => call('GET', '/webhooks', token));
    const early = new Set<number>();
    for (const read of reads) void read.then(({ status }) => early.add(status));
    // All calls beyond the limit are refused at once, although the calls within it still wait.
    await expect.poll(() => [...early], { timeout: PATIENCE_MS }).toEqual([429]);
    for (let n = 0; n < CALLS; n += 1) expect((await write(modest)).status).toBe(201);
    expect(await ready()).toBe(200);
    await blocker.query('rollback');
    const answers = await Promise.all(reads);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(READS);
    expect(answers.find(({ status }) => status === 429)).toMatchObject({
      policy: `"tenant-reads";q=${READS};qu="concurrent-requests"`,
      retryAfter: '1',
    });
  } finally {
    blocker.release();
  }
});

test('reads and refusals of a tenant wait for each other, and another tenant’s read for few of them', async () => {
  const order: string[] = [];
  const read = (name: string, authorization: string) =>
    call('GET', '/machines', authorization).then(() => void order.push(name));
  const flood = greedy.map((token) => read('greedy', token));
  await Promise.all([...flood, read('modest', modest)]);
  expect(order.indexOf('modest')).toBeLessThan(SUBJECTS / 2);
});

test('all that one tenant can send ends no call of another, and is refused in part', async () => {
  const over = new AbortController();
  const answered = new Map<number, number>();
  const load = (async () => {
    while (!over.signal.aborted) {
      const asked = greedy.map((token, n) =>
        n % 2 === 0 ? write(token) : call('GET', '/app-install-requests', token),
      );
      for (const { status } of await Promise.all(asked))
        answered.set(status, (answered.get(status) ?? 0) + 1);
    }
  })();
  for (let n = 0; n < CALLS; n += 1) {
    expect((await write(modest)).status).toBe(201);
    expect((await call('GET', '/app-install-requests?limit=5', modest)).status).toBe(200);
    expect(await ready()).toBe(200);
  }
  over.abort();
  await load;
  expect(new Set(answered.keys())).toEqual(new Set([200, 201, 429]));
});

/* This test must be the last: when a second server is closed, all waits for outcomes on the first one end, too. */

test('large bodies are parsed as the time of the process allows, and small ones do not wait', async () => {
  const LARGE = 5;
  // Only one large body is parsed in each window.
  const rateLimits = { ...api.deps.rateLimits, readTimePercent: 1e-9 };
  const app = await buildServer({ ...api.deps, rateLimits });
  try {
    const to = await app.listen({ host: '127.0.0.1', port: 0 });
    const order: string[] = [];
    const send = async (name: string, bytes: number) => {
      // The body is refused because of its form, which is checked after the whole body has been parsed.
      const body = JSON.stringify({ meta: 1, text: 'x'.repeat(bytes) });
      const headers = { authorization: greedy[0] ?? '', 'content-type': 'application/json' };
      const path = `${to}/app-install-requests?commandId=${name}`;
      const { status } = await fetch(path, { method: 'POST', headers, body });
      expect(status).toBe(400);
      order.push(name);
    };
    const beganMs = performance.now();
    const large = Array.from({ length: LARGE }, () => send('large', HTTP_LIMITS.smallBodyBytes));
    await Promise.all([...large, send('small', 100)]);
    expect(performance.now() - beganMs).toBeGreaterThan((LARGE - 2) * HTTP_LIMITS.loopWindowMs);
    expect(order.at(-1)).toBe('large');
  } finally {
    await app.close();
  }
});
