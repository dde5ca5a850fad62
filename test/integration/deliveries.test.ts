import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { EVENTS_LEASE } from '../../src/app/ports/leases.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { OPS_LIMITS } from '../../src/ops/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import type { ClaimedDelivery } from '../../src/domain/webhook.ts';
import { Turns } from '../../src/ops/turns.ts';
import { startDeliverer } from '../../src/ops/deliverer.ts';
import { DatabaseDeadlineError } from '../../src/store/sql/deadline.ts';
import { createDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { io } from '../kit/store-rows.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { forFile } from '../kit/for-file.ts';

/* The order in which webhooks are served, and the consequences of repeated failures. No request is sent. */

const under = await forFile(postgresStore());
const deliveries = createDeliveries(under.pool);
beforeEach(() => under.pool.query('delete from webhook'));

/** Creates webhooks of one party, each with `due` deliveries that have been due for `dueAgo`. */
async function webhooks(party: string, count: number, due: number, dueAgo: string): Promise<void> {
  await under.pool.query(
    `insert into webhook (id, party, created_by, url, types, secret, after_seq)
     select $1 || '-' || n, $1, 'x', 'http://x/', '{}', 'whsec_x', 0 from generate_series(1, $2::integer) n`,
    [party, count],
  );
  await under.pool.query(
    `insert into delivery (webhook_id, message_id, type, body, due_at)
     select w.id, 'm' || n, 't', '{}', now() - $3::interval
     from webhook w, generate_series(1, $2::integer) n where w.party = $1`,
    [party, due, dueAgo],
  );
}

const countsOf = (claimed: readonly ClaimedDelivery[]) =>
  Object.fromEntries(
    Map.groupBy(claimed, ({ webhookId }) => webhookId.split('-')[0] ?? '')
      .entries()
      .map(([party, all]) => [party, all.length]),
  );

test('no party has more than its share of the places, and each of its webhooks has one of them', async () => {
  await webhooks('many', 20, 10, '1 hour');
  await webhooks('few', 1, 3, '1 second');
  const turns = new Turns();
  const claimed = await deliveries.claim(LIMITS.webhookTriesOfAllMax, turns.hands, io());
  for (const { webhookId } of claimed) turns.begin(webhookId);
  expect(countsOf(claimed)).toEqual({ many: STORE_LIMITS.webhookTriesPerPartyMax, few: 3 });
  expect(new Set(claimed.map(({ webhookId }) => webhookId)).size).toBe(21);
  // The other parties already have as many concurrent deliveries as their share permits.
  await webhooks('late', 1, 1, '1 second');
  const more = await deliveries.claim(LIMITS.webhookTriesOfAllMax, turns.hands, io());
  expect(countsOf(more)).toEqual({ late: 1 });
});

test('where places are few, webhooks are served in turn, however much waits for one', async () => {
  await webhooks('old', 2, 50, '1 hour');
  await webhooks('new', 1, 4, '1 second');
  const turns = new Turns();
  const served: string[] = [];
  for (let n = 0; n < 9; n += 1) {
    const [one] = await deliveries.claim(1, turns.hands, io());
    served.push(one!.webhookId);
    turns.begin(one!.webhookId);
    turns.end(one!.webhookId, 1);
  }
  const firsts = served.slice(0, 3);
  expect(firsts.toSorted()).toEqual(['new-1', 'old-1', 'old-2']);
  expect(served).toEqual([...firsts, ...firsts, ...firsts]);
});

test('one whose answers take long has one try at a time, until one does not', async () => {
  await webhooks('slow', 1, 20, '1 second');
  const turns = new Turns();
  const claim = async (): Promise<number> => {
    const claimed = await deliveries.claim(LIMITS.webhookTriesOfAllMax, turns.hands, io());
    for (const { webhookId } of claimed) turns.begin(webhookId);
    return claimed.length;
  };
  expect(await claim()).toBe(STORE_LIMITS.webhookTriesMax);
  for (let n = 0; n < STORE_LIMITS.webhookTriesMax; n += 1)
    turns.end('slow-1', OPS_LIMITS.webhookSlowMs + 1);
  expect(await claim()).toBe(1);
  expect(await claim()).toBe(0);
  turns.end('slow-1', 10);
  expect(await claim()).toBe(STORE_LIMITS.webhookTriesMax);
});

test('what a process remembers of webhooks is bounded, and never what it has in hand', () => {
  const turns = new Turns();
  turns.begin('in hand');
  for (let n = 0; n < OPS_LIMITS.webhooksRemembered + 10; n += 1) {
    turns.begin(`w${n}`);
    turns.end(`w${n}`, 1);
  }
  expect(turns.hands.size).toBe(OPS_LIMITS.webhooksRemembered);
  expect(turns.hands.get('in hand')?.count).toBe(1);
});

test('a failure after a long silence begins anew; those that follow each other disable', async () => {
  await webhooks('quiet', 1, 3, '1 second');
  const claimed = await deliveries.claim(LIMITS.webhookTriesOfAllMax, new Map(), io());
  const fail = (n: number) =>
    deliveries.report(
      claimed[n]!,
      { ms: 1, status: 500, error: null },
      { kind: 'again', delayMs: 60_000, isGone: false },
      io(),
    );
  const before = (failingDays: number, failedDays: number) =>
    under.pool.query(
      `update webhook set failures = 3, failing_since = now() - $1 * interval '1 day', failed_at = now() - $2 * interval '1 day'`,
      [failingDays, failedDays],
    );
  await before(6, 4);
  expect(await fail(0)).toBeNull();
  const shown = await under.pool.query(
    `select is_enabled, failures, failing_since > now() - interval '1 hour' as is_anew from webhook`,
  );
  expect(shown.rows).toEqual([{ is_enabled: true, failures: 1, is_anew: true }]);
  expect(await fail(1)).toBeNull();
  await before(6, 1);
  expect(await fail(2)).toContain('every delivery since');
});

test('tries begun before a failure lengthen the pause no more, however late they fail; those after it do', async () => {
  await webhooks('blip', 1, 9, '1 second');
  const seen = async () => {
    const { rows } = await under.pool.query<{ failures: number; pause: string }>(
      `select failures, extract(epoch from not_before - failed_at)::text as pause from webhook`,
    );
    return { failures: rows[0]?.failures, pauseMs: Math.round(Number(rows[0]?.pause) * 1_000) };
  };
  const again = { kind: 'again', delayMs: 60_000, isGone: false } as const;
  const claimed = await deliveries.claim(LIMITS.webhookTriesOfAllMax, new Map(), io());
  expect(claimed).toHaveLength(STORE_LIMITS.webhookTriesMax);
  for (const [n, one] of claimed.entries()) {
    await deliveries.report(one, { ms: 1, status: 500, error: null }, again, io());
    if (n === 0)
      expect(await seen()).toEqual({ failures: 1, pauseMs: STORE_LIMITS.webhookPauseMsMin });
    // The targets of the other deliveries do not answer for longer than the pause.
    await under.pool.query('update webhook set not_before = now()');
  }
  expect(await seen()).toMatchObject({ failures: 1 });
  const [next] = await deliveries.claim(LIMITS.webhookTriesOfAllMax, new Map(), io());
  await deliveries.report(next!, { ms: 1, status: 500, error: null }, again, io());
  expect(await seen()).toEqual({ failures: 2, pauseMs: 2 * STORE_LIMITS.webhookPauseMsMin });
});

test('what could not be tried is tried soon, and nothing is counted', async () => {
  await webhooks('busy', 1, 1, '1 second');
  const reported = Promise.withResolvers<void>();
  const deliverer = startDeliverer({
    deliveries: {
      ...deliveries,
      putOff: (...asked) => deliveries.putOff(...asked).then(reported.resolve, reported.reject),
    },
    post: async () => null,
    wallClock: { nowMs: Date.now },
    random: Math.random,
    log: pino({ enabled: false }),
  });
  try {
    await reported.promise;
  } finally {
    await deliverer.stop();
  }
  const { rows } = await under.pool.query(
    `select w.failures, d.state, d.attempts, d.last_at, d.due_at <= now() + interval '10 seconds' as is_soon
     from webhook w join delivery d on d.webhook_id = w.id`,
  );
  expect(rows).toEqual([
    { failures: 0, state: 'pending', attempts: 0, last_at: null, is_soon: true },
  ]);
});

test('deliveries that cannot be made leave no rejection behind, which would end the process', async () => {
  const { pool } = under;
  await webhooks('all', 1, 0, '1 second');
  const epoch = 7n;
  await pool.query(
    `insert into lease (name, holder, epoch, expires_at) values ($1, 'x', $2, now() + interval '1 hour')`,
    [EVENTS_LEASE, epoch],
  );
  await pool.query('update event_sequence set last = last + 1');
  const left: unknown[] = [];
  const keep = (reason: unknown): void => void left.push(reason);
  process.on('unhandledRejection', keep);
  const other = await pool.connect();
  try {
    await other.query('begin; select from webhook_cursor for update');
    const made = deliveries.fanOut('https://x.example', epoch, io());
    const failed = made.catch((error: unknown) => error);
    const stopped = `select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect
      .poll(async () => (await pool.query(stopped)).rowCount, { timeout: PATIENCE_MS })
      .toBe(1);
    expect(await failed).toBeInstanceOf(DatabaseDeadlineError);
    await setImmediate();
    expect(left).toEqual([]);
  } finally {
    process.off('unhandledRejection', keep);
    await other.query('rollback');
    other.release();
  }
});
