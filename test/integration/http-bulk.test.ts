import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import type { BulkActs, BulkItem } from '../../src/app/desk/bulk-acts.ts';
import { applyBulk, previewBulk } from '../../src/app/desk/bulk-acts.ts';
import type { Resting } from '../../src/ops/bulk-duty.ts';
import { watchBulkActs, workBulk } from '../../src/ops/bulk-duty.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { LifecycleId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { createBulkActs } from '../../src/store/desk/bulk-acts.ts';
import { IO, PROVIDER } from '../kit/http-api.ts';
import { ASYNC, bulkActsOf, codeOf, onLane, startBulkWorld, storedAct } from '../kit/http-bulk.ts';
import { inDoubt } from '../kit/http-ops.ts';
import { REFUSAL } from '../kit/ledger-stand-in.ts';
import { forFile } from '../kit/for-file.ts';

/* Bulk acts of operators: they are previewed, confirmed with their count, and executed under the scheduler's lease. */

const world = await forFile(startBulkWorld());
const { operator, other, epoch } = world;

const { seen, states, actOf, fresh, waiting, refused, preview, apply, applied, clock, work } =
  bulkActsOf(() => world);

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
    refused: [{ reason: 'the operation has succeeded', count: 1 }],
    sample: ids.map((id) => ({ id, state: 'rejected' })),
  });
  const { token, count } = seenNow;
  // Another operator's token, a wrong count and an expired token have no effect.
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

  // The process is killed in the middle of the second item. The transaction of the item is rolled back, and the item is
  // repeated.
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
  await work(100, { perform: dying });
  expect(await retriesOf(ids)).toEqual([ids[0]]);
  expect(await actOf(act.id)).toMatchObject({ state: 'running', done: 1, left: 2 });
  // A process that has lost the lease does nothing, and a finished item is not repeated.
  const stale = await world.api.deps.bulkActs.next(100, [], IO);
  await work(100, {}, epoch - 1n);
  expect(await retriesOf(ids)).toEqual([ids[0]]);
  // The process is killed once more, between the last item and the end of the act.
  const finish = () => Promise.reject(new Error('killed'));
  await expect(work(100, { finish })).rejects.toThrow('killed');
  expect(await actOf(act.id)).toMatchObject({ state: 'running', done: 3, left: 0 });
  expect(await work()).toBe(0);
  expect(await retriesOf(ids)).toEqual(ids);
  await work(100, { next: async () => stale });
  expect(await retriesOf(ids)).toEqual(ids);
  const ended = { state: 'done', done: 3, refused: 0, left: 0, refusals: [] };
  expect(await actOf(act.id)).toMatchObject(ended);
  expect((await operator.get('/ops/acts?limit=1')).json()).toMatchObject([{ id: act.id }]);
  expect((await seen(ids[0]!)).audit).toMatchObject([
    { act: 'retried', bySubject: 'olga', reason: 'because', detail: { actId: act.id } },
  ]);
  const { rows } = await world.api.pool.query(
    `select a.act, p.subject as by_subject, a.reason, a.detail ->> 'count' as count
     from audit a join person p on p.pseudonym = a.by_subject where a.subject = $1`,
    [`act:${act.id}`],
  );
  expect(rows).toEqual([{ act: 'bulk-retry', by_subject: 'olga', reason: 'because', count: '3' }]);
  // An operation whose retry is in progress is not retried, no matter whether the filter matches the operation or its
  // retry.
  expect((await preview(onLane('retry', install))).json()).toMatchObject({
    count: 0,
    refused: expect.arrayContaining([{ reason: 'a retry is in progress', count: 3 }]),
  });
  while ((await world.api.ledger.step()) > 0);
});

test('a filter that means another number by now is not applied, nor a preview that has expired', async () => {
  const { install, ids } = await refused(2);
  const first = (await preview(onLane('retry', install))).json();
  await operator.post(`/ops/operations/${ids[0]}:retry`, { reason: 'alone' });
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
  const retry = (
    await operator.post(`/ops/operations/${ids[1]}:retry`, { reason: 'alone' })
  ).json();
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

test('an act that would leave changes out is refused, also where they come down to few items', async () => {
  const { install, ids } = await refused(1);
  for (let i = 0; i < 2; i += 1) {
    const retry = await operator.post(`/ops/operations/${ids[0]}:retry`, { reason: 'once more' });
    expect(retry.statusCode).toBeLessThan(300);
    expect(await world.api.ledger.step(REFUSAL)).toBe(1);
  }
  const who = { party: PROVIDER, tenantId: 'AppProvider', subject: 'olga', name: 'olga' } as const;
  const by: Caller = { ...who, roles: new Set(['operator']), via: 'bearer' };
  const [enough, tooFew] = [3, 2].map((itemsMax) =>
    createBulkActs(world.api.pool, {
      itemsMax,
      ending: NEWEST_MODEL.ending,
      operations: NEWEST_MODEL.names,
    }),
  ) as [BulkActs, BulkActs];
  const asked = (acts: BulkActs) => {
    const filter = {
      lifecycle: trusted<LifecycleId>(install),
      operations: ['create-license'] as const,
    };
    const request = { action: 'retry', decision: null, filter, reason: 'because' } as const;
    return previewBulk(acts, by, { of: 'provider', party: PROVIDER }, request, IO);
  };
  const tooLarge = { details: { code: 'BULK_TOO_LARGE' } };
  await expect(asked(tooFew)).rejects.toMatchObject(tooLarge);
  const { count, token } = await asked(enough);
  expect(count).toBe(1);
  // When the act is applied, the filter may match more operations than in the preview.
  await expect(applyBulk(tooFew, by, { token, count }, IO)).rejects.toMatchObject(tooLarge);
  expect(await applyBulk(enough, by, { token, count }, IO)).toMatchObject({ count: 1, left: 1 });
  while ((await work()) > 0);
  while ((await world.api.ledger.step()) > 0);
});

test('a bulk cancel empties a lane, and can be stopped on its way', async () => {
  const { install, ids } = await waiting(4);
  const id = await applied(onLane('cancel', install));
  const item: readonly BulkItem[] = await world.api.deps.bulkActs.next(1, [], IO);
  expect(item.map(({ changeId }) => changeId)).toEqual([ids[3]]);
  await work(1);
  const stopped = await operator.post(`/ops/acts/${id}:stop`, { reason: 'enough' });
  expect(stopped.json()).toMatchObject({ state: 'stopped', done: 1, left: 3 });
  expect(codeOf(await operator.post(`/ops/acts/${id}:stop`, { reason: 'x' }))).toEqual([
    409,
    'ACT_OVER',
  ]);
  await work(100, { next: async () => item.map((one) => ({ ...one, n: one.n + 1 })) });
  expect(await work()).toBe(0);
  expect(await states(ids)).toEqual(['submitting', 'queued', 'queued', 'cancelled']);
  const rest = (await preview(onLane('cancel', install))).json();
  expect(rest).toMatchObject({ count: 3, refused: [{ reason: 'it has ended', count: 1 }] });
  await apply(rest.token, 3);
  while ((await work()) > 0);
  expect(await states(ids)).toEqual(ids.map(() => 'cancelled'));
});

test.each([
  ['one act', [['submitting', 'queued']]],
  ['two acts, the head of the lane in the first', [['submitting'], ['queued']]],
])('a bulk cancel in %s begins nothing of what is cancelled', async (_acts, parts) => {
  const { install, ids } = await waiting(4);
  // The head of the lane waits for its next attempt.
  await world.api.pool.query(
    `update effect set due_at = now() + interval '1 h' where change_id = $1`,
    [ids[0]],
  );
  const { action, filter } = onLane('cancel', install);
  for (const state of parts) await applied({ action, filter: { ...filter, state } });
  let submitted = 0;
  const perform: BulkActs['perform'] = async (...item) => {
    const end = await world.api.deps.bulkActs.perform(...item);
    submitted += await world.api.ledger.step();
    return end;
  };
  while ((await work(100, { perform })) > 0);
  expect(submitted).toBe(0);
  expect(await states(ids)).toEqual(ids.map(() => 'cancelled'));
});

test('two cancels that go through one lane end both, also when what each would do first has ended before', async () => {
  const install = await fresh();
  const two = world.id('two');
  const ids: string[] = [];
  for (const name of ['head', 'a-2', 'b-3', 'b-4', 'a-5']) {
    const url = `/app-installs/${install}:create-license?commandId=${two}-${name}`;
    ids.push((await world.provider.post(url, { params: {} }, ASYNC)).json().id);
  }
  const acts: string[] = [];
  for (const prefix of ['a', 'b']) {
    acts.push(await applied({ action: 'cancel', filter: { commandId: `${two}-${prefix}-*` } }));
  }
  for (const id of ids.slice(3)) {
    await operator.post(`/ops/operations/${id}:cancel`, { reason: 'alone' });
  }
  while ((await work()) > 0);
  for (const act of acts) {
    expect(await actOf(act)).toMatchObject({ state: 'done', done: 1, refused: 1 });
  }
  expect(await states(ids)).toEqual(['submitting', ...ids.slice(1).map(() => 'cancelled')]);
});

test('an act whose first item has to wait for another act goes on in other lanes', async () => {
  const installs = [await fresh(), await fresh(), await fresh()];
  const made: Awaited<ReturnType<typeof waiting>>[] = [];
  for (const install of installs) made.push(await waiting(2, install));
  const heads = await applied({
    action: 'cancel',
    filter: { state: ['submitting'], operation: ['create-license'] },
  });
  expect(await actOf(heads)).toMatchObject({ left: 3 });
  const [first] = await world.api.deps.bulkActs.next(1, [], IO);
  const { install } = made.find(({ ids }) => ids[0] === first!.changeId)!;
  const { action, filter } = onLane('cancel', install);
  const queued = await applied({ action, filter: { ...filter, state: ['queued'] } });
  // The act `heads` continues in other lanes even while `queued`, the act for which its first item waits, is paused
  // after a failure.
  const resting: Resting = new Map([[queued, { failures: 1, untilMs: Infinity }]]);
  const taken = async () => workBulk(clock(), epoch, 1, resting, IO);
  expect([await taken(), await taken(), await taken()]).toEqual([1, 1, 0]);
  expect(await actOf(heads)).toMatchObject({ state: 'running', done: 2, left: 1 });
  resting.clear();
  while ((await taken()) > 0);
  for (const act of [heads, queued]) expect(await actOf(act)).toMatchObject({ state: 'done' });
  for (const one of made) {
    const next = one.install === install ? 'cancelled' : 'submitting';
    expect(await states(one.ids)).toEqual(['cancelled', next]);
  }
  while ((await world.api.ledger.step()) > 0);
});

test('an item that cannot be done for now holds up what comes after it in its act, and no other act', async () => {
  const installs = [await fresh(), await fresh()];
  const [first, second] = [await waiting(2, installs[0]), await waiting(2, installs[1])];
  const [held, other] = [
    await applied(onLane('cancel', first.install)),
    await applied(onLane('cancel', second.install)),
  ];
  const resting: Resting = new Map();
  const perform: BulkActs['perform'] = (item, ...rest) =>
    item.actId === held
      ? Promise.reject(new Error('the participant is away'))
      : world.api.deps.bulkActs.perform(item, ...rest);
  await workBulk(clock({ perform }), epoch, 100, resting, IO);
  expect(await actOf(held)).toMatchObject({ state: 'running', done: 0, refused: 0, left: 2 });
  expect(await actOf(other)).toMatchObject({ state: 'done', done: 2 });
  // After each failure the act pauses for longer, and is then tried again.
  const before = resting.get(held)!;
  expect(before).toMatchObject({ failures: 1 });
  resting.set(held, { ...before, untilMs: Infinity });
  expect(await workBulk(clock({ perform }), epoch, 100, resting, IO)).toBe(0);
  resting.set(held, { ...before, untilMs: 0 });
  await workBulk(clock({ perform }), epoch, 100, resting, IO);
  expect(resting.get(held)).toMatchObject({ failures: 2 });
  resting.set(held, { failures: 2, untilMs: 0 });
  await workBulk(clock(), epoch, 100, resting, IO);
  expect(await actOf(held)).toMatchObject({ state: 'done', done: 2 });
  expect(resting.size).toBe(0);
});

test('acts take turns, also where one item is done at a time and one has begun earlier', async () => {
  const installs = [await fresh(), await fresh()];
  const [first, second] = [await waiting(5, installs[0]), await waiting(3, installs[1])];
  const older = await applied(onLane('cancel', first.install));
  const turns: string[] = [];
  const next: BulkActs['next'] = async (...asked) => {
    const items = await world.api.deps.bulkActs.next(...asked);
    turns.push(...items.map(({ actId, n }) => `${actId === older ? 'older' : 'newer'} ${n}`));
    return items;
  };
  await work(1, { next });
  await work(1, { next });
  const newer = await applied(onLane('cancel', second.install));
  while ((await work(1, { next })) > 0);
  expect(turns.slice(0, 2)).toEqual(['older 1', 'older 2']);
  expect(turns.slice(2)).toEqual([
    'newer 1',
    'older 3',
    'newer 2',
    'older 4',
    'newer 3',
    'older 5',
  ]);
  for (const act of [older, newer]) expect(await actOf(act)).toMatchObject({ state: 'done' });
});

test('all acts together go no faster than they may, and one of nothing is done at once', async () => {
  const { install } = await waiting(4);
  const nothing = await applied({ action: 'cancel', filter: { commandId: 'no-such-command' } });
  const id = await applied(onLane('cancel', install));
  const over = new AbortController();
  const beganMs = performance.now();
  let lastMs = 0;
  const finish: BulkActs['finish'] = async (io) => {
    await world.api.deps.bulkActs.finish(io);
    const { state } = await actOf(id);
    if (state === 'running') return;
    lastMs = performance.now() - beganMs;
    over.abort();
  };
  // The items are done one at a time, at intervals of a quarter of a second.
  const duty = watchBulkActs({ ...clock({ finish }), itemsPerSecond: 4 });
  await duty.run({ epoch, signal: over.signal });
  expect(lastMs).toBeGreaterThan(700);
  expect(await actOf(id)).toMatchObject({ state: 'done', done: 4 });
  expect(await actOf(nothing)).toMatchObject({ state: 'done', count: 0 });
});

test('what is in doubt is decided in bulk, and not retried', async () => {
  const doubted = [await inDoubt(world.api), await inDoubt(world.api)].map(({ id }) => id);
  const filter = { state: ['in-doubt'] };
  expect((await preview({ action: 'retry', filter })).json()).toMatchObject({
    count: 0,
    refused: [{ reason: 'the operation is in doubt: decide it first', count: 2 }],
  });
  const id = await applied({ action: 'decide', decision: 'no-effect', filter });
  while ((await work()) > 0);
  expect(await actOf(id)).toMatchObject({ state: 'done', decision: 'no-effect', done: 2 });
  for (const one of doubted) {
    expect(await seen(one)).toMatchObject({
      state: 'failed',
      audit: [{ act: 'decided', bySubject: 'olga', detail: { actId: id } }],
    });
  }
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
      world.provider.post('/ops/operations:preview', { action: 'retry', filter: {}, reason: 'x' }),
      world.provider.get('/ops/acts'),
    ]) {
      expect(codeOf(await asked)).toEqual([403, 'FORBIDDEN']);
    }
    const unknown = '11111111-1111-4111-8111-111111111111';
    expect(codeOf(await operator.get(`/ops/acts/${unknown}`))).toEqual([404, 'NOT_FOUND']);
    const { token, count } = (await preview({ action: 'retry', filter: {} })).json();
    await world.api.pool.query(`update bulk_act set tenant_id = 'Another'`);
    expect(codeOf(await apply(token, count))).toEqual([409, 'PREVIEW_OVER']);
    const [{ id }] = (await operator.get('/ops/acts')).json();
    await world.api.pool.query(`update bulk_act set by_party = 'somebody::1'`);
    expect((await operator.get('/ops/acts')).json()).toEqual([]);
    expect(codeOf(await operator.get(`/ops/acts/${id}`))).toEqual([404, 'NOT_FOUND']);
    const stop = await operator.post(`/ops/acts/${id}:stop`, { reason: 'enough' });
    expect(codeOf(stop)).toEqual([404, 'NOT_FOUND']);
  });

  test('a party has so many acts under way, also when several are applied at once', async () => {
    const tokens: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      tokens.push(
        (await preview({ action: 'cancel', filter: { commandId: 'none' } })).json().token,
      );
    }
    for (let i = 2; i < STORE_LIMITS.bulkActsRunningMax; i += 1) {
      await storedAct(world.api.pool, 'AppProvider', PROVIDER, 'running');
    }
    const replies = await Promise.all(tokens.map((token) => apply(token, 0)));
    const codes = replies.map((reply) => reply.json().code);
    expect(codes.filter((code) => code === 'ACTS_LIMITED')).toHaveLength(2);
    // A request to apply an act that is refused changes nothing.
    await work();
    expect((await apply(tokens[codes.indexOf('ACTS_LIMITED')]!, 0)).statusCode).toBe(202);
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
    expect(reply.statusCode).toBe(400);
    expect(String(reply.json().field)).toContain(field);
  });
});
