import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EVENTS_LEASE } from '../../src/app/ports/leases.ts';
import { EventFeed } from '../../src/http/kit/event-feed.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { buildServer } from '../../src/http/server.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createTenants } from '../../src/store/callers/tenants.ts';
import { createEventLog } from '../../src/store/webhooks/events.ts';
import { stopActsOf } from '../../src/store/desk/bulk-acts.ts';
import type { EventStream } from '../kit/event-stream.ts';
import { openEventStream, toEnd } from '../kit/event-stream.ts';
import { eventOf, startEventWorld } from '../kit/event-world.ts';
import { IO, OTHER_USER, PROVIDER, USER } from '../kit/http-api.ts';
import { USER_LOGIN } from '../kit/login-world.ts';
import { asOperator } from '../kit/http-ops.ts';
import { writes } from '../kit/store-rows.ts';
import { held, save } from '../kit/store-under-test.ts';
import { forFile } from '../kit/for-file.ts';

/* The event stream over HTTP, on a real PostgreSQL, while a sequencer numbers the events. */

const world = await forFile(startEventWorld());
world.sequencer();
afterEach(() => world.closeStreams());

const leave = (subject: string, over = {}) =>
  save(world.api.store, { events: [eventOf(subject, over)] });
const subjects = ({ messages }: EventStream) => messages.map(({ data }) => data['subject']);
const soon = { interval: 10 };

test('a follower misses nothing and is told nothing twice, whoever commits when, also when it comes back and when another numbers', async () => {
  const { store, pool } = world.api;
  const seen: { readonly id: bigint; readonly subject: unknown }[] = [];
  let stream = await world.follow(USER, { query: '?after=0' });
  const collect = (): void => {
    for (const { id, data } of stream.messages)
      seen.push({ id: BigInt(id), subject: data['subject'] });
  };
  // An event that is written first, but committed long after other events have been read.
  const late = held(store, (tx) => tx.save(writes({ events: [eventOf('late')] })));
  await late.worked;
  const names: string[] = ['late'];
  for (let round = 0; round < 6; round += 1) {
    const mine = Array.from({ length: 12 }, (_, n) => `round ${round}.${n}`);
    names.push(...mine);
    const all = Promise.all(mine.map((name) => leave(name)));
    if (round === 2) world.sequencer();
    if (round === 3) {
      // The lease looks expired: another sequencer takes it over, and later writes of the first sequencer are refused.
      await pool.query(`update lease set holder = 'killed', expires_at = now() where name = $1`, [
        EVENTS_LEASE,
      ]);
    }
    if (round === 4) {
      await expect.poll(() => subjects(stream).length, soon).toBeGreaterThan(0);
      await late.commit();
    }
    // Reconnects at an arbitrary point of the round.
    if (round % 2 === 0) {
      const after = stream.position;
      stream.close();
      await stream.ended;
      collect();
      const ids = stream.messages.map(({ id }) => id);
      stream = await world.follow(USER, { after: ids.at(-1) ?? after });
    }
    await all;
  }
  await expect
    .poll(() => seen.length + stream.messages.length, soon)
    .toBeGreaterThanOrEqual(names.length);
  collect();
  expect(seen.map(({ id }) => id)).toEqual(names.map((_, n) => BigInt(n + 1)));
  expect(new Set(seen.map(({ subject }) => subject))).toEqual(new Set(names));
  const { rows } = await pool.query('select count(*)::int as left from event_arrival');
  expect(rows).toEqual([{ left: 0 }]);
  // One of the two sequencers holds the lease, even if the first one had numbered everything before it noticed that it
  // had lost the lease.
  const isHeld = `select expires_at > now() as held from lease where name = $1`;
  await expect
    .poll(async () => (await pool.query(isHeld, [EVENTS_LEASE])).rows, soon)
    .toEqual([{ held: true }]);
});

test('everyone is told of what they may see and have asked for, in CloudEvents', async () => {
  const lifecycle = 'license-1';
  const operation = (subject: string, party: typeof USER) =>
    leave(subject, {
      type: 'tenure.operation.succeeded',
      lifecycleId: lifecycle,
      parties: [party],
      data: { operationId: subject, state: 'succeeded' },
    });
  const operator = await openEventStream(`${world.base}/api/events`, {
    authorization: await asOperator(world.api),
  });
  const [user, other, provider, typed, one] = await Promise.all([
    world.follow(USER),
    world.follow(OTHER_USER),
    world.follow(PROVIDER),
    world.follow(USER, { query: '?type=tenure.operation.*,tenure.lifecycle.ended' }),
    world.follow(USER, { query: `?lifecycleId=${lifecycle}` }),
  ]);
  await operation('users', USER);
  await operation('providers', PROVIDER);
  await leave('shared');
  await leave('end', { type: 'tenure.lifecycle.ended' });
  await expect
    .poll(() => subjects(operator), soon)
    .toEqual(['users', 'providers', 'shared', 'end']);
  await expect.poll(() => subjects(user), soon).toEqual(['users', 'shared', 'end']);
  await expect.poll(() => subjects(provider), soon).toEqual(['providers', 'shared', 'end']);
  await expect.poll(() => subjects(typed), soon).toEqual(['users', 'end']);
  await expect.poll(() => subjects(one), soon).toEqual(['users']);
  // This stream delivered no events, but it was kept open and its position is up to date.
  await expect.poll(() => other.position, soon).toBe(user.messages.at(-1)?.id);
  expect(subjects(other)).toEqual([]);
  const [first] = user.messages;
  expect(first).toEqual({
    event: 'message',
    id: first?.data['id'],
    data: {
      specversion: '1.0',
      id: expect.stringMatching(/^\d+$/u),
      source: `urn:tenure:${encodeURIComponent(PROVIDER)}`,
      type: 'tenure.operation.succeeded',
      subject: 'users',
      time: expect.stringMatching(/^20.*Z$/u),
      datacontenttype: 'application/json',
      data: { operationId: 'users', state: 'succeeded' },
    },
  });
  expect(user.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(user.text).toMatch(/^retry: 2000\n:\nid: \d+\n/u);
  expect(other.text).toMatch(/^retry: 2000\n(?::\nid: \d+\n){2,}$/u);
  operator.close();
});

test('what real operations leave is told in order, and carries no secret', async () => {
  const following = world.api.ledger.follow();
  const stream = await world.follow(USER);
  const answer = await world.api.app.inject({
    method: 'POST',
    url: '/app-install-requests?commandId=asked',
    headers: { authorization: await world.api.as(USER) },
    payload: { meta: { data: { note: 'between us' } } },
  });
  expect(answer.statusCode).toBe(201);
  await expect.poll(() => stream.messages.length, soon).toBe(3);
  expect(stream.messages.map(({ data }) => data['type'])).toEqual([
    'tenure.operation.accepted',
    'tenure.lifecycle.began',
    'tenure.operation.succeeded',
  ]);
  const { lifecycleId, contractId } = answer.json();
  expect(stream.messages.map(({ data }) => data['data'])).toMatchObject([
    { commandId: 'asked', operation: 'request-install', state: 'submitting' },
    { lifecycleId, contractId, kind: 'install-request', state: 'requested', user: USER },
    { commandId: 'asked', lifecycleId, state: 'succeeded' },
  ]);
  expect(stream.text).not.toContain('between us');
  await following.stop();
});

test('what is not kept any more is a gap, and so is what never was', async () => {
  const before = (await world.feed.span(IO)).last;
  await leave('old');
  await expect.poll(async () => (await world.feed.span(IO)).last, soon).toBe(before + 1n);
  const { last } = await world.feed.span(IO);
  await world.api.pool.query('delete from event_batch where last < $1', [last]);
  const [behind, beyond] = await Promise.all([
    world.follow(USER, { after: '1' }),
    world.follow(USER, { after: String(last + 1_000n) }),
  ]);
  await expect.poll(() => behind.messages.length, soon).toBe(2);
  await expect.poll(() => beyond.messages.length, soon).toBe(1);
  expect(behind.messages[0]).toEqual({
    event: 'gap',
    id: String(last - 1n),
    data: { after: '1', upTo: String(last - 1n) },
  });
  expect(behind.messages[1]?.data['subject']).toBe('old');
  expect(beyond.messages[0]?.event).toBe('gap');
  await leave('new');
  await expect.poll(() => subjects(behind).at(-1), soon).toBe('new');
  await expect.poll(() => subjects(beyond).at(-1), soon).toBe('new');
});

test('nobody follows what cannot be followed, and one caller not too often', async () => {
  const authorization = await world.api.as(OTHER_USER);
  await world.closeStreams();
  const status = async (query: string, headers = {}) => {
    const stream = await openEventStream(`${world.base}/events${query}`, {
      authorization,
      ...headers,
    });
    stream.close();
    return stream.status;
  };
  for (const query of [
    '?after=x',
    '?after=-1',
    '?after=99999999999999999999',
    '?type=foo',
    '?type=tenure.operation.foo',
    '?type=a&type=b',
    '?lifecycleId=%00',
  ]) {
    expect(`${query} ${await status(query)}`).toBe(`${query} 400`);
  }
  expect(await status('', { 'last-event-id': '12x' })).toBe(400);
  expect(await status('', { authorization: 'Bearer x' })).toBe(401);
  expect(await status('', { accept: 'application/json' })).toBe(406);
  const head = await world.api.app.inject({
    method: 'HEAD',
    url: '/events',
    headers: { authorization },
  });
  expect(head.statusCode).toBe(405);

  const most = HTTP_LIMITS.eventStreamsPerCallerMax;
  const streams = await Promise.all(Array.from({ length: most }, () => world.follow(OTHER_USER)));
  const refused = await world.follow(OTHER_USER);
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect((await world.follow(USER)).status).toBe(200);
  streams[0]?.close();
  await expect.poll(async () => (await world.follow(OTHER_USER)).status, soon).toBe(200);
});

/** Opens a stream for a person of tenant `AppUser` who has signed in at the tenant's issuer. */
async function inSession() {
  const { api, base } = world;
  const idToken = await api.issuers.user.token();
  const identity = {
    tenantId: 'AppUser',
    isInternal: false,
    party: USER,
    roles: new Set(['user' as const]),
    subject: 'bob',
    name: 'Bob',
    login: { registrationId: USER_LOGIN, idToken, refreshToken: null },
  };
  const id = await api.deps.sessions.open(identity, IO);
  const stream = await openEventStream(`${base}/events`, { cookie: `JSESSIONID=${id}` });
  return { id, stream };
}

async function endsSoon(streams: readonly EventStream[]): Promise<void> {
  const sinceMs = performance.now();
  await Promise.all(streams.map(toEnd));
  expect(performance.now() - sinceMs).toBeLessThan(2_000);
}

test('a stream ends within two seconds of its token, its session and its tenant', async () => {
  const { api } = world;
  const endMs = (Math.floor(Date.now() / 1_000) + 2) * 1_000;
  const short = await world.follow(USER, { token: { claims: { exp: endMs / 1_000 } } });
  const [closed, other] = [await inSession(), await inSession()];
  const long = await world.follow(USER);
  const streams = [short, closed.stream, other.stream, long];
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await leave('to all');
  await expect.poll(() => subjects(other.stream), soon).toEqual(['to all']);
  await expect.poll(() => Date.now(), { ...soon, timeout: 5_000 }).toBeGreaterThanOrEqual(endMs);
  await endsSoon([short]);
  await api.deps.sessions.close(closed.id, IO);
  await endsSoon([closed.stream]);
  await leave('to the rest');
  for (const stream of [other.stream, long]) {
    await expect.poll(() => subjects(stream), soon).toEqual(['to all', 'to the rest']);
  }
  // Removes the tenant as another process would: the process under test gets no notification.
  const tenants = createTenants(api.pool, stopActsOf);
  const tenant = await tenants.byId('AppUser', IO);
  await tenants.remove('AppUser', IO);
  await endsSoon([other.stream, long]);
  await tenants.add(tenant!, IO);
  await expect.poll(async () => (await world.follow(USER)).status, soon).toBe(200);
});

test('a stream ends within two seconds of the trust in its issuer', async () => {
  const { pool } = world.api;
  const [{ stream }, program] = [await inSession(), await world.follow(USER)];
  await leave('to both');
  for (const each of [stream, program])
    await expect.poll(() => subjects(each), soon).toEqual(['to both']);
  const moved = (from: string, to: string) =>
    pool.query('update tenant set issuer_url = replace(issuer_url, $1, $2)', [from, to]);
  await moved('AppUser', 'Another');
  try {
    await endsSoon([stream, program]);
  } finally {
    await moved('Another', 'AppUser');
  }
  await expect.poll(async () => (await world.follow(USER)).status, soon).toBe(200);
});

test('a token whose issuer does not answer keeps no other stream open', async () => {
  const { api } = world;
  const slow = await api.as(USER, { claims: { sub: 'slow' } });
  let hangs = false;
  // A stopping server closes its feed.
  const events = new EventFeed({ log: createEventLog(api.pool), onError: () => undefined });
  const app = await buildServer({
    ...api.deps,
    events,
    authenticate: (bearer) =>
      hangs && bearer === slow ? new Promise(() => {}) : api.deps.authenticate(bearer),
  });
  try {
    const base = await app.listen({ host: '127.0.0.1', port: 0 });
    const endMs = (Math.floor(Date.now() / 1_000) + 2) * 1_000;
    const short = await api.as(USER, { claims: { exp: endMs / 1_000 } });
    const follow = (authorization: string) => openEventStream(`${base}/events`, { authorization });
    const streams = [await follow(slow), await follow(short)] as const;
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    hangs = true;
    await expect.poll(() => Date.now(), { ...soon, timeout: 5_000 }).toBeGreaterThanOrEqual(endMs);
    await endsSoon([streams[1]]);
    const stays = await Promise.race([streams[0].ended.then(() => false), Promise.resolve(true)]);
    expect(stays).toBe(true);
    streams[0].close();
  } finally {
    await app.close();
  }
});

test('who takes nothing is cut, and costs nobody else anything', async () => {
  const { pool } = world.api;
  const authorization = await world.api.as(USER);
  const { last } = await world.feed.span(IO);
  const socket = connect(Number(new URL(world.base).port), '127.0.0.1');
  const cut = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `GET /events?after=${last} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`,
  );
  await expect.poll(() => world.feed.size, soon).toBeGreaterThan(0);
  // The number of events is so large that they do not fit into the buffers of both sockets.
  await pool.query(
    `with given as (update event_sequence set last = last + 6000 returning last - 6000 as before)
     insert into event_batch (last, first, at, events)
     select before + n, before + n, now(), jsonb_build_array(jsonb_build_object(
       'type', 'tenure.lifecycle.changed', 'subject', 'bulk', 'parties', to_jsonb($1::text[]),
       'data', jsonb_build_object('x', repeat('x', 4000))))
     from given, generate_series(1, 6000) n`,
    [[USER]],
  );
  const other = await world.follow(USER, { query: '?type=tenure.lifecycle.ended' });
  await leave('meanwhile', { type: 'tenure.lifecycle.ended' });
  await expect.poll(() => subjects(other), soon).toEqual(['meanwhile']);
  await expect
    .poll(() => world.api.logged.some((line) => line.includes('follower went away')), soon)
    .toBe(true);
  await expect.poll(() => world.feed.size, soon).toBe(1);
  socket.resume();
  await cut;
});

test('a server that stops ends its streams at once', async () => {
  const stopping = await startEventWorld();
  const stream = await stopping.follow(USER);
  const began = performance.now();
  await stopping.api.app.close();
  await stream.ended;
  expect(performance.now() - began).toBeLessThan(LIMITS.drainMs / 2);
  await stopping[Symbol.asyncDispose]();
});
