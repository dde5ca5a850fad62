import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { BulkActs, BulkItem, BulkRequest, ItemEnd } from '../../src/app/desk/bulk-acts.ts';
import type { OpsScope } from '../../src/app/ports/ops-scope.ts';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Change } from '../../src/domain/change.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { ProblemError } from '../../src/domain/problems.ts';
import {
  PROVIDER,
  USER,
  arrival,
  change,
  io,
  queued,
  rejected,
  succeeded,
  writes,
} from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { save } from './store-under-test.ts';

const OLGA: Caller = {
  party: PROVIDER,
  roles: new Set(['operator'] as const),
  via: 'bearer',
  tenantId: 'provider',
  subject: 'olga',
  name: 'Olga',
};
const OTTO: Caller = { ...OLGA, subject: 'otto', name: 'Otto' };
const ALL: OpsScope = { of: 'provider', party: PROVIDER };
const DONE: ItemEnd = { state: 'done', result: null };

const retry: BulkRequest = { action: 'retry', decision: null, filter: {}, reason: 'again' };
const cancel: BulkRequest = { ...retry, action: 'cancel', filter: { states: ['queued'] } };

/** Creates a preview, and returns the hash with which it may be applied. */
async function previewed(acts: BulkActs, request: BulkRequest, by = OLGA): Promise<string> {
  const hash = randomUUID();
  const { count } = await acts.judge({ ...request, scope: ALL }, io());
  const preview = { ...request, scope: ALL, by, count, expiresInMs: LIMITS.previewMs };
  await acts.remember({ ...preview, id: randomUUID(), tokenHash: hash }, io());
  return hash;
}

async function applied(acts: BulkActs, request: BulkRequest, by = OLGA) {
  const { count } = await acts.judge({ ...request, scope: ALL }, io());
  return acts.apply({ hash: await previewed(acts, request, by), count }, by, io());
}

/** Returns the code of the refusal. */
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'it was not',
    (error: unknown) => (error instanceof ProblemError ? error.details.code : error),
  );

async function failed(under: StoreUnderTest, count: number): Promise<Change[]> {
  const changes = Array.from({ length: count }, () => rejected(change()));
  for (const one of changes) await save(under.store, { ...arrival(one), changes: [one] });
  return changes;
}

const clockLease = async ({ leases }: StoreUnderTest, holder = 'a clock'): Promise<bigint> =>
  (await leases.acquire(SCHEDULER_LEASE, holder, 60_000, io()))!;

const perform = (under: StoreUnderTest, item: BulkItem, epoch: bigint, end: ItemEnd = DONE) =>
  under.bulkActs.perform(item, epoch, () => Promise.resolve(end), io());

/**
 * Acts on many changes: tests, for every store, of the changes that an act covers, of who may apply it, and that each
 * item is done once.
 */
export function bulkCases(makeStore: MakeStore): void {
  test('a preview says what can be done, and why the rest cannot', async () => {
    await using under = await makeStore();
    const [one] = await failed(under, 1);
    const [done, open] = [succeeded(change()), change()];
    const behind = queued(open, 2);
    for (const each of [done, open]) await save(under.store, { ...arrival(each), changes: [each] });
    await save(under.store, { changes: [behind] });
    const judged = await under.bulkActs.judge({ ...retry, scope: ALL }, io());
    expect(judged.sample.map(({ id }) => id)).toEqual([one!.id]);
    expect(judged).toMatchObject({ count: 1 });
    expect(judged.refused.toSorted((a, b) => a.count - b.count)).toEqual([
      { reason: 'the operation has succeeded', count: 1 },
      { reason: 'the operation has not ended', count: 2 },
    ]);
    const users = { of: 'caller', party: USER } as const;
    expect(await under.bulkActs.judge({ ...retry, scope: users }, io())).toMatchObject({
      count: 0,
    });
  });

  test('it is applied once, by whoever has seen it, to as many as they have seen', async () => {
    await using under = await makeStore();
    const acts = under.bulkActs;
    await failed(under, 2);
    const hash = await previewed(acts, retry);
    expect(await codeOf(acts.apply({ hash, count: 2 }, OTTO, io()))).toBe('PREVIEW_OVER');
    expect(await codeOf(acts.apply({ hash, count: 3 }, OLGA, io()))).toBe('COUNT_MISMATCH');
    const act = await acts.apply({ hash, count: 2 }, OLGA, io());
    expect(act).toMatchObject({ state: 'running', count: 2, left: 2, done: 0, refused: 0 });
    expect(await codeOf(acts.apply({ hash, count: 2 }, OLGA, io()))).toBe('PREVIEW_OVER');
    const late = await previewed(acts, retry);
    await failed(under, 1);
    expect(await codeOf(acts.apply({ hash: late, count: 2 }, OLGA, io()))).toBe('COUNT_MISMATCH');
    expect(await acts.list({ scope: ALL, limit: 9 }, io())).toEqual([act]);
    const other = await applied(acts, retry);
    expect(await acts.list({ scope: ALL, limit: 9 }, io())).toEqual([other, act]);
    const oldestFirst = { scope: ALL, limit: 1, order: 'ascending' } as const;
    expect(await acts.list(oldestFirst, io())).toEqual([act]);
    const after = { appliedAt: act.appliedAt, id: act.id };
    expect(await acts.list({ ...oldestFirst, after }, io())).toEqual([other]);
  });

  test('each item is done once, by whoever holds the lease, until the act is stopped', async () => {
    await using under = await makeStore();
    const acts = under.bulkActs;
    await failed(under, 3);
    const act = await applied(acts, retry);
    const [first, second, third] = await acts.next(9, [], io());
    expect(await acts.next(9, [act.id], io())).toEqual([]);
    const epoch = await clockLease(under);
    expect(await perform(under, first!, epoch)).toEqual(DONE);
    expect(await perform(under, first!, epoch)).toBeNull();
    expect(await perform(under, second!, epoch - 1n)).toBeNull();
    const refusal: ItemEnd = { state: 'refused', code: 'NOT_RETRYABLE', message: 'no' };
    expect(await perform(under, second!, epoch, refusal)).toEqual(refusal);
    await acts.finish(io());
    const shown = await acts.find(act.id, ALL, io());
    expect(shown?.act).toMatchObject({ state: 'running', done: 1, refused: 1, left: 1 });
    expect(shown?.refused).toEqual([{ code: 'NOT_RETRYABLE', reason: 'no', count: 1 }]);
    const why = { by: OLGA, reason: 'enough' };
    expect(await acts.stop(act.id, ALL, why, io())).toMatchObject({ state: 'stopped', left: 1 });
    expect(await codeOf(acts.stop(act.id, ALL, why, io()))).toBe('ACT_OVER');
    expect(await perform(under, third!, epoch)).toBeNull();
    expect(await acts.next(9, [], io())).toEqual([]);
  });

  test('what is done to an item that is no longer to be done is undone', async () => {
    await using under = await makeStore();
    const { bulkActs: acts, store } = under;
    await failed(under, 1);
    await applied(acts, retry);
    const [item] = await acts.next(9, [], io());
    const other = change();
    const epoch = await clockLease(under);
    const end = await acts.perform(
      item!,
      epoch - 1n,
      async (tx) => {
        await tx.lock([other.lane]);
        await tx.save(writes(arrival(other)));
        return DONE;
      },
      io(),
    );
    expect(end).toBeNull();
    expect(await store.reads.changesById([other.id], io())).toEqual([]);
  });

  test('an act whose items are done has ended', async () => {
    await using under = await makeStore();
    const acts = under.bulkActs;
    await failed(under, 1);
    const act = await applied(acts, retry);
    const [item] = await acts.next(9, [], io());
    await perform(under, item!, await clockLease(under));
    await acts.finish(io());
    expect((await acts.find(act.id, ALL, io()))?.act).toMatchObject({ state: 'done', done: 1 });
  });

  test('of a lane the last is cancelled first; of acts each has its share', async () => {
    await using under = await makeStore();
    const acts = under.bulkActs;
    const head = change();
    const behind = [2, 3, 4].map((no) => queued(head, no));
    await save(under.store, { ...arrival(head), changes: [head, ...behind] });
    await applied(acts, cancel);
    const order = (await acts.next(9, [], io())).map(({ changeId }) => changeId);
    expect(order).toEqual(behind.map(({ id }) => id).toReversed());
    await failed(under, 3);
    await applied(acts, retry);
    const actions = (await acts.next(4, [], io())).map(({ action }) => action);
    expect(actions.toSorted()).toEqual(['cancel', 'cancel', 'retry', 'retry']);
  });

  test('the head of a lane waits while another act cancels behind it', async () => {
    await using under = await makeStore();
    const acts = under.bulkActs;
    const head = change();
    await save(under.store, { ...arrival(head), changes: [head, queued(head, 2)] });
    const first = await applied(acts, { ...cancel, filter: { states: ['submitting'] } });
    const second = await applied(acts, cancel);
    const acting = async () => (await acts.next(9, [], io())).map(({ actId }) => actId);
    expect(await acting()).toEqual([second.id]);
    await acts.stop(second.id, ALL, { by: OLGA, reason: 'no' }, io());
    expect(await acting()).toEqual([first.id]);
  });
}
