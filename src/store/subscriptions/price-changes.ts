import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { SCHEDULER_LEASE } from '../../app/ports/leases.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { PlanTerms } from '../../domain/plan.ts';
import { STORE_LIMITS } from '../limits.ts';
import { ARRIVALS_CHANNEL } from '../sql/channels.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

/*
 * Announces a changed price of a plan to each licence that renews itself under the plan. The plan's version stores the
 * position in the list of subscriptions that the announcement has reached. The position advances in the transaction
 * that adds the events, so that each licence gets one event for each version.
 */

const IS_LEFT = `v.provider = $1 and v.announced_after is not null`;

const LEFT = statement<{ is_left: boolean }>(
  'prices-left',
  `select exists (select from plan_version v where ${IS_LEFT}) as is_left`,
);

const TAKE = statement<{
  plan_id: string;
  version: number;
  announced_after: string;
  terms: PlanTerms;
}>(
  'take-price',
  `with owner as materialized (
     select 1 from lease where name = '${SCHEDULER_LEASE}' and epoch = $2 for share
   )
   select v.plan_id, v.version, v.announced_after, v.terms from plan_version v
   where ${IS_LEFT} and exists (select from owner)
   order by v.plan_id, v.version limit 1 for update of v`,
);

/** Licences are skipped if they have this price already, are cancelled, or are renewed under another plan. */
const NEXT = statement<{
  lifecycle_id: string;
  app_user: string;
  terms: PlanTerms | null;
  is_meant: boolean;
}>(
  'next-of-price',
  `select s.lifecycle_id, s.app_user, v.terms,
     s.cancelled_at is null and coalesce(s.plan_id, r.plan_id) = $2 and p.version = $3 as is_meant
   from (select * from subscription s where s.provider = $1 and s.lifecycle_id > $4
         order by s.lifecycle_id limit ${STORE_LIMITS.priceBatchMax}) as s
     join plan p on p.provider = s.provider and p.id = $2
     left join license_record r on r.lifecycle_id = s.lifecycle_id
     left join plan_version v on v.provider = r.provider and v.plan_id = r.plan_id and v.version = r.plan_version
   order by s.lifecycle_id`,
);

const TELL = statement<never>('tell-prices', 'insert into arrival (events) values ($1)');

const MOVE = statement<never>(
  'move-price',
  `update plan_version set announced_after = $4 where provider = $1 and plan_id = $2 and version = $3`,
);

const priceOf = ({ fee, instrument, period }: PlanTerms) => ({ fee, instrument, period });

const isSamePrice = (before: PlanTerms | null, now: PlanTerms): boolean =>
  before !== null && JSON.stringify(priceOf(before)) === JSON.stringify(priceOf(now));

interface Announced {
  readonly licenseId: LifecycleId;
  readonly user: Party;
  readonly before: PlanTerms | null;
}

const arrivalOf = (
  provider: Party,
  plan: { readonly id: string; readonly version: number; readonly terms: PlanTerms },
  { licenseId, user, before }: Announced,
): Omit<NewEvent, 'lifecycleId'> & { readonly lifecycle_id: string } => ({
  type: 'tenure.license.price-changed',
  subject: licenseId,
  lifecycle_id: licenseId,
  parties: [...new Set([provider, user])],
  data: {
    licenseId,
    provider,
    user,
    plan: { id: plan.id, version: plan.version },
    ...priceOf(plan.terms),
    before: before === null ? null : priceOf(before),
  },
});

async function announceSome(
  session: Session,
  provider: Party,
  leaseEpoch: bigint,
): Promise<boolean | null> {
  const [taken] = await session.run(TAKE, [provider, leaseEpoch]);
  // If no version is left now, another process has announced it, so this process no longer holds the lease.
  if (taken === undefined) return null;
  const { plan_id: id, version, terms, announced_after: after } = taken;
  const rows = await session.run(NEXT, [provider, id, version, after]);
  const plan = { id, version, terms };
  const events = rows
    .filter((row) => row.is_meant && !isSamePrice(row.terms, terms))
    .map((row) =>
      arrivalOf(provider, plan, {
        licenseId: trusted<LifecycleId>(row.lifecycle_id),
        user: trusted<Party>(row.app_user),
        before: row.terms,
      }),
    );
  if (events.length > 0) {
    session.send(TELL, [JSON.stringify(events)]);
    session.announce(ARRIVALS_CHANNEL, '');
  }
  const isLast = rows.length < STORE_LIMITS.priceBatchMax;
  await session.run(MOVE, [provider, id, version, isLast ? null : rows.at(-1)?.lifecycle_id]);
  return true;
}

/** See `Subscriptions.announcePrices`. */
export async function announcePrices(
  pool: Pool,
  provider: Party,
  leaseEpoch: bigint,
  io: Io,
): Promise<boolean | null> {
  const [found] = await onConnection(pool, io, (session) => session.run(LEFT, [provider]));
  if (found?.is_left !== true) return false;
  return transact(pool, io, (session) => announceSome(session, provider, leaseEpoch));
}
