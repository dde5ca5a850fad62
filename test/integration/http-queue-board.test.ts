import { expect, test } from 'vitest';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { EffectId } from '../../src/domain/ids.ts';
import { openQueue } from '../../src/queue/backend.ts';
import { createQueueBoard } from '../../src/queue/board.ts';
import { SUBMIT_QUEUE } from '../../src/queue/job.ts';
import { postgresBackend } from '../../src/queue/postgres-backend.ts';
import { QueueStartError } from '../../src/queue/queue-error.ts';
import { IO, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asOperator } from '../kit/http-ops.ts';
import { forFile } from '../kit/for-file.ts';
import { queueServers } from './queue-kit.ts';

/* Bull Board on the queue itself: read-only, and only for the deployment's own operators. */

const api = await forFile(startApi());

const log = { info() {}, warn() {}, error() {} };
const get = (url: string, headers: Readonly<Record<string, string>>) =>
  api.app.inject({ method: 'GET', url, headers });

async function withJobs(backend: Awaited<ReturnType<typeof postgresBackend>>) {
  const queue = await openQueue(backend, log);
  const jobs = ['first', 'second'].map((id) => ({
    effectId: trusted<EffectId>(id),
    dispatchNo: 1,
  }));
  await queue.add(jobs, IO);
  return queue;
}

test('an operator sees the queue, and can do nothing to it', async () => {
  const queue = await withJobs(await postgresBackend({ databaseUrl: api.database.url }, log));
  const headers = { authorization: await asOperator(api) };
  expect((await get('/ops/queue', headers)).headers.location).toBe('/ops/queue/');
  const page = await get('/ops/queue/', headers);
  expect(page.statusCode).toBe(200);
  // The page loads nothing from other servers.
  expect(page.headers['content-security-policy']).toContain(`default-src 'none'`);
  const addresses = [...page.body.matchAll(/(?:src|href)="([^"]*)"/gu)].map(([, url]) => url!);
  expect(addresses.filter((url) => /^(?:[a-z]+:|\/\/)/iu.test(url))).toEqual([]);
  expect(addresses).toContain('/ops/queue/');
  const files = addresses.filter((url) => url.startsWith('static/'));
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    const { statusCode, headers: told } = await get(`/ops/queue/${file}`, headers);
    expect([file, statusCode, told['cache-control']]).toEqual([file, 200, 'private, max-age=3600']);
  }
  expect((await get('/api/ops/queue/', headers)).body).toContain('<base href="/api/ops/queue/" />');

  const { queues } = (
    await get(
      '/ops/queue/api/queues?activeQueue=submit-command&status=waiting&page=1&jobsPerPage=10',
      headers,
    )
  ).json();
  expect(queues).toMatchObject([
    { name: SUBMIT_QUEUE, readOnlyMode: true, allowRetries: false, counts: { waiting: 1 } },
  ]);
  expect(queues[0].jobs.map((job: { data: object }) => job.data)).toEqual([
    { effectId: 'first', dispatchNo: 1, more: [{ effectId: 'second', dispatchNo: 1 }] },
  ]);
  const writes = [
    ['PUT', `queues/${SUBMIT_QUEUE}/pause`],
    ['PUT', 'queues/pause'],
    ['PUT', `queues/${SUBMIT_QUEUE}/empty`],
    ['PUT', `queues/${SUBMIT_QUEUE}/first-1/clean`],
    ['POST', `queues/${SUBMIT_QUEUE}/add`],
    ['PATCH', `queues/${SUBMIT_QUEUE}/first-1/update-data`],
    ['DELETE', `queues/${SUBMIT_QUEUE}`],
  ] as const;
  for (const [method, path] of writes) {
    const url = `/ops/queue/api/${path}`;
    const { statusCode, json } = await api.app.inject({ method, url, headers });
    expect([path, statusCode, json().code]).toEqual([path, 405, 'METHOD_NOT_ALLOWED']);
  }
  // A path that is not a file of the board is answered with 404.
  for (const path of [
    'static/../index.ejs',
    'static/%2e%2e/%2e%2e/package.json',
    'static/nothing.js',
  ]) {
    expect([path, (await get(`/ops/queue/${path}`, headers)).statusCode]).toEqual([path, 404]);
  }
  expect(await queue.counts(IO)).toEqual({ waiting: 1, active: 0 });
  await queue.close();
});

test('nobody else sees anything of it, with a token or signed in', async () => {
  const cookieOf = async (party: Party, roles: readonly ('provider' | 'operator' | 'user')[]) => {
    const identity = {
      tenantId: party === PROVIDER ? 'AppProvider' : 'AppUser',
      isInternal: party === PROVIDER,
      party,
      roles: new Set(roles),
      subject: 'olga',
      name: 'Olga',
      login: null,
    };
    const id = await api.deps.sessions.open(identity, IO);
    return { cookie: `JSESSIONID=${id}` };
  };
  const asked = [
    [{}, 401],
    [{ authorization: await api.as(PROVIDER) }, 403],
    [{ authorization: await api.as(USER, { claims: { roles: ['operator'] } }) }, 403],
    [await cookieOf(PROVIDER, ['provider']), 403],
    // An operator of another party has no access, whether signed in or with a token, because the queue serves the whole
    // deployment.
    [await cookieOf(USER, ['user', 'operator']), 403],
    [await cookieOf(PROVIDER, ['provider', 'operator']), 200],
  ] as const;
  for (const path of ['', 'static/images/logo.svg', 'api/queues']) {
    for (const [headers, status] of asked) {
      expect([path, (await get(`/ops/queue/${path}`, headers)).statusCode]).toEqual([path, status]);
    }
  }
  expect((await get('/ops/queue', asked[4][0])).statusCode).toBe(403);
});

const [, redis] = await queueServers('the page of the raw queue');

test('where the queue cannot be reached the answer says so, and the next visitor finds it', async () => {
  await using server = (await redis?.start()) ?? null;
  const opened = () => server?.backend() ?? postgresBackend({ databaseUrl: api.database.url }, log);
  let isAway = true;
  const away = () =>
    Promise.reject(new QueueStartError('QUEUE_UNREACHABLE', 'Redis at 10.0.0.7 is away'));
  const board = createQueueBoard(() => (isAway ? away() : opened()), log);
  await using other = await startApi(() => ({ queueBoard: board }));
  const headers = { authorization: await asOperator(other) };
  const ask = (url: string) => other.app.inject({ method: 'GET', url, headers });
  const refused = await ask('/ops/queue/');
  expect([refused.statusCode, refused.json().code]).toEqual([503, 'QUEUE_UNAVAILABLE']);
  expect(refused.headers['retry-after']).toBeDefined();
  expect(refused.body).not.toContain('10.0.0.7');
  isAway = false;
  const queue = await withJobs(await opened());
  expect((await ask('/ops/queue/')).statusCode).toBe(200);
  const { queues } = (await ask('/ops/queue/api/queues')).json();
  expect(queues).toMatchObject([{ name: SUBMIT_QUEUE, counts: { waiting: 1 } }]);
  await queue.close();
});
