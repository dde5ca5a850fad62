import { afterAll, expect, test } from 'vitest';
import { recordTogether } from '../../src/app/engine/requests/record-change.ts';
import { routeFor } from '../../src/app/engine/requests/request-change.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { CommandId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { IO, OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { asOperator, tenantOperators } from '../kit/http-ops.ts';
import { traces } from '../kit/http-refusals.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { NO_QUOTAS } from '../../src/domain/quota.ts';
import { TrafficCount } from '../../src/app/engine/lanes/traffic.ts';
import { forFile } from '../kit/for-file.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* Quotas of tenants and the maximum number of changes in a mailbox, each with its setting, on a real store. */

const OPEN_MAX = 3;
const COMMENTS_MAX = 2;
const WEBHOOKS_MAX = 1;
const MAILBOX_MAX = 2;
const DAY_S = 24 * 60 * 60;
const TRAFFIC_MAX = 10_000_000;

const api = await forFile(
  startApi(() => ({
    mailboxMax: MAILBOX_MAX,
    quotas: {
      openOperations: OPEN_MAX,
      commentsPerDay: COMMENTS_MAX,
      webhooks: WEBHOOKS_MAX,
      trafficPerDay: TRAFFIC_MAX,
    },
  })),
);
const [provider, user, other] = await Promise.all([
  asking(api, PROVIDER),
  asking(api, USER),
  asking(api, OTHER_USER),
]);
let following: { stop(): Promise<void> } | null = null;
afterAll(() => following?.stop());
const follow = (): void => {
  following ??= api.ledger.follow();
};
/** Waits until no operation is open. Operations that are requested after this stay open. */
async function pause(): Promise<void> {
  await settled();
  await following?.stop();
  following = null;
}
/** Waits until no operation is open. */
async function settled(): Promise<void> {
  follow();
  const open = async () =>
    (await api.pool.query('select from change where finished_at is null')).rowCount;
  await expect.poll(open, { timeout: PATIENCE_MS }).toBe(0);
}

const ASYNC = { prefer: 'respond-async' };
const ask = (by: typeof user, commandId: string) =>
  by.post(`/app-install-requests?commandId=${commandId}`, undefined, ASYNC);
const used = async (authorization: string) => {
  // The server caches quotas for a second, for each page size separately. So each call asks for another page size.
  const url = `/ops/quotas?limit=${(pages += 1)}`;
  const answer = await api.app.inject({ url, headers: { authorization } });
  expect(answer.statusCode).toBe(200);
  return answer.json();
};
let pages = 50;
const limits = (open: number, comments: number, webhooks: number) => ({
  openOperations: { used: open, limit: OPEN_MAX },
  commentsPerDay: { used: comments, limit: COMMENTS_MAX },
  webhooks: { used: webhooks, limit: WEBHOOKS_MAX },
  trafficPerDay: { used: expect.any(Number), limit: TRAFFIC_MAX },
});

/** Creates a licence of the user. */
async function licensed(): Promise<string> {
  const made = await user.post('/app-install-requests?commandId=licensed');
  const accept = `/app-install-requests/${made.json().contractId}:accept?commandId=accepted`;
  const install = (await provider.post(accept, { installMeta: {} })).json().contractId;
  const create = `/app-installs/${install}:create-license?commandId=created`;
  return (await provider.post(create, { params: {} })).json().licenseId;
}

test('a tenant has as many open operations as its quota, and others are not affected', async () => {
  await pause();
  for (let n = 0; n < OPEN_MAX; n += 1) {
    expect((await ask(user, `open-${n}`)).statusCode).toBe(202);
  }
  const before = await traces(api);
  const refused = await ask(user, 'open-more');
  expect(refused.json()).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED' });
  expect(refused.headers).toMatchObject({
    'retry-after': '5',
    'ratelimit-policy': `"open-operations";q=${OPEN_MAX};qu="concurrent-requests"`,
    ratelimit: '"open-operations";r=0;t=5',
  });
  expect(refused.json()).toMatchObject({ quota: 'openOperations', limit: OPEN_MAX });
  expect(await traces(api)).toBe(before);
  // A repeated request returns the operation that was recorded before, although the quota is used up.
  const repeated = await ask(user, 'open-0');
  expect(repeated.statusCode).toBe(202);
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  expect(await traces(api)).toBe(before);
  expect((await ask(other, 'of-another')).statusCode).toBe(202);
  // Operations that have ended no longer count towards the quota.
  await settled();
  expect((await ask(user, 'open-more')).statusCode).toBe(202);
});

const CALLER: Caller = {
  party: USER,
  roles: new Set(['user']),
  via: 'bearer',
  tenantId: 'a-tenant',
  subject: 'a-subject',
  name: 'a-name',
};
/** Returns a user's request in the form that the transaction receives which records it. */
const asked = async (commandId: string) => ({
  caller: CALLER,
  request: {
    operation: 'request-install' as const,
    target: null,
    commandId: trusted<CommandId>(commandId),
    body: { provider: PROVIDER, meta: { data: {} } },
  },
  route: await routeFor(api.deps, 'request-install', CALLER, IO),
});

test('requests of one transaction count together', async () => {
  await pause();
  const all = await Promise.all(
    Array.from({ length: OPEN_MAX + 2 }, (_, n) => asked(`together-${n}`)),
  );
  const outcomes = await api.store.transact(IO, (tx) => recordTogether(tx, api.deps, all));
  const codes = outcomes.map((one) =>
    typeof one === 'object' && one.status === 'rejected' ? one.reason.details.code : 'recorded',
  );
  expect(codes).toEqual([
    ...Array.from({ length: OPEN_MAX }, () => 'recorded'),
    'QUOTA_EXCEEDED',
    'QUOTA_EXCEEDED',
  ]);
});

test('comments of a day count until midnight, the provider’s do not', async () => {
  await settled();
  const license = await licensed();
  const comment = (by: typeof user, n: number) =>
    by.post(`/licenses/${license}/comments?commandId=comment-${n}`, { body: `${n}` });
  for (let n = 0; n < COMMENTS_MAX; n += 1) expect((await comment(user, n)).statusCode).toBe(201);
  const refused = await comment(user, COMMENTS_MAX);
  expect(refused.json()).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED' });
  const waitS = Number(refused.headers['retry-after']);
  const leftS = DAY_S - ((Date.now() / 1_000) % DAY_S);
  expect(Math.abs(waitS - leftS)).toBeLessThan(60);
  expect((await comment(user, 0)).statusCode).toBe(201);
  for (const n of [11, 12, 13]) expect((await comment(provider, n)).statusCode).toBe(201);
  expect(await used(await asOperator(api))).toContainEqual({
    party: USER,
    ...limits(0, COMMENTS_MAX, 0),
  });
  // Other operations are still accepted.
  expect((await user.post('/app-install-requests?commandId=beside')).statusCode).toBe(201);
  await api.pool.query(
    `update change set accepted_at = accepted_at - interval '1 day' where operation = 'comment-license'`,
  );
  expect((await comment(user, COMMENTS_MAX)).statusCode).toBe(201);
});

test('a full lane answers when to repeat the request, and records nothing', async () => {
  await settled();
  const license = await licensed();
  await pause();
  const comment = (n: number) =>
    provider.post(`/licenses/${license}/comments?commandId=lane-${n}`, { body: `${n}` }, ASYNC);
  // The first operation is the head of the lane; the others wait behind it.
  for (let n = 0; n <= MAILBOX_MAX; n += 1) expect((await comment(n)).statusCode).toBe(202);
  const before = await traces(api);
  const refused = await comment(MAILBOX_MAX + 1);
  expect(refused.headers).toMatchObject({
    'retry-after': '5',
    'ratelimit-policy': `"lane";q=${MAILBOX_MAX};qu="concurrent-requests"`,
  });
  expect(refused.json()).toMatchObject({
    status: 429,
    code: 'MAILBOX_FULL',
    retryable: true,
    waiting: MAILBOX_MAX,
    commandId: `lane-${MAILBOX_MAX + 1}`,
    message: expect.stringContaining(
      'repeat the request with the same commandId when some of them',
    ),
  });
  expect(await traces(api)).toBe(before);
  await settled();
  expect((await comment(MAILBOX_MAX + 1)).statusCode).toBe(202);
});

test('a tenant that has used the traffic of a day is refused until midnight', async () => {
  await settled();
  const spentToday = async (): Promise<number> => {
    const { rows } = await api.pool.query<{ bytes: bigint }>(
      `select sum(a.cost)::bigint as bytes from change c join attempt a on a.change_id = c.id
       where c.caller_party = $1 and c.accepted_at >= date_trunc('day', now(), 'utc')`,
      [USER],
    );
    return Number(rows[0]?.bytes);
  };
  const spent = await spentToday();
  expect(spent).toBeGreaterThan(0);
  const all = await used(await asOperator(api));
  expect(all.find(({ party }: { party: string }) => party === USER).trafficPerDay.used).toBe(spent);
  const record = async (trafficPerDay: number, commandId: string) => {
    const deps = { ...api.deps, quotas: { ...NO_QUOTAS, trafficPerDay } };
    const one = await asked(commandId);
    const [outcome] = await api.store.transact(IO, (tx) => recordTogether(tx, deps, [one]));
    const isRefused = typeof outcome === 'object' && outcome.status === 'rejected';
    return isRefused ? outcome.reason.details : 'recorded';
  };
  const refused = await record(spent, 'beyond-the-traffic');
  expect(refused).toMatchObject({ code: 'QUOTA_EXCEEDED', extra: { quota: 'trafficPerDay' } });
  const leftS = DAY_S - ((Date.now() / 1_000) % DAY_S);
  expect(Math.abs(refused.extra.retryAfterS - leftS)).toBeLessThan(60);
  expect(await record(spent + 1, 'within-the-traffic')).toBe('recorded');

  // Each read adds the operations that were recorded since the previous read. None is counted twice.
  await api.pool.query(
    `update change set accepted_at = greatest(accepted_at - interval '2 minutes', date_trunc('day', now(), 'utc'))
     where caller_party = $1 and finished_at is not null and accepted_at >= date_trunc('day', now(), 'utc')`,
    [USER],
  );
  const count = new TrafficCount();
  const nowMs = Date.now();
  const read = async (afterMs: number) => {
    const found = await api.store.transact(IO, (tx) => count.read(tx, [USER], nowMs + afterMs));
    return found.get(USER);
  };
  expect(await read(0)).toBe(spent);
  await settled();
  expect(await read(1)).toBe(spent);
  const more = await spentToday();
  expect(more).toBeGreaterThan(spent);
  for (const n of [1, 2, 3]) expect(await read(n * LIMITS.trafficReadMs)).toBe(more);
});

test('a quota lowers the number of webhooks, and operators see their tenants', async () => {
  await settled();
  const hook = { url: 'http://127.0.0.1:9/hook' };
  expect((await user.post('/webhooks', hook)).statusCode).toBe(201);
  const refused = await user.post('/webhooks', hook);
  expect(refused.json()).toMatchObject({ status: 409, code: 'WEBHOOKS_LIMITED' });
  expect(refused.json().message).toBe('a party has at most 1 webhooks');
  for (const status of [201, 201]) {
    expect((await provider.post('/webhooks', hook)).statusCode).toBe(status);
  }
  const { tenant, stranger } = await tenantOperators(api);
  const own = await tenant.get('/ops/quotas');
  expect(own.json()).toEqual([{ party: USER, ...limits(0, 1, WEBHOOKS_MAX) }]);
  expect((await stranger.get('/ops/quotas')).json()).toEqual([
    { party: 'stranger::1220ff', ...limits(0, 0, 0) },
  ]);
  const all = await used(await asOperator(api));
  expect(all.map(({ party }: { party: string }) => party)).toEqual([OTHER_USER, USER]);
  expect((await user.get('/ops/quotas')).statusCode).toBe(403);
});
