import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import { LeaseLostError } from '../../src/app/engine/lanes/leased.ts';
import { lookAtBooks } from '../../src/ops/books.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { createBooks } from '../../src/store/product/books.ts';
import { OTHER_USER, PROVIDER, USER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { judgeEvents } from '../kit/typed-events.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * Payments, receipts and statistics over the API, after a background task of the clock has computed them from the
 * projection.
 */

const world = await forFile(startRenewalsWorld());
const { api, provider, user } = world;
const io = { signal: new AbortController().signal, deadlineMs: PATIENCE_MS };
const epoch = (await createLeases(api.pool).acquire(SCHEDULER_LEASE, 'books', 600_000, io))!;
const term = { epoch, signal: io.signal };
const duty = {
  books: createBooks(api.pool),
  provider: PROVIDER,
  reminderDays: [30, 7, 1],
  log: pino({ level: 'silent' }),
};

const look = () => lookAtBooks(duty, term);

/** Creates a renewal, pays it and completes it. @returns its ID */
async function paid(license: string, fee: string, over: object = {}): Promise<string> {
  const asked = await world.renew(license, { licenseFeeCc: fee, ...over });
  expect(asked.statusCode).toBe(201);
  const { lifecycleId, contractId } = await world.renewalOf(license);
  const allocation = await world.allocate(contractId);
  expect((await world.complete(license, contractId, allocation)).statusCode).toBe(200);
  return lifecycleId;
}

type Body = Record<string, unknown>;

const payments = async (query = ''): Promise<Body[]> => {
  const reply = await provider.get(`/payments${query}`);
  expect(`${reply.statusCode} ${reply.body.slice(0, 300)}`).toMatch(/^200 /u);
  return reply.json();
};

const receipts = async (): Promise<unknown[][]> => {
  const { rows } = await api.pool.query(
    'select renewal_id, receipt_no from payment where receipt_no is not null order by receipt_no',
  );
  return rows.map((row) => [row.renewal_id, Number(row.receipt_no)]);
};

/** Returns all events that report dates and missing payments of licences, by type and subject. */
async function reminders(): Promise<string[]> {
  const { rows } = await api.pool.query(
    `select e ->> 'type' as type, e ->> 'subject' as subject, e -> 'data' ->> 'daysBefore' as days
     from arrival a cross join jsonb_array_elements(a.events) e
     where e ->> 'type' in ('tenure.license.expiring', 'tenure.license.expired', 'tenure.license.renewal-unpaid')
     order by a.place`,
  );
  return rows.map(({ type, subject, days }) =>
    [type.slice(15), subject, days ?? ''].join(' ').trim(),
  );
}

/** Sets the newest ledger time that the streams of updates have reported. */
const timeIs = (instant: string) =>
  api.pool.query(`update query_store_offset set record_time = $1 where stream = 'updates'`, [
    instant,
  ]);

describe('payments', () => {
  test('are listed with what was asked and what came of it, and receipts count in ledger order', async () => {
    const [first, second, third] = [
      await world.newLicense(),
      await world.newLicense(),
      await world.newLicense(),
    ];
    await look();
    const one = await paid(first, '100.25');
    const two = await paid(second, '7');
    await world.renew(third, { licenseFeeCc: '9007199254740993.0000000001' });
    const open = await world.renewalOf(third);
    await look();
    expect(await payments()).toMatchObject([
      { renewalId: open.lifecycleId, state: 'requested', receiptState: 'none' },
      { renewalId: two, state: 'settled', receiptNo: 2, amount: '7.0000000000', user: USER },
      { renewalId: one, state: 'settled', receiptNo: 1, amount: '100.2500000000' },
    ]);
    const [asked] = await payments('?state=requested');
    expect(asked).toMatchObject({
      amount: '9007199254740993.0000000001',
      instrument: { id: 'Amulet' },
    });
    await world.allocate(open.contractId);
    await look();
    expect(await payments('?state=allocated')).toMatchObject([{ renewalId: open.lifecycleId }]);
    await provider.post(
      `/license-renewal-requests/${open.contractId}:withdraw?commandId=${world.command()}`,
    );
    await look();
    expect(await payments('?state=withdrawn')).toMatchObject([{ renewalId: open.lifecycleId }]);
  });

  test('come in pages, by filters, and to their parties only', async () => {
    const all = await payments();
    const page = await provider.get('/payments?limit=1');
    const next = /cursor=([^&>]+)/u.exec(String(page.headers['link']))?.[1];
    expect([...page.json(), ...(await payments(`?limit=1000&cursor=${next}`))]).toEqual(all);
    const oldest = await provider.get('/payments?limit=2&sort=requestedAt');
    const last = /cursor=([^&>]+)/u.exec(String(oldest.headers['link']))?.[1];
    const others = await payments(`?sort=requestedAt&cursor=${last}`);
    expect([...oldest.json(), ...others]).toEqual(all.toReversed());
    expect(await payments(`?party=${USER}`)).toEqual(all);
    expect(await payments(`?party=${OTHER_USER}`)).toEqual([]);
    expect(await payments('?since=PT0S')).toEqual([]);
    const { licenseId } = all[1]!;
    expect(all[1]).toMatchObject({ licenseLifecycleId: licenseId });
    expect(await payments(`?licenseId=${String(licenseId)}`)).toEqual([all[1]]);
    const totalOf = async (query: string) =>
      (await provider.get(`/payments?limit=1&total=true&${query}`)).headers['total-count'];
    const settled = (await payments('?state=settled')).length;
    expect([
      await totalOf(''),
      await totalOf('state=settled'),
      await totalOf('since=PT0S'),
    ]).toEqual([all.length, settled, 0].map(String));
    expect((await user.get('/payments')).json()).toHaveLength(all.length);
    const other = await asking(api, OTHER_USER);
    expect((await other.get('/payments')).json()).toEqual([]);
    const id = String(all[1]!['renewalId']);
    expect((await other.get(`/payments/${id}`)).statusCode).toBe(404);
    expect((await provider.get(`/payments/${id}`)).json()).toEqual(all[1]);
  });

  test('whose receipt has no number yet say so, on the page as well', async () => {
    const [settled] = await payments('?state=settled');
    const id = String(settled!['renewalId']);
    const number = settled!['receiptNo'];
    await api.pool.query('update payment set receipt_no = null where renewal_id = $1', [id]);
    const pending = (await provider.get(`/payments/${id}`)).json();
    expect(pending).toMatchObject({ receiptState: 'pending' });
    const page = await provider.get(`/payments/${id}/receipt`, { accept: 'text/html' });
    expect(page.body).toContain('The number is not given yet');
    await api.pool.query('update payment set receipt_no = $2 where renewal_id = $1', [id, number]);
    const numbered = await provider.get(`/payments/${id}/receipt`, { accept: 'text/html' });
    expect(numbered.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(numbered.body).toContain(`<td>${String(number)}</td>`);
    const [requested] = await payments('?state=withdrawn');
    const none = await provider.get(`/payments/${String(requested!['renewalId'])}/receipt`);
    expect(none.statusCode).toBe(404);
  });

  test('keep their receipts when everything is read again, and a rebuild counts licences anew', async () => {
    const before = await receipts();
    const tally = () =>
      api.pool.query('select * from license_tally order by at').then(({ rows }) => rows);
    const counted = await tally();
    await api.pool.query(
      `insert into rebuild (id, asked_by, is_dry_run, answered_at, report)
       values (gen_random_uuid(), 'test', false, now(), '{}')`,
    );
    await look();
    expect([await receipts(), await tally()]).toEqual([before, counted]);
    // If a restored database lacks payments and tallies, they are read from the ledger again.
    await api.pool.query(
      'delete from payment; delete from license_tally; delete from revenue_tally',
    );
    await api.pool.query('update book_cursor set read_to = 0');
    await look();
    expect([await receipts(), await tally()]).toEqual([before, counted]);
  });

  test('are summed by month and plan', async () => {
    for (const groupBy of ['month', 'plan']) {
      const sums = (await provider.get(`/payments/sums?groupBy=${groupBy}`)).json();
      expect(sums).toMatchObject([{ payments: 2, amount: '107.25', instrument: { id: 'Amulet' } }]);
    }
  });

  test('as CSV are safe against formulas, and complete', async () => {
    const license = await world.newLicense();
    await world.renew(license, { description: '=HYPERLINK("http://x","y"), or not' });
    await look();
    const file = await provider.get('/payments', { accept: 'text/csv' });
    expect(file.headers['content-type']).toContain('text/csv');
    const lines = file.body.split('\r\n');
    expect(lines.length - 2).toBe((await payments('?limit=1000')).length);
    expect(lines[0]).toMatch(/,licenseId,.*,licenseLifecycleId$/u);
    expect(file.body).toContain(`"'=HYPERLINK(""http://x"",""y""), or not"`);
    for (const path of ['/licenses', '/licenses?limit=2', '/license-renewal-requests']) {
      const list = await provider.get(path, { accept: 'text/csv' });
      const json = (await provider.get(path)).json();
      expect(list.body.split('\r\n')).toHaveLength(json.length + 2);
    }
    expect((await provider.get('/app-installs', { accept: 'text/csv' })).statusCode).toBe(406);
  });
});

describe('statistics', () => {
  test('are what the contracts say at the end of each day', async () => {
    const { rows } = await api.pool.query<Record<string, number>>(
      `with x as (
         select a.lifecycle_id, k.created_effective_at as begins, k.archived_effective_at as ends,
                (k.payload ->> 'expiresAt')::timestamptz as expires
         from contract k join lineage a on a.contract_id = k.contract_id
         where k.template_fqn like '%:License'
       ), now as (select record_time as at from query_store_offset where stream = 'updates')
       select count(*) filter (where ends is null and expires > now.at)::integer as active,
              count(*) filter (where ends is null and expires <= begins)::integer as "notStarted",
              count(*) filter (where ends is null and expires > now.at and expires <= now.at + interval '30 days')::integer
                as "expiringIn30Days",
              count(distinct lifecycle_id)::integer as new
       from x, now`,
    );
    const figures = (await provider.get('/stats/licenses?since=P2D')).json();
    expect(figures.at(-1)).toMatchObject({ ...rows[0], pastDue: 0, trial: 0, ended: 0, due: 0 });
    expect(figures.at(-1).renewalRate).toBeNull();
    const revenue = (await provider.get('/stats/revenue?groupBy=month')).json();
    expect(revenue).toMatchObject([{ payments: 2, amount: '107.25', recurring: '107.25' }]);
  });

  test('are of days of a time zone, and of bounded spans', async () => {
    const query = 'since=2026-01-01&until=2026-04-01&timeZone=Asia/Kathmandu&groupBy=day';
    const days = (await provider.get(`/stats/licenses?${query}`)).json();
    expect([days.length, days[0].period, days.at(-1).period]).toEqual([
      90,
      '2026-01-01',
      '2026-03-31',
    ]);
    const months = await provider.get(
      '/stats/licenses?groupBy=month&since=2026-01-15&until=2026-02-02',
    );
    expect(months.json().map(({ period }: Body) => period)).toEqual(['2026-01', '2026-02']);
    for (const wrong of [
      'since=2024-01-01&until=2026-01-01',
      'groupBy=month&since=2001-01-01',
      'since=2026-02-01&until=2026-02-01',
      'since=2026-02-30',
      'timeZone=Mars/Base',
      'groupBy=week',
    ]) {
      expect((await provider.get(`/stats/revenue?${wrong}`)).statusCode, wrong).toBe(400);
    }
  });
});

describe('reminders', () => {
  test('are told once for each cause, as time passes', async () => {
    const license = await world.newLicense();
    await paid(license, '1', { licenseExtensionDuration: 'P10D' });
    await look();
    expect(await reminders()).toEqual([]);
    const { lifecycleId, expiresAt } = (await world.shown(license)) as Record<string, string>;
    const before = (days: number) =>
      new Date(Date.parse(expiresAt!) - days * 86_400_000).toISOString();
    await timeIs(before(6.9));
    await look();
    await look();
    const only = async () => (await reminders()).filter((line) => line.includes(lifecycleId!));
    expect(await only()).toEqual([`expiring ${lifecycleId} 7`]);
    // A process that has lost the lease writes nothing.
    await timeIs(before(0.9));
    await expect(lookAtBooks(duty, { ...term, epoch: epoch - 1n })).rejects.toBeInstanceOf(
      LeaseLostError,
    );
    expect(await only()).toHaveLength(1);
    await api.pool.query('delete from reminder');
    await timeIs(before(-1));
    await look();
    await look();
    expect(await only()).toEqual([
      `expiring ${lifecycleId} 7`,
      `expiring ${lifecycleId} 1`,
      `expired ${lifecycleId}`,
    ]);
  });

  test('tell of a renewal that was not paid in its window', async () => {
    const told = await reminders();
    const [asked] = await payments('?state=requested');
    expect(told).toContain(`renewal-unpaid ${String(asked!['licenseId'])}`);
    const withdrawn = await payments('?state=withdrawn');
    for (const { licenseId } of withdrawn) {
      expect(told).not.toContain(`renewal-unpaid ${String(licenseId)}`);
    }
  });

  test('cost one statement while nothing is due', async () => {
    await look();
    const { rows: before } = await api.pool.query('select xmin, * from book_cursor');
    await look();
    expect((await api.pool.query('select xmin, * from book_cursor')).rows).toEqual(before);
  });
});

test('reminders are as the document types them', async () => {
  const { types, refused } = await judgeEvents(api.pool);
  expect(refused).toEqual([]);
  for (const name of ['expiring', 'expired', 'renewal-unpaid'])
    expect(types).toContain(`tenure.license.${name}`);
});
