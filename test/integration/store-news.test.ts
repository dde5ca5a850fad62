import { Client } from 'pg';
import { expect, test } from 'vitest';
import type { ChangeId } from '../../src/domain/ids.ts';
import { hearChanges } from '../../src/store/engine/change-listener.ts';
import { createPostgresStore } from '../../src/store/engine/postgres-store.ts';
import { CHANGES_CHANNEL, EFFECTS_CHANNEL, unpackIds } from '../../src/store/sql/channels.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import {
  change,
  io,
  lifecycle,
  birth,
  rejected,
  succeeded,
  writes,
  arrival,
} from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';

interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/** Listens on both channels over a separate connection, until the listener is disposed of. */
async function ear(url: string) {
  const heard: Notification[] = [];
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  client.on('notification', ({ channel, payload }) =>
    heard.push({ channel, payload: payload ?? '' }),
  );
  await client.connect();
  await client.query(`listen ${CHANGES_CHANNEL}; listen ${EFFECTS_CHANNEL}`);
  return {
    heard,
    /** Returns all notifications so far. The test sends one itself, which arrives after all earlier ones. */
    async upToNow(): Promise<Notification[]> {
      const mark = `mark-${heard.length}`;
      await queryOnce(url, `select pg_notify('${CHANGES_CHANNEL}', '${mark}')`);
      await expect.poll(() => heard.some((one) => one.payload === mark)).toBe(true);
      return heard.splice(0).filter((one) => one.payload !== mark);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const connected = (url: string, name: string) =>
  queryOnce<{ pid: number }>(
    url,
    `select pid from pg_stat_activity where application_name = $1 and datname = current_database()`,
    [name],
  );

const cut = (url: string, name: string) =>
  queryOnce(
    url,
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = $1 and datname = current_database()`,
    [name],
  );

test('outcomes and due effects are told once they are committed', async () => {
  await using under = await postgresStore();
  await using ears = await ear(under.url);
  const [won, lost, doubtful] = [change(), change(), change()];
  for (const one of [won, lost, doubtful]) await arrive(under.store, one);
  await expect
    .poll(() => ears.heard.filter((one) => one.channel === EFFECTS_CHANNEL).length)
    .toBe(3);
  expect((await ears.upToNow()).every((one) => one.channel === EFFECTS_CHANNEL)).toBe(true);
  await save(under.store, {
    changes: [succeeded(won), rejected(lost), { ...doubtful, state: 'in-doubt' }],
    effectsDone: [won.id, lost.id, doubtful.id],
  });
  await expect.poll(() => ears.heard.length).toBe(1);
  const [news] = await ears.upToNow();
  expect(news?.channel).toBe(CHANGES_CHANNEL);
  expect(new Set(unpackIds(news?.payload ?? ''))).toEqual(new Set([won.id, lost.id, doubtful.id]));
});

test('what nobody waits for is not told', async () => {
  await using under = await postgresStore();
  await using ears = await ear(under.url);
  const ours = change();
  await arrive(under.store, ours);
  // The notification is sent after the commit, so it may arrive late.
  await expect.poll(() => ears.heard.length).toBe(1);
  await ears.upToNow();
  await save(under.store, { changes: [{ ...ours, state: 'retrying' }] });
  await save(under.store, { changes: [{ ...ours, attempts: 1 }], effectsDone: [ours.id] });
  await save(under.store, birth(lifecycle()));
  // An effect that is due later is also announced, for a relay that would otherwise sleep until another effect is due
  // even later.
  await save(under.store, {
    effectsDue: [{ changeId: ours.id, inMs: 60_000 }],
  });
  await expect.poll(() => ears.heard.length).toBe(1);
  expect(await ears.upToNow()).toEqual([{ channel: EFFECTS_CHANNEL, payload: '' }]);
});

test('what moves effects names the process that has heard it, if one has', async () => {
  await using under = await postgresStore();
  await using ears = await ear(under.url);
  const store = createPostgresStore(under.pool, { process: 'us', committed: () => undefined });
  await arrive(store, change());
  await arrive(under.store, change());
  await expect.poll(() => ears.heard.length).toBe(2);
  const news = await ears.upToNow();
  expect(news.map(({ payload }) => payload).toSorted()).toEqual(['', 'us']);
});

test('a transaction that is undone tells nothing', async () => {
  await using under = await postgresStore();
  await using ears = await ear(under.url);
  const ours = change();
  const undone = under.store.transact(io(), async (tx) => {
    await tx.lock([ours.lane]);
    await tx.save(writes(arrival(ours)));
    await tx.save(writes({ changes: [succeeded(ours)] }));
    await tx.save(writes({ changes: [rejected(ours)] }));
  });
  await expect(undone).rejects.toThrow();
  await expect.poll(() => under.pool.totalCount - under.pool.idleCount).toBe(0);
  expect(await ears.upToNow()).toEqual([]);
});

test('hundreds of outcomes are told in messages that PostgreSQL takes', async () => {
  await using under = await postgresStore();
  await using ears = await ear(under.url);
  const all = Array.from({ length: 450 }, () => succeeded(change()));
  await under.store.transact(io(), async (tx) => {
    await tx.lock(all.map((one) => one.lane));
    await tx.save(writes({ changes: all }));
  });
  const ids = () => ears.heard.flatMap((one) => unpackIds(one.payload));
  await expect.poll(() => ids().length).toBe(450);
  expect(new Set(ids())).toEqual(new Set(all.map((one) => one.id)));
  for (const { payload } of ears.heard) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
});

test('a listener hears of outcomes in other processes', async () => {
  await using under = await postgresStore();
  const heard: ChangeId[] = [];
  let gaps = 0;
  const listener = openListener({ url: under.url, applicationName: 'tenure-test-changes' });
  hearChanges(listener, { onChanges: (ids) => heard.push(...ids), onGap: () => (gaps += 1) });
  await expect.poll(() => gaps).toBe(1);
  expect(listener.state).toBe('listening');
  const ours = change();
  await arrive(under.store, ours);
  await save(under.store, { changes: [succeeded(ours)] });
  await expect.poll(() => heard).toEqual([ours.id]);
  await listener.stop();
  expect(listener.state).toBe('stopped');
  expect(await connected(under.url, 'tenure-test-changes')).toEqual([]);
});

test('a listener whose connection breaks says so, listens again and tells of the gap', async () => {
  await using under = await postgresStore();
  const heard: string[] = [];
  const breaks: Error[] = [];
  let gaps = 0;
  const listener = openListener({
    url: under.url,
    applicationName: 'tenure-test-listener',
    onBreak: (error) => breaks.push(error),
  });
  listener.on('odd "channel" name', {
    onMessage: (payload) => heard.push(payload),
    onGap: () => (gaps += 1),
  });
  try {
    const notify = (payload: string) =>
      queryOnce(under.url, 'select pg_notify($1, $2)', ['odd "channel" name', payload]);
    await expect.poll(() => gaps).toBe(1);
    await notify('one');
    await expect.poll(() => heard).toEqual(['one']);
    await cut(under.url, 'tenure-test-listener');
    await expect.poll(() => gaps).toBe(2);
    expect(breaks.length).toBeGreaterThan(0);
    expect(breaks[0]).toMatchObject({ name: 'DatabaseUnreachableError' });
    await notify('two');
    await expect.poll(() => heard).toEqual(['one', 'two']);
    await queryOnce(under.url, `select pg_notify('another', 'not ours')`);
    await notify('three');
    await expect.poll(() => heard.at(-1)).toBe('three');
    expect(heard).toEqual(['one', 'two', 'three']);
  } finally {
    await listener.stop();
  }
  expect(await connected(under.url, 'tenure-test-listener')).toEqual([]);
});

test('one connection hears several channels, whoever comes later too, until it hears no more', async () => {
  await using under = await postgresStore();
  const listener = openListener({ url: under.url, applicationName: 'tenure-test-several' });
  const heard: string[] = [];
  const ready = (name: string, channel: string) => {
    const gap = Promise.withResolvers<void>();
    const end = listener.on(channel, {
      onMessage: (payload) => heard.push(`${name}: ${payload}`),
      onGap: gap.resolve,
    });
    return { end, gap: gap.promise };
  };
  const notify = (channel: string, payload: string) =>
    queryOnce(under.url, 'select pg_notify($1, $2)', [channel, payload]);
  try {
    const [first, second] = [ready('first', 'a'), ready('second', 'a')];
    await Promise.all([first.gap, second.gap]);
    const later = ready('later', 'b');
    await later.gap;
    await notify('a', '1');
    await notify('b', '2');
    await expect
      .poll(() => heard, { timeout: 60_000 })
      .toEqual(['first: 1', 'second: 1', 'later: 2']);
    first.end();
    await notify('a', '3');
    await notify('b', '4');
    await expect.poll(() => heard.at(-1), { timeout: 60_000 }).toBe('later: 4');
    expect(heard.slice(3)).toEqual(['second: 3', 'later: 4']);
    expect(await connected(under.url, 'tenure-test-several')).toHaveLength(1);
  } finally {
    await listener.stop();
  }
});

test('a listener without a server goes on trying until it is stopped', async () => {
  await using under = await postgresStore();
  const url = new URL(under.url);
  url.pathname = '/there_is_no_such_database';
  const breaks: Error[] = [];
  const listener = openListener({
    url: url.href,
    applicationName: 'tenure-test-listener',
    onBreak: (error) => breaks.push(error),
  });
  await expect.poll(() => breaks.length).toBeGreaterThan(1);
  expect(breaks[0]).toMatchObject({ reason: 'database-missing' });
  await listener.stop();
  const { length } = breaks;
  expect(listener.state).toBe('stopped');
  await new Promise((resolve) => setImmediate(resolve));
  expect(breaks).toHaveLength(length);
});
