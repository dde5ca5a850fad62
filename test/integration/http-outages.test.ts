import { describe, expect, test, vi } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { buildManagement } from '../../src/http/management.ts';
import { OPS_LIMITS } from '../../src/ops/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import type { HttpDeps } from '../../src/http/kit/deps.ts';
import { PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* The answers to callers while a service that the server needs is unreachable. */

describe('the database', () => {
  test('away: nothing is recorded, and callers are told to come back', async () => {
    await using api = await startApi();
    const user = await asking(api, USER);
    expect((await user.get('/licenses')).statusCode).toBe(200);
    await api.database.drop();
    const replies = await Promise.all([
      user.get('/licenses'),
      user.get('/licenses?limit=5'),
      user.get('/licenses/x'),
      user.get('/operations/x'),
      user.post('/app-install-requests?commandId=away-1'),
    ]);
    for (const reply of replies) {
      expect([reply.statusCode, reply.json()]).toMatchObject([
        503,
        { code: 'DATABASE_UNAVAILABLE', retryable: true },
      ]);
      expect(reply.headers['retry-after']).toBe(String(HTTP_LIMITS.retryAfterMs / 1_000));
      expect(reply.body).not.toMatch(/localhost|127\.0\.0\.1|postgres/iu);
    }
    expect((await api.app.inject('/livez')).statusCode).toBe(200);
  });

  test('away once a change is recorded: no failure, but an operation to follow', async () => {
    await using api = await startApi();
    const user = await asking(api, USER);
    const answer = user.post('/app-install-requests?commandId=away-2', undefined, {
      prefer: 'wait=2',
    });
    await vi.waitFor(() => expect(api.waiters.size).toBe(1), PATIENCE_MS);
    await api.database.drop();
    const accepted = await answer;
    expect(accepted.statusCode).toBe(202);
    expect(accepted.headers['location']).toBe('/operations/away-2');
    expect(accepted.json()).toEqual({
      id: expect.any(String),
      commandId: 'away-2',
      operation: 'request-install',
      lifecycleId: null,
      state: 'submitting',
      acceptedAt: expect.any(String),
      attempts: [],
    });
  });

  test('away in the middle of a list: the connection breaks, and no half list looks whole', async () => {
    await using api = await startApi(({ store }) => ({
      store: {
        ...store,
        reads: {
          ...store.reads,
          async *listAll(query, io) {
            const [one] = await store.reads.list({ ...query, limit: 1 }, io);
            for (let n = 0; n < LIMITS.listChunk; n += 1) yield one!;
            throw new Error('gone');
          },
        },
      },
    }));
    const following = api.ledger.follow();
    await (await asking(api, USER)).post('/app-install-requests?commandId=list-1');
    await following.stop();
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { authorization: await api.as(USER) };
    const torn = await fetch(`${address}/app-install-requests`, { headers });
    expect(torn.status).toBe(200);
    await expect(torn.json()).rejects.toThrow();
    await vi.waitFor(() => expect(api.logged.at(-1)).toContain('broke off'), PATIENCE_MS);
    expect(JSON.parse(api.logged.at(-1)!)).toMatchObject({ path: '/app-install-requests' });
  });
});

test('an issuer whose keys cannot be read is not the caller’s fault', async () => {
  await using api = await startApi();
  api.issuers.user.answerWith('error');
  const user = await asking(api, USER);
  const reply = await user.post('/app-install-requests?commandId=issuer-1');
  expect([reply.statusCode, reply.json().code]).toEqual([503, 'AUTHORIZATION_SERVER_UNAVAILABLE']);
  expect(reply.headers['retry-after']).toBeDefined();
  expect(reply.headers['www-authenticate']).toBeUndefined();
  expect(await api.changes()).toBe(0);
  // An expired token is recognised without the issuer's keys. So an event stream ends when its token expires, even if
  // the issuer is unreachable.
  const expired = await api.as(USER, { expiresInS: -1 });
  const late = await api.app.inject({ url: '/user', headers: { authorization: expired } });
  expect([late.statusCode, late.json().message]).toEqual([401, 'the token has expired']);
  api.issuers.user.answerWith('keys');
  expect((await user.get('/licenses')).statusCode).toBe(200);
});

test('a ledger that has to be asked first and does not answer: nothing is recorded', async () => {
  class LedgerDown extends Error {}
  const failing = (deps: HttpDeps): Partial<HttpDeps> => ({
    hosting: {
      ...deps.hosting,
      submitterFor: () => Promise.reject(new LedgerDown('14 UNAVAILABLE')),
    },
    ledgerClock: { ...deps.ledgerClock, refresh: () => Promise.reject(new LedgerDown()) },
    isLedgerUnavailable: (error) => error instanceof LedgerDown,
  });
  await using api = await startApi(failing);
  const user = await asking(api, USER);
  const reply = await user.post('/app-install-requests?commandId=ledger-1');
  expect([reply.statusCode, reply.json().code]).toEqual([503, 'LEDGER_UNAVAILABLE']);
  expect(await api.changes()).toBe(0);
  // Reads still work, with the last ledger time that is known.
  expect((await user.get('/licenses')).statusCode).toBe(200);
});

test('a bug is answered with nothing but its trace, under which the log has the rest', async () => {
  await using api = await startApi(() => ({
    authenticate: () => Promise.reject(new TypeError('secret of line 42')),
  }));
  const reply = await (await asking(api, PROVIDER)).get('/licenses');
  expect([reply.statusCode, reply.json()]).toMatchObject([
    500,
    { code: 'INTERNAL', retryable: false },
  ]);
  expect(reply.body).not.toMatch(/secret|line 42|TypeError/u);
  const [error, line] = api.logged.slice(-2).map((text) => JSON.parse(text));
  expect(error.error).toMatchObject({ type: 'TypeError', message: 'secret of line 42' });
  expect([error['trace-id'], line['trace-id']]).toEqual([
    reply.json().traceId,
    reply.json().traceId,
  ]);
});

test('a process of another role serves its health and nothing else', async () => {
  await using api = await startApi(() => ({ serves: 'health' }));
  const paths = ['/livez', '/readyz', '/licenses', '/openapi.json', '/docs/'];
  const replies = await Promise.all(paths.map((path) => api.app.inject(path)));
  expect(replies.map((reply) => reply.statusCode)).toEqual([200, 200, 404, 404, 404]);
});

describe('readiness', () => {
  const checks = [
    { name: 'queue', check: async () => {} },
    { name: 'ledger', check: () => Promise.reject(new Error('UNAVAILABLE: nobody listens')) },
  ];

  test('is a status for strangers, and its reasons are on the management port', async () => {
    await using api = await startApi(() => ({ readiness: checks }));
    await using management = await buildManagement(api.deps);
    const told = await api.app.inject('/api/readyz');
    expect([told.statusCode, told.json()]).toEqual([503, { status: 'not ready' }]);
    const without = await api.app.inject('/readyz?exclude=clock,ledger');
    expect([without.statusCode, without.json()]).toEqual([200, { status: 'ready' }]);
    const reasons = [
      { name: 'queue', ok: true },
      { name: 'ledger', ok: false, reason: 'UNAVAILABLE: nobody listens' },
    ];
    const reply = await management.inject('/readyz');
    expect([reply.statusCode, reply.json()]).toEqual([
      503,
      { status: 'not ready', checks: reasons },
    ]);
    const excluding = await management.inject('/readyz?exclude=clock,ledger');
    expect([excluding.statusCode, excluding.json()]).toEqual([
      200,
      { status: 'ready', checks: [reasons[0], { ...reasons[1], excluded: true }] },
    ]);
    const others = ['exclude=queue', 'exclude=', 'exclude=Ledger', 'exclude=ledger&exclude=queue'];
    for (const app of [api.app, management]) {
      const answers = await Promise.all(others.map((query) => app.inject(`/readyz?${query}`)));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503, 200]);
    }
    const authorization = await api.as(PROVIDER);
    const probe = await api.app.inject({ url: '/actuator/health', headers: { authorization } });
    expect([probe.statusCode, probe.json()]).toEqual([503, { status: 'DOWN' }]);
  });

  test('is asked once a second, and so are the metrics, however many ask', async () => {
    let asked = 0;
    let rendered = 0;
    await using management = await buildManagement({
      readiness: [{ name: 'queue', check: async () => void (asked += 1) }],
      metrics: {
        answered: () => undefined,
        exposition: async () => ({ type: 'text/plain', text: String((rendered += 1)) }),
      },
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const many = async () => {
        for (let n = 0; n < 20; n += 1) {
          await Promise.all(['/readyz', '/metrics'].map((url) => management.inject(url)));
        }
        return [asked, rendered];
      };
      expect(await many()).toEqual([1, 1]);
      vi.advanceTimersByTime(HTTP_LIMITS.managementKeptMs - 1);
      expect(await many()).toEqual([1, 1]);
      vi.advanceTimersByTime(1);
      expect(await many()).toEqual([2, 2]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('metrics are not on the port of the API', async () => {
    await using api = await startApi();
    await using management = await buildManagement(api.deps);
    expect((await api.app.inject('/metrics')).statusCode).toBe(404);
    const measured = await management.inject('/metrics');
    expect(measured.body).toMatch(/method="GET",route="unmatched",status="4xx"/u);
  });

  test('metrics have a bounded number of series, whatever strangers ask for', async () => {
    await using api = await startApi();
    await using management = await buildManagement(api.deps);
    const address = await management.listen({ host: '127.0.0.1', port: 0 });
    const document = (await api.app.inject('/openapi.json')).json<{ paths: object }>();
    const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS'] as const;
    const asked = Object.keys(document.paths).flatMap((path) =>
      methods.map((method) => ({ method, url: path.replaceAll(/[{}]/gu, '') })),
    );
    expect(asked.length).toBeGreaterThan(OPS_LIMITS.requestSeriesMax);
    await Promise.all(asked.map((request) => api.app.inject(request)));
    const text = await (await fetch(`${address}/metrics`)).text();
    const series = text.match(/^tenure_http_request_duration_seconds_count\{.*/gmu) ?? [];
    const others = series.filter((line) => line.includes('method="_OTHER",route="other"'));
    expect(others.length).toBeGreaterThan(0);
    expect(series.length - others.length).toBe(OPS_LIMITS.requestSeriesMax);
  });
});
