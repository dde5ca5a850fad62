import assert from 'node:assert/strict';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Io } from '../../../src/app/ports/io.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ChangeId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { OutcomeWaiters } from '../../../src/http/kit/outcome-waiters.ts';
import { change } from '../app/made.ts';

/** The table of changes. It keeps a list of its queries. */
class Table {
  readonly rows = new Map<ChangeId, Change>();
  readonly queries: (readonly ChangeId[])[] = [];
  isDown = false;

  async changesById(ids: readonly ChangeId[], _io: Io): Promise<readonly Change[]> {
    this.queries.push(ids);
    const found = ids.flatMap((id) => this.rows.get(id) ?? []);
    await Promise.resolve();
    if (this.isDown) throw new Error('down');
    return found;
  }
}

let table: Table;
let errors: unknown[];
let waiters: OutcomeWaiters;
const never = new AbortController().signal;

const made = (n: number): Change => change({ id: trusted<ChangeId>(`change-${n}`) });
const finish = (open: Change): Change => {
  const done: Change = { ...open, state: 'succeeded', result: { status: 204, body: null } };
  table.rows.set(open.id, done);
  return done;
};
/** Waits until everything has happened that needs no time to pass, including what follows from it. */
const settle = async () => {
  for (let step = 0; step < 4; step += 1) await new Promise((resolve) => setImmediate(resolve));
};
/** Like `settle`, after some time has passed. */
const pass = async (ms: number) => {
  vi.advanceTimersByTime(ms);
  await settle();
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  table = new Table();
  errors = [];
  waiters = new OutcomeWaiters({ reads: table, onError: (error) => errors.push(error) });
});
afterEach(async () => {
  waiters.close();
  await settle();
  // No caller is left waiting, and no timer is left running.
  assert.equal(waiters.size, 0);
  assert.equal(vi.getTimerCount(), 0);
  vi.useRealTimers();
});

test('an outcome that is committed before anybody listens is found at once', async () => {
  const open = made(1);
  const done = finish(open);
  const waiting = waiters.wait(open, 1_000, never);
  await settle();
  expect(await waiting).toEqual(done);
});

test('a notification is read once, together with all others of its moment', async () => {
  const open = Array.from({ length: 40 }, (_, n) => made(n));
  for (const one of open) table.rows.set(one.id, one);
  const waiting = open.map((one) => waiters.wait(one, 1_000, never));
  await settle();
  expect(table.queries).toEqual([open.map((one) => one.id)]);
  const done = open.map(finish);
  for (const one of open) waiters.onChanges([one.id, trusted<ChangeId>('nobody-waits-for-this')]);
  await settle();
  expect(await Promise.all(waiting)).toEqual(done);
  expect(table.queries).toHaveLength(2);
});

test('a batch is bounded, and nothing is left out of it', async () => {
  const open = Array.from({ length: HTTP_LIMITS.outcomeReadMax + 1 }, (_, n) => made(n));
  const done = open.map(finish);
  const waiting = open.map((one) => waiters.wait(one, 1_000, never));
  await settle();
  expect(await Promise.all(waiting)).toEqual(done);
  expect(table.queries.map((ids) => ids.length)).toEqual([HTTP_LIMITS.outcomeReadMax, 1]);
});

test('an outcome whose notification is lost is found by the next poll', async () => {
  const open = made(1);
  table.rows.set(open.id, open);
  const waiting = waiters.wait(open, 60_000, never);
  await settle();
  const done = finish(open);
  await pass(HTTP_LIMITS.outcomePollMs);
  expect(await waiting).toEqual(done);
});

test('after a gap everyone is asked about', async () => {
  const open = [made(1), made(2)];
  for (const one of open) table.rows.set(one.id, one);
  const waiting = open.map((one) => waiters.wait(one, 60_000, never));
  await settle();
  const done = open.map(finish);
  waiters.onGap();
  await settle();
  expect(await Promise.all(waiting)).toEqual(done);
});

test('what is committed while it is being read is read again', async () => {
  const open = made(1);
  table.rows.set(open.id, open);
  const waiting = waiters.wait(open, 60_000, never);
  const read = table.changesById.bind(table);
  let done: Change | undefined;
  table.changesById = async (ids, io) => {
    const found = await read(ids, io);
    // Commits the changes after the read has taken its snapshot.
    done ??= finish(open);
    waiters.onChanges([open.id]);
    return found;
  };
  await settle();
  expect(await waiting).toEqual(done);
});

test('what this process commits is told without being read, to those who wait for it', async () => {
  const open = [made(1), made(2)];
  const waiting = open.map((one) => waiters.wait(one, 60_000, never, true));
  await settle();
  expect(waiters.size).toBe(2);
  const [first, second] = open.map(finish);
  assert(first !== undefined && second !== undefined);
  waiters.onCommitted([{ ...second, state: 'retrying', result: null }, first, finish(made(3))]);
  expect(await waiting[0]).toBe(first);
  expect(waiters.size).toBe(1);
  waiters.onCommitted([second]);
  expect(await waiting[1]).toBe(second);
  // The process knows these outcomes already, so their notification causes no read.
  waiters.onChanges(open.map(({ id }) => id));
  await settle();
  expect(table.queries).toEqual([]);
});

test('what is new is found by the poll all the same', async () => {
  const open = made(1);
  const done = finish(open);
  const waiting = waiters.wait(open, 60_000, never, true);
  await pass(HTTP_LIMITS.outcomePollMs);
  expect(await waiting).toEqual(done);
});

test('when the time is up, the change is given as it was last seen', async () => {
  const open = made(1);
  const retrying: Change = { ...open, state: 'retrying' };
  table.rows.set(open.id, retrying);
  const waiting = waiters.wait(open, 5_000, never);
  await pass(4_999);
  expect(waiters.size).toBe(1);
  await pass(1);
  expect(await waiting).toEqual(retrying);
});

test('who does not wait, or has an outcome already, costs nothing', async () => {
  const open = made(1);
  const done = finish(made(2));
  expect(await waiters.wait(open, 0, never)).toBe(open);
  expect(await waiters.wait(done, 1_000, never)).toBe(done);
  await settle();
  expect(table.queries).toEqual([]);
});

test('a caller that goes away is forgotten, and others of the same change are not', async () => {
  const open = made(1);
  table.rows.set(open.id, open);
  const gone = new AbortController();
  const left = waiters.wait(open, 60_000, gone.signal).catch((error: unknown) => error);
  const stays = waiters.wait(open, 60_000, never);
  await settle();
  expect(waiters.size).toBe(2);
  gone.abort(new Error('gone'));
  expect(await left).toEqual(new Error('gone'));
  expect(waiters.size).toBe(1);
  const done = finish(open);
  waiters.onChanges([open.id]);
  await settle();
  expect(await stays).toEqual(done);
});

test('a caller that is gone before it waits is not let in', async () => {
  await expect(waiters.wait(made(1), 1_000, AbortSignal.abort())).rejects.toThrow();
});

test('a database that is down is told, and asked again', async () => {
  const open = made(1);
  table.isDown = true;
  const waiting = waiters.wait(open, 60_000, never);
  await settle();
  await pass(HTTP_LIMITS.outcomePollMs);
  expect(errors).toEqual([new Error('down'), new Error('down')]);
  table.isDown = false;
  const done = finish(open);
  await pass(HTTP_LIMITS.outcomePollMs);
  expect(await waiting).toEqual(done);
});

test('closing answers everyone with what is known, and lets nobody in', async () => {
  const open = [made(1), made(2)];
  const waiting = open.map((one) => waiters.wait(one, 60_000, never));
  waiters.close();
  expect(await Promise.all(waiting)).toEqual(open);
  expect(await waiters.wait(made(3), 60_000, never)).toEqual(made(3));
});
