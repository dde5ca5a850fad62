import { templateFqn } from '../../domain/ledger.ts';
import { LICENSE } from '../../domain/licensing.ts';
import { statement } from '../sql/statement.ts';

/*
 * Adds contracts of licences to the roll-ups. Each contract is added when it is created. A change that happens only
 * because time passes, such as the end of the paid time, is added at that time in advance. When a contract is archived,
 * the changes that it added in advance and that will not happen are subtracted. So the sum of all rows up to a time is
 * the state at that time, and nothing has to be done when time passes.
 *
 * A contract whose paid time ends when the contract begins was never paid for: it is in its trial, or has not started.
 */

const LICENSE_FQN = templateFqn(LICENSE);

/** SQL: the start of the quarter of an hour that contains a time. */
const quarter = (at: string): string =>
  `date_bin('15 minutes', ${at}, timestamptz '2000-01-01 00:00:00+00')`;

const COUNTED = [
  'began',
  'ended',
  'active',
  'past_due',
  'trial',
  'not_started',
  'expiring',
  'due',
  'renewed',
] as const;

/** SQL: adds the rows of `deltas` to the roll-up. Their columns are those of the roll-up, but their times are exact. */
const ADD = `
  insert into license_tally (provider, at, ${COUNTED.join(', ')})
  select d.provider, ${quarter('d.at')}, ${COUNTED.map((name) => `sum(d.${name})`).join(', ')}
  from deltas d group by 1, 2
  on conflict (provider, at) do update
  set ${COUNTED.map((name) => `${name} = license_tally.${name} + excluded.${name}`).join(', ')}`;

/**
 * SQL: the contracts of licences whose creation or archival is in a range of offsets, with the times that matter for
 * the counts.
 */
const contractsBy = (offset: string): string => `
  select l.id, l.provider, k.created_effective_at as begins, k.created_at_offset, k.archived_at_offset,
         k.archived_effective_at as ends, e.at as expires, e.at > k.created_effective_at as is_paid,
         greatest(k.created_effective_at, e.at - interval '30 days') as expiring,
         k.created_effective_at + make_interval(secs => coalesce((
           select v.trial_ms from license_record r
             cross join lateral plan_in(r.sold ->> 'tenure/plan', r.sold ->> 'tenure/plan-version') p
             join plan_version v on v.provider = r.provider and v.plan_id = p.plan_id and v.version = p.plan_version
           where r.lifecycle_id = l.id), 0) / 1000.0) as tried
  from contract k
    join lineage a on a.contract_id = k.contract_id
    join lifecycle l on l.id = a.lifecycle_id
    cross join lateral (
      select coalesce(nullif(k.payload ->> 'expiresAt', '')::timestamptz, k.created_effective_at) as at) e
  where k.${offset} > $1 and k.${offset} <= $2 and k.template_fqn = '${LICENSE_FQN}' and not k.divulged_only`;

/**
 * SQL: whether the licence of `x` has another contract that was created (or archived) at the offset at which `x` was
 * archived (or created).
 */
const another = (side: string, offset: string): string => `exists (
  select from lineage a join contract n on n.contract_id = a.contract_id
  where a.lifecycle_id = x.id and n.template_fqn = '${LICENSE_FQN}' and n.${side} = x.${offset})`;

/** How a contract changes the counts at one time, by column. */
interface Delta {
  readonly at: string;
  /** SQL: the condition under which the change applies. */
  readonly where: string;
  readonly by: Partial<Record<(typeof COUNTED)[number], 1 | -1>>;
}

const deltasOf = (deltas: readonly Delta[]): string =>
  deltas
    .map(
      ({ at, where, by }) =>
        `select x.provider, ${at} as at, ${COUNTED.map((name) => `${by[name] ?? 0} as ${name}`).join(', ')}
         from x where ${where}`,
    )
    .join(' union all ');

const PAID = 'x.is_paid';
const UNPAID = 'not x.is_paid';
const WITHIN = 'greatest(x.expiring, least(x.ends, x.expires))';

const BEGUN: readonly Delta[] = [
  { at: 'x.begins', where: PAID, by: { active: 1 } },
  { at: 'x.expires', where: PAID, by: { active: -1, past_due: 1, due: 1, expiring: -1 } },
  { at: 'x.expiring', where: PAID, by: { expiring: 1 } },
  { at: 'x.begins', where: UNPAID, by: { trial: 1 } },
  { at: 'x.tried', where: UNPAID, by: { trial: -1, not_started: 1 } },
  {
    at: 'x.begins',
    where: `not ${another('archived_at_offset', 'created_at_offset')}`,
    by: { began: 1 },
  },
];

const OVER: readonly Delta[] = [
  { at: 'least(x.ends, x.expires)', where: PAID, by: { active: -1 } },
  { at: 'x.expires', where: PAID, by: { active: 1, expiring: 1 } },
  { at: 'greatest(x.ends, x.expires)', where: PAID, by: { past_due: -1 } },
  { at: WITHIN, where: PAID, by: { expiring: -1 } },
  { at: 'least(x.ends, x.tried)', where: UNPAID, by: { trial: -1 } },
  { at: 'x.tried', where: UNPAID, by: { trial: 1 } },
  { at: 'greatest(x.ends, x.tried)', where: UNPAID, by: { not_started: -1 } },
  {
    at: 'x.expires',
    where: `${PAID} and ${another('created_at_offset', 'archived_at_offset')}`,
    by: { renewed: 1 },
  },
  {
    at: 'x.ends',
    where: `not ${another('created_at_offset', 'archived_at_offset')}`,
    by: { ended: 1 },
  },
];

export const COUNT_BEGUN = statement<never>(
  'count-begun-licenses',
  `with x as materialized (${contractsBy('created_at_offset')}), deltas as (${deltasOf(BEGUN)}) ${ADD}`,
);

export const COUNT_ENDED = statement<never>(
  'count-ended-licenses',
  `with x as materialized (${contractsBy('archived_at_offset')}), deltas as (${deltasOf(OVER)}) ${ADD}`,
);

/** SQL: the amount of a payment, converted to 30 days. */
const RECURRING = `case when d.extension_ms > 0 then round(d.amount * 2592000000 / d.extension_ms, 10) else 0 end`;

/** Numbers receipts in ledger order, and adds the payments to the counts. */
export const COUNT_PAID = statement<{ count: number }>(
  'count-paid-renewals',
  `with waiting as materialized (
     select p.renewal_id, p.provider, p.ended_offset, p.ended_node from payment p
     where p.state = 'settled' and p.receipt_no is null
     order by p.ended_offset, p.ended_node limit $1 for update skip locked
   ), placed as materialized (
     select w.renewal_id, row_number() over (partition by w.provider order by w.ended_offset, w.ended_node)
              + coalesce((select max(q.receipt_no) from payment q where q.provider = w.provider), 0) as receipt_no
     from waiting w
   ), numbered as (
     update payment p set receipt_no = n.receipt_no from placed n where p.renewal_id = n.renewal_id
     returning p.*
   ), deltas as (
     select d.*, t.at, t.paid, t.paid * d.amount as paid_amount, t.runs * ${RECURRING} as recurring
     from numbered d cross join lateral (values
       (d.ended_at, 1, 0), (d.valid_from, 0, 1), (d.valid_until, 0, -1)) as t(at, paid, runs)
   ), counted as (
     insert into revenue_tally (provider, at, instrument_admin, instrument, plan_id, payments, amount, recurring)
     select d.provider, ${quarter('d.at')}, d.instrument_admin, d.instrument, coalesce(d.plan_id, ''), sum(d.paid),
            sum(d.paid_amount), sum(d.recurring)
     from deltas d group by 1, 2, 3, 4, 5
     on conflict (provider, at, instrument_admin, instrument, plan_id) do update
     set payments = revenue_tally.payments + excluded.payments, amount = revenue_tally.amount + excluded.amount,
         recurring = revenue_tally.recurring + excluded.recurring
   )
   select count(*)::integer as count from numbered`,
);
