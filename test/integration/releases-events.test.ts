import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import type { ReleaseInterface } from '../../scripts/release-interface.ts';
import { releaseFile } from '../../scripts/release-interface.ts';
import { columnTypes } from '../../src/store/sql/column-types.ts';
import { createEventLog } from '../../src/store/webhooks/events.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';
import { openPool, closePool } from '../../src/store/sql/pool.ts';

/*
 * Processes of 0.2.0 write, number and read events one by one. In these tests, its statements alternate with those of
 * this version. Each event of a transaction must get exactly one number, in the order of the transaction, no matter
 * which version assigns it.
 */

const { statements } = JSON.parse(readFileSync(releaseFile('0.2.0'), 'utf8')) as ReleaseInterface;

interface Told {
  readonly seq: bigint;
  readonly subject: string;
  readonly lifecycle_id: string | null;
  readonly parties: readonly string[];
  readonly data: object;
}

const io = () => ({ signal: AbortSignal.timeout(10_000), deadlineMs: 5_000 });

/** `lifecycle_id` and the parties are different for each event, so that a test notices if rows are mixed up. */
const eventOf = (subject: string) => ({
  type: 'tenure.operation.requested',
  subject,
  lifecycle_id: subject.endsWith('1') ? null : `of ${subject}`,
  parties: [`party of ${subject}`, 'everybody::1220'],
  data: { subject, nested: { n: [1, null] } },
});

async function setUp(stack: AsyncDisposableStack) {
  const database: TestDatabase = stack.use(await testDatabase());
  const client = new Client({ connectionString: database.url, types: columnTypes });
  await client.connect();
  stack.defer(() => client.end());
  const pool = await openPool({
    url: database.url,
    max: 2,
    applicationName: 'test-releases',
    pipelined: true,
    signal: new AbortController().signal,
  });
  stack.defer(() => closePool(pool, 1_000));
  await client.query(`insert into lease (name, holder, epoch, expires_at)
    values ('events', 'x', 1, now() + interval '1 hour'), ('clock', 'x', 1, now() + interval '1 hour')`);
  const run = async <T extends object>(name: string, values: unknown[]): Promise<T[]> => {
    const text = statements[name]?.text ?? '';
    return (await client.query<T>({ name, text, values })).rows;
  };
  const log = createEventLog(pool);
  return {
    client,
    log,
    retention: createRetention(pool, trusted('app-provider')),
    earlier: {
      save: (subjects: readonly string[]) =>
        run('save-events', [JSON.stringify(subjects.map(eventOf))]),
      number: async (limit: number, epoch = 1) =>
        (await run<{ numbered: number }>('number-events', [limit, epoch]))[0]?.numbered ?? null,
      read: (after: number, upTo: number, party: string | null = null) =>
        run<Told>('read-events', [after, upTo, party]),
      span: async () => (await run<{ oldest: bigint; last: bigint }>('event-span', []))[0],
      prune: async (olderThanS: number, limit: number) =>
        (await run<{ pruned: number }>('prune-events', [1, olderThanS, limit]))[0]?.pruned,
    },
    save: (subjects: readonly string[]) =>
      client.query('insert into arrival (events) values ($1)', [
        JSON.stringify(subjects.map(eventOf)),
      ]),
    left: async () =>
      (await client.query<{ n: number }>('select count(*)::integer as n from event_arrival'))
        .rows[0]?.n,
  };
}

const of = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name}${n + 1}`);

test('whoever writes and whoever numbers, each event has one number, in order', async () => {
  await using stack = new AsyncDisposableStack();
  const { earlier, save, log, left, client } = await setUp(stack);
  const written: string[] = [];
  const all = async (writer: (subjects: string[]) => Promise<unknown>, subjects: string[]) => {
    await writer(subjects);
    written.push(...subjects);
  };
  await all(earlier.save, of('a', 3));
  await all(save, of('b', 7));
  await all(earlier.save, of('c', 2));
  await all(save, of('d', 5));
  // 0.2.0 numbers the events up to the middle of batch b, and later those up to its end; this version numbers them from
  // the middle of batch d on.
  expect(await earlier.number(5)).toBe(5);
  expect(await left()).toBe(12);
  expect(await earlier.number(5)).toBe(5);
  expect(await earlier.number(3)).toBe(3);
  expect(await log.number(500, 1n, io())).toMatchObject({ count: 4 });
  expect(await earlier.number(5)).toBe(0);
  await all(save, of('e', 4));
  await all(earlier.save, of('f', 1));
  expect(await log.number(1, 1n, io())).toMatchObject({ count: 4 });
  expect(await earlier.number(500)).toBe(1);
  expect(await left()).toBe(0);

  const now = await log.read({ after: 0n, upTo: 22n, party: null }, io());
  expect(now.map(({ seq, subject }) => [Number(seq), subject])).toEqual(
    written.map((subject, index) => [index + 1, subject]),
  );
  const before = await earlier.read(0, 22);
  expect(before).toHaveLength(22);
  for (const [index, subject] of written.entries()) {
    const { lifecycle_id: lifecycleId, parties, data } = eventOf(subject);
    expect(before[index]).toMatchObject({ subject, lifecycle_id: lifecycleId, parties, data });
    expect(now[index]).toMatchObject({ subject, lifecycleId, parties, data });
  }
  expect(await earlier.read(9, 12)).toEqual(before.slice(9, 12));
  expect(await earlier.read(0, 22, 'party of b4')).toEqual(before.slice(6, 7));
  expect(await earlier.span()).toEqual({ oldest: 1n, last: 22n });
  expect(await earlier.number(5, 2)).toBeNull();
  expect((await client.query('select from event_batch')).rowCount).toBeGreaterThan(0);
});

test('what is pruned is pruned from the smallest number on, as many as it says', async () => {
  await using stack = new AsyncDisposableStack();
  const { earlier, save, log, client, retention } = await setUp(stack);
  await save(of('a', 4));
  await earlier.save(of('b', 2));
  await save(of('c', 5));
  await log.number(500, 1n, io());
  await client.query('update webhook_cursor set last = 9');
  const kept = async () =>
    (await earlier.read(0, 100)).map(({ seq, subject }) => [Number(seq), subject]);
  const whole = await kept();
  expect(await earlier.prune(-1, 3)).toBe(3);
  expect(await kept()).toEqual(whole.slice(3));
  expect(await log.span(io())).toEqual({ oldest: 4n, last: 11n });
  expect(await log.read({ after: 3n, upTo: 5n, party: null }, io())).toHaveLength(2);
  // The release deletes events only up to the cursor of the webhooks, which is in the middle of a batch.
  expect(await earlier.prune(-1, 100)).toBe(6);
  expect(await kept()).toEqual(whole.slice(9));
  expect(await earlier.prune(-1, 100)).toBe(0);
  await client.query('update webhook_cursor set last = 11');
  expect(await retention.events({ olderThanMs: -1_000, limit: 100 }, 1n, io())).toBe(2);
  expect(await kept()).toEqual([]);
});

test('what the audit log tells is delivered where it is named, also by a version that knows of none', async () => {
  await using stack = new AsyncDisposableStack();
  const { client } = await setUp(stack);
  await client.query(`insert into webhook (id, party, created_by, url, types, secret, after_seq) values
    ('all', 'p', 'x', 'https://x.example', '{}', 'whsec_x', 0),
    ('named', 'p', 'x', 'https://x.example', '{tenure.audit.*}', 'whsec_x', 0)`);
  const types = ['tenure.audit.recorded', 'tenure.operation.requested'];
  const rows = types.map((type, n) => ({
    seq: n + 1,
    message_id: `evt_${n + 1}`,
    type,
    body: '{}',
    parties: ['p'],
  }));
  const text = statements['make-deliveries']?.text ?? '';
  await client.query(text, [JSON.stringify(rows)]);
  const made = await client.query(
    'select webhook_id, message_id from delivery order by webhook_id',
  );
  expect(made.rows).toEqual([
    { webhook_id: 'all', message_id: 'evt_2' },
    { webhook_id: 'named', message_id: 'evt_1' },
  ]);
});
