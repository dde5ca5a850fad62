import type { Pool } from 'pg';
import type {
  BookReads,
  LicenseFigures,
  PaymentSum,
  RevenueFigures,
  Span,
} from '../../app/ports/books.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import { ask } from '../sql/ask.ts';
import { countIn } from '../sql/count.ts';
import { plannedAnew, statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';
import {
  onePayment,
  paymentCount,
  paymentFromRow,
  paymentsPage,
  rowOfPayment,
} from './payments.ts';

/*
 * Reads statistics as sums over the roll-ups: of the rows between two times, and of all rows before. The roll-ups have
 * a row for each quarter of an hour in which something changed, so at most 35,040 a year, whatever the number of
 * licences.
 */

/**
 * SQL: the periods of a span with their begins and ends, up to the present. $2 is a step, $3 and $4 are dates, $5 is a
 * time zone.
 */
const PERIODS = `
  instant as materialized (select record_time as now from query_store_offset where stream = '${UPDATES_STREAM}'),
  periods as materialized (
    select to_char(p.at, case $2 when 'month' then 'YYYY-MM' else 'YYYY-MM-DD' end) as period,
           p.at at time zone $5 as begins,
           least((p.at + ('1 ' || $2)::interval) at time zone $5, i.now + interval '1 microsecond') as ends
    from instant i, generate_series($3::timestamp, $4::timestamp - interval '1 day', ('1 ' || $2)::interval) as p(at)
    where p.at at time zone $5 <= i.now
  )`;

const STOCKS = ['active', 'trial', 'past_due', 'not_started', 'expiring'] as const;
const FLOWS = ['began', 'ended', 'due', 'renewed'] as const;

const summed = (columns: readonly string[]): string =>
  columns.map((column) => `coalesce(sum(t.${column}), 0) as ${column}`).join(', ');

type Counted = Record<(typeof STOCKS)[number] | (typeof FLOWS)[number], bigint>;

const LICENSES = plannedAnew<Counted & { readonly period: string }>(
  'license-figures',
  `with ${PERIODS},
   before as materialized (
     select ${summed(STOCKS)} from license_tally t
     where t.provider = $1 and t.at < (select min(p.begins) from periods p)
   ), within as materialized (
     select p.period, p.begins, s.* from periods p cross join lateral (
       select ${summed([...STOCKS, ...FLOWS])} from license_tally t
       where t.provider = $1 and t.at >= p.begins and t.at < p.ends) s
   )
   select w.period, ${STOCKS.map((name) => `(b.${name} + sum(w.${name}) over (order by w.begins))::bigint as ${name}`).join(', ')},
          ${FLOWS.map((name) => `w.${name}::bigint as ${name}`).join(', ')}
   from within w, before b order by w.begins`,
);

interface RevenueRow {
  readonly period: string;
  readonly instrument_admin: string;
  readonly instrument: string;
  readonly payments: bigint;
  readonly amount: string;
  readonly recurring: string;
}

const REVENUE = plannedAnew<RevenueRow>(
  'revenue-figures',
  `with ${PERIODS},
   before as materialized (
     select t.instrument_admin, t.instrument, sum(t.recurring) as recurring from revenue_tally t
     where t.provider = $1 and t.at < (select min(p.begins) from periods p) group by 1, 2
   ), within as materialized (
     select p.period, p.begins, s.* from periods p cross join lateral (
       select t.instrument_admin, t.instrument, sum(t.payments) as payments, sum(t.amount) as amount,
              sum(t.recurring) as recurring
       from revenue_tally t where t.provider = $1 and t.at >= p.begins and t.at < p.ends group by 1, 2) s
   ), instruments as (
     select instrument_admin, instrument from before union select instrument_admin, instrument from within
   )
   select * from (
     select p.period, i.instrument_admin, i.instrument, coalesce(w.payments, 0)::bigint as payments,
            trim_scale(coalesce(w.amount, 0))::text as amount,
            trim_scale(coalesce(b.recurring, 0) + sum(coalesce(w.recurring, 0)) over (
              partition by i.instrument_admin, i.instrument order by p.begins))::text as recurring
     from periods p cross join instruments i
       left join within w on w.period = p.period and w.instrument_admin = i.instrument_admin
         and w.instrument = i.instrument
       left join before b on b.instrument_admin = i.instrument_admin and b.instrument = i.instrument) x
   where x.payments <> 0 or x.recurring <> '0' order by x.period, x.instrument_admin, x.instrument`,
);

interface SumRow {
  readonly key: string;
  readonly instrument_admin: string;
  readonly instrument: string;
  readonly payments: bigint;
  readonly amount: string;
}

const sumsBy = (key: string): string =>
  `select ${key} as key, t.instrument_admin, t.instrument, sum(t.payments)::bigint as payments,
          trim_scale(sum(t.amount))::text as amount
   from revenue_tally t
   where t.provider = $1 and t.at >= $2::timestamp at time zone $4 and t.at < $3::timestamp at time zone $4
   group by 1, 2, 3 having sum(t.payments) <> 0 order by 1, 2, 3`;

const SUMS = {
  month: plannedAnew<SumRow>(
    'payments-by-month',
    sumsBy(`to_char(t.at at time zone $4, 'YYYY-MM')`),
  ),
  plan: plannedAnew<SumRow>('payments-by-plan', sumsBy('t.plan_id')),
};

const READ_TO = statement<{ record_time: string | null }>(
  'books-read-to',
  `select case when s."offset" = c.read_to then s.record_time else u.effective_at end as record_time
   from book_cursor c join query_store_offset s on s.stream = '${UPDATES_STREAM}'
     left join lateral (
       select x.effective_at from ledger_update x where x."offset" <= c.read_to order by x."offset" desc limit 1) u on true`,
);

const valuesOf = (provider: string, { by, from, until, timeZone }: Span): string[] => [
  provider,
  by,
  from,
  until,
  timeZone,
];

const instrumentOf = (row: Pick<RevenueRow, 'instrument_admin' | 'instrument'>) => ({
  admin: row.instrument_admin,
  id: row.instrument,
});

const licenseFigures = (row: Counted & { readonly period: string }): LicenseFigures => ({
  period: row.period,
  active: Number(row.active),
  trial: Number(row.trial),
  pastDue: Number(row.past_due),
  notStarted: Number(row.not_started),
  expiringIn30Days: Number(row.expiring),
  new: Number(row.began),
  ended: Number(row.ended),
  due: Number(row.due),
  renewed: Number(row.renewed),
});

const revenueFigures = (row: RevenueRow): RevenueFigures => ({
  period: row.period,
  instrument: instrumentOf(row),
  payments: Number(row.payments),
  amount: row.amount,
  recurring: row.recurring,
});

const paymentSum = (row: SumRow): PaymentSum => ({
  key: row.key,
  instrument: instrumentOf(row),
  payments: Number(row.payments),
  amount: row.amount,
});

/** @param pool opened with `pipelined`; the caller closes it */
export const createBookReads = (pool: Pool): BookReads => ({
  async payments(query, io) {
    const page = paymentsPage(query);
    if (page === null) return [];
    const rows = await ask(pool, io, (session) => session.ask(page));
    return rows.map(rowOfPayment);
  },
  async countPayments(query, io) {
    const counts = paymentCount(query);
    return countIn(counts === null ? [] : await ask(pool, io, (session) => session.ask(counts)));
  },
  async payment(renewalId, party, io) {
    const [row] = await onConnection(pool, io, (session) =>
      session.ask(onePayment(renewalId, party)),
    );
    return row === undefined ? null : paymentFromRow(row);
  },
  async sums(provider, { from, until, timeZone }, by, io) {
    const rows = await ask(pool, io, (session) =>
      session.run(SUMS[by], [provider, from, until, timeZone]),
    );
    return rows.map(paymentSum);
  },
  async licenses(provider, span, io) {
    const values = valuesOf(provider, span);
    const rows = await ask(pool, io, (session) => session.run(LICENSES, values));
    return rows.map(licenseFigures);
  },
  async revenue(provider, span, io) {
    const values = valuesOf(provider, span);
    const rows = await ask(pool, io, (session) => session.run(REVENUE, values));
    return rows.map(revenueFigures);
  },
  async readTo(io) {
    const [row] = await onConnection(pool, io, (session) => session.run(READ_TO));
    return row?.record_time ?? null;
  },
});
