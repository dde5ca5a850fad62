import type { Pool } from 'pg';
import type { DueSubscription, Subscriptions } from '../../app/ports/subscriptions.ts';
import { SCHEDULER_LEASE } from '../../app/ports/leases.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { ALLOCATION } from '../../domain/licensing.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Subscription, SubscriptionTerms } from '../../domain/subscription.ts';
import { sendCall } from '../engine/audit.ts';
import type { Row } from '../../../migrations/schema.ts';
import { countIn } from '../sql/count.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';
import { readFacts, readTried } from './facts.ts';
import { announcePrices } from './price-changes.ts';

const COLUMNS = [
  'lifecycle_id',
  'provider',
  'app_user',
  'plan_id',
  'offer_before_ms',
  'tries',
  'ends_unpaid',
  'cancelled_at',
  'version',
  'anchor',
] as const;
type SubscriptionRow = Pick<Row<'subscription'>, (typeof COLUMNS)[number]>;
const SUBSCRIPTION = columnsOf('s', COLUMNS);

const OF = statement<SubscriptionRow>(
  'subscription',
  `select ${SUBSCRIPTION} from subscription s where s.lifecycle_id = $1`,
);

/** Each party's list has its own index, from which one page is read, so that neither list reads rows of others. */
const PAGE = statement<SubscriptionRow>(
  'subscriptions',
  `select * from (
     (select ${SUBSCRIPTION} from subscription s where s.provider = $1 and s.lifecycle_id > $2
      order by s.lifecycle_id limit $3)
     union
     (select ${SUBSCRIPTION} from subscription s where s.app_user = $1 and s.lifecycle_id > $2
      order by s.lifecycle_id limit $3)
   ) as s order by s.lifecycle_id limit $3`,
);

const COUNTED = LIMITS.countMax + 1;
const COUNT = statement<{ n: bigint; more: boolean }>(
  'subscription-count',
  `select count(*) as n, false as more from (
     (select s.lifecycle_id from subscription s where s.provider = $1
      order by s.lifecycle_id limit ${COUNTED})
     union
     (select s.lifecycle_id from subscription s where s.app_user = $1
      order by s.lifecycle_id limit ${COUNTED})
   ) as s`,
);

const SET = statement<SubscriptionRow>(
  'set-subscription',
  `insert into subscription as s (lifecycle_id, provider, app_user, plan_id, offer_before_ms, tries, ends_unpaid)
   select $1, $2, $3, $4, $5::bigint, $6::integer, $7::boolean
   where $8::integer[] is null or exists (select from subscription o where o.lifecycle_id = $1)
   on conflict (lifecycle_id) do update
   set plan_id = excluded.plan_id, offer_before_ms = excluded.offer_before_ms, tries = excluded.tries,
       ends_unpaid = excluded.ends_unpaid, cancelled_at = null, version = s.version + 1,
       due_at = '-infinity', wakes = s.wakes + 1
   where $8::integer[] is null or s.version = any($8)
   returning ${SUBSCRIPTION}`,
);

const CANCEL = statement<SubscriptionRow>(
  'cancel-subscription',
  `update subscription s
   set cancelled_at = now(), version = s.version + 1, due_at = '-infinity', wakes = s.wakes + 1
   where s.lifecycle_id = $1 and s.cancelled_at is null
   returning ${SUBSCRIPTION}`,
);

const PROJECTED = statement<{ offset: bigint }>(
  'projected-up-to',
  `select "offset" from query_store_offset where stream = '${UPDATES_STREAM}'`,
);

/** Locks the lease. A process that no longer holds the lease gets no row. */
const OWNER = (epoch: string): string =>
  `owner as materialized (select 1 from lease where name = '${SCHEDULER_LEASE}' and epoch = ${epoch} for share)`;

/** `offset 0` keeps the condition on the template out of the look-up of an allocation: see `settlements.ts`. */
const DUE = statement<Nullable<SubscriptionRow & { wakes: bigint }>>(
  'subscriptions-due',
  `with ${OWNER('$3')}, found as (
     (select ${SUBSCRIPTION}, s.wakes, s.due_at from subscription s
      where s.provider = $1 and s.due_at <= $2::timestamptz and exists (select from owner)
      order by s.due_at, s.lifecycle_id limit $4)
     union
     (select ${SUBSCRIPTION}, s.wakes, s.due_at from subscription s
      where s.provider = $1 and s.offer_id is not null and exists (select from owner) and exists (
        select from (
          select c.template_fqn from contract c
          where c.payload #>> '{allocation,settlement,settlementRef,id}' = s.offer_id
            and c.archived_at_offset is null and not c.divulged_only
          offset 0) as a
        where a.template_fqn = '${templateFqn(ALLOCATION)}')
      order by s.lifecycle_id limit $4)
   )
   select ${columnsOf('f', [...COLUMNS, 'wakes'])} from owner left join found f on true
   order by f.due_at, f.lifecycle_id`,
);

type Nullable<T> = { readonly [Member in keyof T]: T[Member] | null };

/** Returns a row if the process holds the lease, even if the result was outdated and not stored. */
const LOOKED = statement<object>(
  'looked-at-subscription',
  `with ${OWNER('$6')}, written as (
     update subscription s set due_at = $3, offer_id = $4, anchor = $5
     where s.lifecycle_id = $1 and s.wakes = $2 and exists (select from owner)
   )
   select from owner`,
);

const subscriptionFromRow = (row: SubscriptionRow): Subscription => ({
  licenseId: trusted<LifecycleId>(row.lifecycle_id),
  provider: trusted<Party>(row.provider),
  appUser: trusted<Party>(row.app_user),
  planId: row.plan_id,
  offerBeforeMs: Number(row.offer_before_ms),
  tries: row.tries,
  endsUnpaid: row.ends_unpaid,
  anchor: row.anchor,
  cancelledAt: row.cancelled_at,
  version: row.version,
});

async function read(session: Session, license: LifecycleId): Promise<Subscription | null> {
  const [row] = await session.run(OF, [license]);
  return row === undefined ? null : subscriptionFromRow(row);
}

const isFound = (
  row: Nullable<SubscriptionRow & { wakes: bigint }>,
): row is SubscriptionRow & { wakes: bigint } => row.lifecycle_id !== null;

const dueFromRow = (row: SubscriptionRow & { wakes: bigint }): DueSubscription => ({
  subscription: subscriptionFromRow(row),
  wakes: row.wakes,
});

const detailOf = ({ planId, offerBeforeMs, tries, endsUnpaid }: SubscriptionTerms) => ({
  planId,
  offerBeforeMs,
  tries,
  endsUnpaid,
});

/** @param pool opened with `pipelined`; the caller closes it */
export const createSubscriptions = (pool: Pool): Subscriptions => ({
  of: (license, io) => onConnection(pool, io, (session) => read(session, license)),
  async page({ party, after, limit }, io) {
    const values = [party, after ?? '', limit];
    const rows = await onConnection(pool, io, (session) => session.run(PAGE, values));
    return rows.map(subscriptionFromRow);
  },
  count: async (party, io) =>
    countIn(await onConnection(pool, io, (session) => session.run(COUNT, [party]))),
  set: ({ licenseId, provider, appUser }, terms, versions, by, io) =>
    transact(pool, io, async (session) => {
      const { planId, offerBeforeMs, tries, endsUnpaid } = terms;
      const values = [licenseId, provider, appUser, planId, offerBeforeMs, tries, endsUnpaid];
      const [row] = await session.run(SET, [...values, versions ?? null]);
      if (row === undefined) return null;
      sendCall(session, by, 'subscription-set', `license:${licenseId}`, detailOf(terms));
      return subscriptionFromRow(row);
    }),
  cancel: (license, by, io) =>
    transact(pool, io, async (session) => {
      const [row] = await session.run(CANCEL, [license]);
      if (row === undefined) return read(session, license);
      sendCall(session, by, 'subscription-cancelled', `license:${license}`, {});
      return subscriptionFromRow(row);
    }),
  facts: (license, io) => onConnection(pool, io, (session) => readFacts(session, license)),
  tried: (provider, prefixes, io) =>
    onConnection(pool, io, (session) => readTried(session, provider, prefixes)),
  async projectedUpTo(io) {
    const [row] = await onConnection(pool, io, (session) => session.run(PROJECTED, []));
    return row?.offset ?? null;
  },
  async due(provider, ledgerNow, limit, leaseEpoch, io) {
    const values = [provider, ledgerNow, leaseEpoch, limit];
    const rows = await onConnection(pool, io, (session) => session.run(DUE, values));
    return rows.length === 0 ? null : rows.filter(isFound).map(dueFromRow);
  },
  announcePrices: (provider, leaseEpoch, io) => announcePrices(pool, provider, leaseEpoch, io),
  async looked({ licenseId, wakes, dueAt, offerId, anchor }, leaseEpoch, io) {
    const values = [licenseId, wakes, dueAt, offerId, anchor, leaseEpoch];
    const rows = await transact(pool, io, (session) => session.run(LOOKED, values));
    return rows.length > 0;
  },
});
