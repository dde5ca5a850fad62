import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BulkActs, BulkItem } from '../../src/app/bulk-acts.ts';
import { CLOCK_LEASE } from '../../src/app/ports.ts';
import { workBulk } from '../../src/ops/bulk-clock.ts';
import { createLeases } from '../../src/store/lease.ts';
import { IO, PROVIDER } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import type { ContractsWorld } from '../kit/http-contracts.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import { REFUSAL } from '../kit/ledger-stand-in.ts';

/* What an operator does to many operations at once: previewed, confirmed by count, worked off under the clock's lease. */

let world: ContractsWorld;
let operator: Ask;
let other: Ask;
let epoch: bigint;

beforeAll(async () => {
  world = await startContractsWorld();
  const as = (name: string) =>
    asking(world.api, PROVIDER, { claims: { sub: name, roles: ['operator'], name } });
  [operator, other] = await Promise.all([as('olga'), as('oskar')]);
  const leases = createLeases(world.api.pool);
  epoch = (await leases.acquire(CLOCK_LEASE, 'test', 600_000, IO)) ?? 0n;
});
afterAll(() => world[Symbol.asyncDispose]());

const ASYNC = { prefer: 'respond-async' };
type Reply = Awaited<ReturnType<Ask['get']>>;
const codeOf = (reply: Reply) => [reply.statusCode, reply.json().code];
const seen = async (id: string) => (await operator.get(`/ops/commands/${id}`)).json();
const actOf = async (id: string) => (await operator.get(`/ops/acts/${id}`)).json();

/** Creations on one install, of which nothing has been submitted yet. */
async function waiting(count: number): Promise<{ install: string; ids: string[] }> {
  world.follow();
  const install = await world.installed();
  await world.pause();
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const url = `/app-installs/${install}:create-license?commandId=${world.id('create')}`;
    ids.push((await world.provider.post(url, { params: {} }, ASYNC)).json().id);
  }
  return { install, ids };
}

/** The same, each refused by the ledger. */
async function refused(count: number) {
  const made = await waiting(count);
  for (let i = 0; i < count; i += 1) expect(await world.api.ledger.step(REFUSAL)).toBe(1);
  return made;
}

const preview = (body: object, by = operator): Promise<Reply> =>
  by.post('/ops/commands:preview', { reason: 'because', ...body });
const apply = (token: string, count: number, by = operator): Promise<Reply> =>
  by.post('/ops/commands:apply', { token, count });
const onLane = (action: string, install: string, more: object = {}) => ({
  action,
  filter: { lifecycleId: install, operation: ['create-license'] },
  ...more,
});
async function applied(body: object): Promise<string> {
  const { token, count } = (await preview(body)).json();
  const reply = await apply(token, count);
  expect(reply.statusCode).toBe(202);
  return reply.json().id;
}

const clock = (over: Partial<BulkActs> = {}) => ({
  ...world.api.deps,
  acts: { ...world.api.deps.bulkActs, ...over },
  log: world.api.deps.log,
  itemsPerSecond: 1_000,
});
const work = (limit = 100, over: Partial<BulkActs> = {}, by = epoch): Promise<number> =>
  workBulk(clock(over), by, limit, IO);

const retriesOf = async (ids: readonly string[]): Promise<string[]> => {
  const { rows } = await world.api.pool.query(
    `select split_part(command_id, ':', 3) as root from change
     where command_id like 'tenure:retry:%' order by lane, mailbox_no`,
  );
  return rows.map(({ root }) => String(root)).filter((root) => ids.includes(root));
};

test('a bulk retry is previewed, confirmed by its count, and worked off in the order of the lane, each once', async () => {
  const { install, ids } = await refused(3);
  const done = `/app-installs/${install}:create-license?commandId=${world.id('create')}`;
  await world.provider.post(done, { params: {} }, ASYNC);
  await world.api.ledger.step();
  const seenNow = (await preview(onLane('retry', install))).json();
  expect(seenNow).toMatchObject({
    count: 3,
    refused: [{ reason: 'it has succeeded', count: 1 }],
    sample: ids.map((id) => ({ id, state: 'rejected' })),
  });
  const { token, count } = seenNow;
  // Somebody else's token, another count, an expired one: nothing happens.
  expect(codeOf(await apply(token, count, other))).toEqual([409, 'PREVIEW_OVER']);
  expect((await apply(token, 4)).json()).toMatchObject({ code: 'COUNT_MISMATCH', count: 3 });
  expect(codeOf(await apply('unknown', count))).toEqual([409, 'PREVIEW_OVER']);
  const replies = await Promise.all([apply(token, count), apply(token, count)]);
  expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([202, 409]));
  const made = replies.find(({ statusCode }) => statusCode === 202)!;
  const act = made.json();
  expect(made.headers['location']).toBe(`/ops/acts/${act.id}`);
  expect(act).toMatchObject({
    action: 'retry',
    state: 'running',
    count: 3,
    left: 3,
    bySubject: 'olga',
  });
  expect(await retriesOf(ids)).toEqual([]);

  // Killed in the middle of the second: nothing of it is there, and it is done again.
  let begun = 0;
  const dying: BulkActs['perform'] = (item, by, how, io) =>
    world.api.deps.bulkActs.perform(
      item,
      by,
      async (tx) => {
        const end = await how(tx);
        begun += 1;
        if (begun === 2) throw new Error('killed');
        return end;
      },
      io,
    );
  await expect(work(100, { perform: dying })).rejects.toThrow('killed');
  expect(await retriesOf(ids)).toEqual([ids[0]]);
  expect(await actOf(act.id)).toMatchObject({ state: 'running', done: 1, left: 2 });
  // Whoever has lost the lease does nothing, and an item that has been done is not done again.
  const stale = await world.api.deps.bulkActs.next(100, IO);
  expect(await work(100, {}, epoch - 1n)).toBe(2);
  expect(await retriesOf(ids)).toEqual([ids[0]]);
  while ((await work()) > 0);
  expect(await retriesOf(ids)).toEqual(ids);
  await work(100, { next: async () => stale });
  expect(await retriesOf(ids)).toEqual(ids);
  expect(await actOf(act.id)).toMatchObject({
    state: 'done',
    done: 3,
    refused: 0,
    left: 0,
    refusals: [],
  });
  expect((await operator.get('/ops/acts?limit=1')).json()).toMatchObject([{ id: act.id }]);
  expect((await seen(ids[0]!)).audit).toMatchObject([
    { act: 'retried', bySubject: 'olga', reason: 'because', detail: { actId: act.id } },
  ]);
  const { rows } = await world.api.pool.query(
    `select act, by_subject, reason, detail ->> 'count' as count from audit where subject = $1`,
    [`act:${act.id}`],
  );
  expect(rows).toEqual([{ act: 'bulk-retry', by_subject: 'olga', reason: 'because', count: '3' }]);
  // What is on its way is not retried once more, whichever of both the filter means.
  expect((await preview(onLane('retry', install))).json()).toMatchObject({
    count: 0,
    refused: expect.arrayContaining([{ reason: 'a retry of it is on its way', count: 3 }]),
  });
  while ((await world.api.ledger.step()) > 0);
});

test('a filter that means another number by now is not applied, nor a preview that has expired', async () => {
  const { install, ids } = await refused(2);
  const first = (await preview(onLane('retry', install))).json();
  await operator.post(`/ops/commands/${ids[0]}:retry`, { reason: 'alone' });
  const reply = await apply(first.token, first.count);
  expect(reply.json()).toMatchObject({ code: 'COUNT_MISMATCH', count: 1 });
  const second = (await preview(onLane('retry', install))).json();
  expect(second.count).toBe(1);
  await world.api.pool.query(
    `update bulk_act set expires_at = now() - interval '1 s' where state = 'previewed'`,
  );
  expect(codeOf(await apply(second.token, 1))).toEqual([409, 'PREVIEW_OVER']);
  while ((await world.api.ledger.step()) > 0);
});

test('items are refused when it is their turn, with the reason, and the others go on', async () => {
  const { install, ids } = await refused(3);
  const id = await applied(onLane('retry', install));
  const retry = (await operator.post(`/ops/commands/${ids[1]}:retry`, { reason: 'alone' })).json();
  await world.api.ledger.step();
  expect((await seen(retry.id)).state).toBe('succeeded');
  while ((await work()) > 0);
  expect(await actOf(id)).toMatchObject({
    state: 'done',
    done: 2,
    refused: 1,
    refusals: [{ code: 'NOT_RETRYABLE', count: 1, reason: expect.stringContaining('succeeded') }],
  });
  while ((await world.api.ledger.step()) > 0);
});

test('a bulk cancel empties a lane, and can be stopped on its way', async () => {
  const { install, ids } = await waiting(4);
  const id = await applied(onLane('cancel', install));
  const item: readonly BulkItem[] = await world.api.deps.bulkActs.next(1, IO);
  expect(item.map(({ changeId }) => changeId)).toEqual([ids[0]]);
  await work(1);
  const stopped = await operator.post(`/ops/acts/${id}:stop`, { reason: 'enough' });
  expect(stopped.json()).toMatchObject({ state: 'stopped', done: 1, left: 3 });
  expect(codeOf(await operator.post(`/ops/acts/${id}:stop`, { reason: 'x' }))).toEqual([
    409,
    'ACT_OVER',
  ]);
  await work(100, { next: async () => item.map((one) => ({ ...one, n: one.n + 1 })) });
  expect(await work()).toBe(0);
  const states = await Promise.all(ids.map(async (one) => (await seen(one)).state));
  expect(states).toEqual(['cancelled', 'submitting', 'queued', 'queued']);
  const rest = (await preview(onLane('cancel', install))).json();
  expect(rest).toMatchObject({ count: 3, refused: [{ reason: 'it has ended', count: 1 }] });
  await apply(rest.token, 3);
  while ((await work()) > 0);
  expect(await Promise.all(ids.map(async (one) => (await seen(one)).state))).toEqual(
    ids.map(() => 'cancelled'),
  );
});

describe('who may', () => {
  test('an empty filter means everything that the operator sees, confirmed by its count', async () => {
    const { count, refused: others } = (await preview({ action: 'retry', filter: {} })).json();
    const { rows } = await world.api.pool.query(
      `select count(*)::int as n from change where command_id not like 'tenure:retry:%'`,
    );
    const sum = others.reduce((n: number, one: { count: number }) => n + one.count, count);
    expect(sum).toBe(rows[0].n);
  });

  test('acts are a matter of operators, each of its own party', async () => {
    for (const asked of [
      world.provider.post('/ops/commands:preview', { action: 'retry', filter: {}, reason: 'x' }),
      world.provider.get('/ops/acts'),
    ]) {
      expect(codeOf(await asked)).toEqual([403, 'FORBIDDEN']);
    }
    const unknown = '11111111-1111-4111-8111-111111111111';
    expect(codeOf(await operator.get(`/ops/acts/${unknown}`))).toEqual([404, 'NOT_FOUND']);
    await world.api.pool.query(`update bulk_act set by_party = 'somebody::1'`);
    expect((await operator.get('/ops/acts')).json()).toEqual([]);
    expect(await world.api.deps.bulkActs.find(unknown, PROVIDER, IO)).toBeNull();
  });

  test.each([
    [{ action: 'decide', filter: {} }, 'decision'],
    [{ action: 'retry', decision: 'no-effect', filter: {} }, 'decision'],
    [{ action: 'delete', filter: {} }, 'action'],
    [{ action: 'retry', filter: { state: ['lost'] } }, 'state'],
    [{ action: 'retry', filter: { x: 1 } }, 'x'],
    [{ action: 'retry' }, 'filter'],
    [{ action: 'retry', filter: {}, reason: '' }, 'reason'],
  ])('what is no act is refused: %j', async (body, field) => {
    const reply = await preview(body);
    expect([reply.statusCode, String(reply.json().field)]).toEqual([
      400,
      expect.stringContaining(field),
    ]);
  });
});
