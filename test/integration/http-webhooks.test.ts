import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventSource } from '../../src/app/engine/lanes/events.ts';
import { addressPolicy } from '../../src/auth/address-policy.ts';
import { createWebhookTargets } from '../../src/auth/webhook-targets.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { Metrics } from '../../src/ops/metrics.ts';
import { observeDeliveries } from '../../src/ops/observed.ts';
import { startDeliverer } from '../../src/ops/deliverer.ts';
import type { Deliverer } from '../../src/ops/deliverer.ts';
import { DELIVERIES_CHANNEL } from '../../src/store/sql/channels.ts';
import { createDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import type { EventWorld } from '../kit/event-world.ts';
import { eventOf, startEventWorld } from '../kit/event-world.ts';
import { IO, OTHER_USER, PROVIDER, USER } from '../kit/http-api.ts';
import { doneTo } from '../kit/http-webhooks.ts';
import { save } from '../kit/store-under-test.ts';
import { samplesIn } from '../kit/promql.ts';
import { freePort } from '../../embedded/free-port.ts';

/* Webhooks over real HTTP, on a real PostgreSQL: from their creation to the arrival of deliveries at a target. */

interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const arrived: Arrived[] = [];
/** For each path, how the target answers; by default with 204. */
const answers = new Map<string, (response: ServerResponse) => void>();
const hanging: ServerResponse[] = [];
const target = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const path = request.url ?? '';
    arrived.push({ path, headers: request.headers, body });
    const answer = answers.get(path) ?? ((to) => void to.writeHead(204).end());
    answer(response);
  });
});
const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end('so it is');

const metrics = new Metrics({ version: '0.0.0', roles: [], participants: [] });
let world: EventWorld;
let deliverer: Deliverer;
let base: string;
const stack = new AsyncDisposableStack();
const soon = { interval: 10 };

beforeAll(async () => {
  world = await startEventWorld();
  stack.use(world);
  const deliveries = createDeliveries(world.api.pool);
  world.sequencer((epoch, io) => deliveries.fanOut(eventSource(PROVIDER), epoch, io));
  const targets = createWebhookTargets({
    policy: addressPolicy('loopback'),
    allowsHttp: true,
    timeoutMs: 15_000,
    bodyBytesMax: 64,
  });
  stack.defer(() => targets.close());
  deliverer = startDeliverer({
    deliveries: observeDeliveries(deliveries, metrics),
    post: (...asked) => targets.post(...asked),
    wallClock: { nowMs: Date.now },
    random: () => 0.5,
    log: world.api.deps.log,
  });
  stack.defer(() => deliverer.stop());
  const wake = () => deliverer.wake();
  const url = world.api.database.url;
  const listener = openListener({ url, applicationName: 'test-deliveries' });
  stack.defer(() => listener.stop());
  listener.on(DELIVERIES_CHANNEL, { onMessage: wake, onGap: wake });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const response of hanging) response.destroy();
  await stack.disposeAsync();
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
});
beforeEach(async () => {
  arrived.length = 0;
  await world.api.pool.query('delete from webhook');
});

const ask = async (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
  who = USER,
) =>
  world.api.app.inject({
    method,
    url,
    headers: { authorization: await world.api.as(who) },
    ...(payload === undefined ? {} : { payload }),
  });

async function made(path: string, over: object = {}, who = USER) {
  const answer = await ask('POST', '/webhooks', { url: base + path, ...over }, who);
  expect(answer.statusCode).toBe(201);
  return answer.json<{ readonly id: string; readonly secret: string }>();
}

const leave = (subject: string, over = {}) =>
  save(world.api.store, { events: [eventOf(subject, over)] });
const at = (path: string) => arrived.filter((one) => one.path === path);
const log = async (id: string) => (await ask('GET', `/webhooks/${id}/deliveries`)).json();
const subjectsAt = (path: string) => at(path).map(({ body }) => JSON.parse(body).subject);
/** Makes all deliveries due now that are planned for later. */
const hurry = async () => {
  await world.api.pool.query('update webhook set not_before = now()');
  await world.api.pool.query(`update delivery set due_at = now() where state = 'pending'`);
  deliverer.wake();
};

const verified = ({ headers, body }: Arrived, secret: string): unknown =>
  new Verifier(secret).verify(body, headers as Record<string, string>);

test('a party is told of its events, of the types it asked for, signed as others check it', async () => {
  const { id, secret } = await made('/all');
  await made('/some', { types: ['tenure.operation.*'] });
  await made('/provider', {}, PROVIDER);
  await leave('shared');
  await leave('mine', { type: 'tenure.operation.succeeded', parties: [USER] });
  await leave('theirs', { type: 'tenure.operation.succeeded', parties: [OTHER_USER] });
  await expect.poll(() => new Set(subjectsAt('/all')), soon).toEqual(new Set(['shared', 'mine']));
  await expect.poll(() => subjectsAt('/some'), soon).toEqual(['mine']);
  await expect.poll(() => subjectsAt('/provider'), soon).toEqual(['shared']);
  const [first] = at('/all').filter(({ body }) => body.includes('shared'));
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
  expect(verified(first!, secret)).toMatchObject({
    specversion: '1.0',
    id: expect.stringMatching(/^\d+$/u),
    source: eventSource(PROVIDER),
    type: 'tenure.lifecycle.changed',
    subject: 'shared',
    data: { state: 'active' },
  });
  expect(first?.headers['webhook-id']).toBe(`evt_${JSON.parse(first?.body ?? '').id}`);
  expect(first?.headers['content-type']).toBe('application/json');
  const payloads = (await log(id)).map((one: Record<string, unknown>) => one['payload']);
  expect(payloads).toContainEqual(JSON.parse(first?.body ?? ''));
  // Public reports: https://github.com/n8n-io/n8n/issues/20748, https://github.com/medplum/medplum/issues/5140 and
  // https://github.com/probot/smee-client/issues/437. By default, frameworks parse only application/json.
  const cloud = 'application/cloudevents+json';
  const other = await made('/cloud', { contentType: cloud });
  expect((await ask('POST', `/webhooks/${other.id}/test`)).statusCode).toBe(202);
  await expect.poll(() => at('/cloud')[0]?.headers['content-type'], soon).toBe(cloud);
  const back = await ask('PATCH', `/webhooks/${other.id}`, { contentType: 'application/json' });
  expect(back.json().contentType).toBe('application/json');
  await ask('DELETE', `/webhooks/${other.id}`);
  expect(() => verified({ ...first!, body: `${first?.body} ` }, secret)).toThrow();
  expect(() => verified(first!, `whsec_${'A'.repeat(43)}=`)).toThrow();

  // The secret is shown once, and only to the webhook's owner. Other parties do not see the webhook.
  const shown = await ask('GET', `/webhooks/${id}`);
  expect(shown.json()).toMatchObject({ id, url: `${base}/all`, types: [], enabled: true });
  expect(shown.body + (await ask('GET', '/webhooks')).body).not.toContain('secret');
  expect(world.api.logged.join('')).not.toContain(secret);
  expect((await ask('GET', '/webhooks', undefined, OTHER_USER)).json()).toEqual([]);
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', ':test'],
    ['POST', ':rotate-secret'],
    ['GET', '/deliveries'],
  ] as const) {
    const payload = method === 'PATCH' ? {} : undefined;
    const answer = await ask(method, `/webhooks/${id}${path}`, payload, OTHER_USER);
    expect(`${method} ${path} ${answer.statusCode}`).toBe(`${method} ${path} 404`);
  }

  const rotated = (await ask('POST', `/webhooks/${id}:rotate-secret`)).json();
  await leave('after');
  await expect.poll(() => subjectsAt('/all'), soon).toContain('after');
  const after = at('/all').find(({ body }) => body.includes('after'))!;
  verified(after, rotated.secret);
  verified(after, secret);
  await world.api.pool.query(`update webhook set previous_secret_until = now() where id = $1`, [
    id,
  ]);
  expect((await ask('POST', `/api/webhooks/${id}:test`)).statusCode).toBe(202);
  await expect.poll(() => at('/all').at(-1)?.body, soon).toContain('tenure.webhook.test');
  verified(at('/all').at(-1)!, rotated.secret);
  expect(() => verified(at('/all').at(-1)!, secret)).toThrow();
  const patch = { url: `${base}/all?key=hidden`, enabled: true };
  expect((await ask('PATCH', `/webhooks/${id}`, patch)).statusCode).toBe(200);
  expect((await ask('DELETE', `/webhooks/${id}`)).statusCode).toBe(204);
  expect((await ask('GET', `/webhooks/${id}`)).statusCode).toBe(404);
  // The log contains neither secrets nor whole addresses, and no content of refused requests.
  const { host } = new URL(base);
  const { previousSecretUntil } = rotated;
  const messageId = at('/all').at(-1)?.headers['webhook-id'];
  expect(await doneTo(world.api, id)).toEqual([
    ['webhook-created', { target: host, types: [] }],
    ['webhook-secret-rotated', { previousSecretUntil }],
    ['webhook-tested', { deliveryId: expect.any(String), messageId }],
    ['webhook-changed', { target: host, enabled: true }],
    ['webhook-deleted', { target: host }],
  ]);
});

test('what fails is tried again under the same id, also when whoever tried it has died, and can be had again', async () => {
  const { id } = await made('/flaky');
  answers.set('/flaky', answering(503, { 'retry-after': '600' }));
  await leave('late');
  await expect.poll(async () => (await log(id))[0]?.lastAttempt?.status, soon).toBe(503);
  const [waiting] = await log(id);
  expect(waiting).toMatchObject({
    state: 'pending',
    attempts: 1,
    type: 'tenure.lifecycle.changed',
  });
  expect(Date.parse(waiting.dueAt) - Date.now()).toBeGreaterThan(500_000);
  expect((await ask('GET', `/webhooks/${id}`)).json()).toMatchObject({ failures: 1 });
  // A process claims the delivery and then dies.
  await world.api.pool.query('update webhook set not_before = now()');
  await world.api.pool.query(`update delivery set due_at = now() where state = 'pending'`);
  const dead = createDeliveries(world.api.pool);
  const other = await dead.claim(1, new Map(), IO);
  answers.delete('/flaky');
  await hurry();
  await expect.poll(async () => (await log(id))[0]?.state, soon).toBe('delivered');
  expect(other.length + at('/flaky').length).toBeGreaterThanOrEqual(2);
  expect((await ask('GET', `/webhooks/${id}`)).json()).toMatchObject({
    failures: 0,
    failingSince: null,
  });
  // A late report of the process that died is ignored.
  for (const one of other) {
    const after = { kind: 'given-up', delayMs: 0, isGone: false } as const;
    await dead.report(one, { ms: 1, status: 500, error: null }, after, IO);
  }
  const [done] = await log(id);
  expect(done.state).toBe('delivered');
  const before = at('/flaky').length;
  const again = await ask('POST', `/webhooks/${id}/deliveries/${done.id}:redeliver`);
  expect(again.json()).toMatchObject({ state: 'pending', messageId: done.messageId });
  expect((await doneTo(world.api, id)).at(-1)).toEqual([
    'webhook-redelivered',
    { deliveryId: done.id, messageId: done.messageId },
  ]);
  await expect.poll(() => at('/flaky').length, soon).toBe(before + 1);
  await expect.poll(async () => (await log(id))[0]?.state, soon).toBe('delivered');
  expect(new Set(at('/flaky').map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([done.messageId]),
  );
  expect((await ask('POST', `/webhooks/${id}/deliveries/unknown:redeliver`)).statusCode).toBe(404);
  for (const name of ['b', 'c']) await leave(name);
  // Pages can be compared only while no delivery changes its state.
  const states = async () => ((await log(id)) as { state: string }[]).map(({ state }) => state);
  await expect.poll(states, soon).toEqual(['delivered', 'delivered', 'delivered']);
  const page = await ask('GET', `/webhooks/${id}/deliveries?limit=2`);
  const next = /<([^>]*)>; rel="next"/u.exec(String(page.headers['link']))?.[1] ?? '';
  const rest = (await ask('GET', next)).json();
  expect([...page.json(), ...rest]).toEqual(await log(id));
  expect((await ask('GET', `/webhooks/${id}/deliveries?cursor=x`)).statusCode).toBe(400);
});

test('whose tenant is removed is told of nothing more, also of what waits', async () => {
  answers.set('/leaving', answering(503, { 'retry-after': '600' }));
  const { id } = await made('/leaving');
  await made('/staying', {}, PROVIDER);
  await leave('before');
  await expect.poll(async () => (await log(id))[0]?.lastAttempt?.status, soon).toBe(503);
  const { tenants } = world.api.deps;
  const tenant = (await tenants.byId('AppUser', IO))!;
  expect(await tenants.remove('AppUser', IO)).toBe('removed');
  try {
    await leave('after');
    await hurry();
    await expect.poll(() => subjectsAt('/staying'), soon).toContain('after');
    expect(at('/leaving')).toHaveLength(1);
    expect((await ask('POST', '/webhooks', { url: base })).statusCode).toBe(401);
    const left = await world.api.pool.query('select party, tenant_id from webhook');
    expect(left.rows).toEqual([{ party: PROVIDER, tenant_id: null }]);
  } finally {
    await tenants.add(tenant, IO);
  }
});

test('a target that hangs, refuses or redirects delays nothing else', async () => {
  answers.set('/hang', (response) => void hanging.push(response));
  answers.set('/moved', answering(302, { location: `${base}/elsewhere` }));
  answers.set('/long', (response) => void response.writeHead(200).end('x'.repeat(10_000)));
  const { id: stuck } = await made('/hang');
  const { id: moved } = await made('/moved');
  const { id: long } = await made('/long');
  const { id: refusing } = await made('/refused', { url: `http://127.0.0.1:${await freePort()}/` });
  await made('/well');
  const { id: tested } = await made('/tested');
  await world.api.pool.query(
    `update webhook set not_before = now() + interval '1 hour' where id = $1`,
    [tested],
  );
  const tests = Array.from(
    { length: LIMITS.webhookTestsMax + 1 },
    () => `/webhooks/${tested}:test`,
  );
  const codes: unknown[] = [];
  for (const url of tests) codes.push((await ask('POST', url)).json().code);
  expect(codes.filter(Boolean)).toEqual(['WEBHOOK_TESTS_LIMITED']);
  const names = Array.from({ length: 12 }, (_, n) => `n${n}`);
  await Promise.all(names.map((name) => leave(name)));
  await expect.poll(() => new Set(subjectsAt('/well')), soon).toEqual(new Set(names));
  // This delivery still waits for the target's answer.
  expect(JSON.stringify(await log(stuck))).not.toContain('lastAttempt');
  // A target never has more requests at the same time than its limit.
  expect(at('/hang').length).toBeLessThanOrEqual(STORE_LIMITS.webhookTriesMax);
  await expect
    .poll(
      async () =>
        (await log(moved)).some(
          (one: { lastAttempt?: { status: number } }) => one.lastAttempt?.status === 302,
        ),
      soon,
    )
    .toBe(true);
  expect(at('/elsewhere')).toEqual([]);
  await expect
    .poll(async () => JSON.stringify(await log(refusing)), soon)
    .toContain('ECONNREFUSED');
  await expect
    .poll(
      async () => (await log(long)).some(({ state }: { state: string }) => state === 'delivered'),
      soon,
    )
    .toBe(true);
});

test('one that fails for long, or wants no more, is disabled and says why', async () => {
  const { id: gone } = await made('/gone');
  const { id: failing } = await made('/failing');
  answers.set('/gone', answering(410));
  answers.set('/failing', answering(500));
  await world.api.pool.query(
    `update webhook set failures = 9, failing_since = now() - interval '6 days', failed_at = now() - interval '1 day'
     where id = $1`,
    [failing],
  );
  await leave('last');
  const shown = async (id: string) => (await ask('GET', `/webhooks/${id}`)).json();
  await expect.poll(async () => (await shown(gone)).disabledReason, soon).toContain('410');
  await expect
    .poll(async () => (await shown(failing)).disabledReason, soon)
    .toContain('every delivery since 20');
  expect(await shown(failing)).toMatchObject({ enabled: false, failures: 10 });
  for (const path of [':test', `/deliveries/${(await log(failing))[0].id}:redeliver`]) {
    const answer = await ask('POST', `/webhooks/${failing}${path}`);
    expect(answer.json()).toMatchObject({ status: 409, code: 'WEBHOOK_DISABLED' });
  }
  expect(world.api.logged.join('')).toContain('a webhook was disabled');
  const { text } = await metrics.exposition();
  const tries = new Map(
    samplesIn(text)
      .filter(({ name }) => name === 'tenure_webhook_tries_total')
      .map(({ labels, value }) => [labels['outcome'], value]),
  );
  expect([...tries.keys()]).toEqual(['delivered', 'again', 'given-up']);
  expect([tries.get('delivered')! > 0, tries.get('again')! > 1]).toEqual([true, true]);
  answers.delete('/failing');
  const enabled = await ask('PATCH', `/webhooks/${failing}`, { enabled: true, types: ['*'] });
  expect(enabled.json()).toMatchObject({
    enabled: true,
    disabledReason: null,
    failures: 0,
    types: ['*'],
  });
  await hurry();
  await expect.poll(async () => (await log(failing))[0]?.state, soon).toBe('delivered');
  expect((await ask('PATCH', `/webhooks/${failing}`, { enabled: false })).json()).toMatchObject({
    disabledReason: 'by its party',
  });
});

test('nothing leads to private networks, whatever a name stands for later, and bad input is refused whole', async () => {
  for (const url of [
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'https://192.168.1.1:8443/',
    'http://[fd00::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://2130706433.invalid/',
    'ftp://example.org/',
  ]) {
    const answer = await ask('POST', '/webhooks', { url });
    expect(`${url} ${answer.json().code}`).toBe(`${url} WEBHOOK_TARGET_REFUSED`);
  }
  for (const payload of [
    {},
    ...['nowhere', 7].map((url) => ({ url })),
    { url: `${base}/${'x'.repeat(HTTP_LIMITS.webhookUrlCharsMax)}` },
    { url: base.replace('//', '//user:pass@') },
    { url: base, types: ['tenure.operation.unknown'] },
    { url: base, types: 'all' },
  ]) {
    expect((await ask('POST', '/webhooks', payload)).json()).toMatchObject({ status: 400 });
  }
  expect((await ask('GET', '/webhooks')).json()).toEqual([]);
  const { id } = await made('/rebound');
  expect((await ask('PATCH', `/webhooks/${id}`, { url: 'http://10.0.0.1/' })).statusCode).toBe(422);
  // Makes it look as if the host name now resolved to another address.
  await world.api.pool.query(`update webhook set url = 'http://10.0.0.1/' where id = $1`, [id]);
  await leave('secret');
  await expect
    .poll(async () => (await log(id))[0]?.lastAttempt?.error, soon)
    .toBe('10.0.0.1 is at an address that is not allowed');
  for (let more = 1; more < LIMITS.webhooksPerPartyMax; more += 1) await made('/more');
  const tooMany = await ask('POST', '/webhooks', { url: base });
  expect(tooMany.json()).toMatchObject({ status: 409, code: 'WEBHOOKS_LIMITED' });
});
