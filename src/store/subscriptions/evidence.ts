import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { ALLOCATION, LICENSE_RENEWAL_REQUEST } from '../../domain/licensing.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';

/*
 * Reads subscriptions with the facts that decide their next steps, independently of the statements that the clock uses.
 */

type SubscriptionColumns = Pick<
  Row<'subscription'>,
  | 'lifecycle_id'
  | 'provider'
  | 'app_user'
  | 'plan_id'
  | 'offer_before_ms'
  | 'tries'
  | 'ends_unpaid'
  | 'cancelled_at'
  | 'version'
  | 'anchor'
  | 'offer_id'
> & {
  /** 1970-01-01 for a subscription that is due at once. */
  readonly due_at: string | null;
  readonly expires_at: string;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly is_under_way: boolean;
  readonly trial_until: string | null;
  readonly grace_ms: bigint | null;
  readonly suspended_at: string | null;
};

export const WALK_SUBSCRIPTIONS = plannedAnew<SubscriptionColumns>(
  'evidence-walk-subscriptions',
  `select s.lifecycle_id, s.provider, s.app_user, s.plan_id, s.offer_before_ms, s.tries, s.ends_unpaid, s.cancelled_at,
     s.version, s.anchor, s.offer_id, case when s.due_at = '-infinity' then to_timestamp(0) else s.due_at end as due_at,
     l.expires_at, l.created_at, l.ended_at, h.trial_until, h.grace_ms, r.suspended_at,
     exists (select from change c where c.lane = l.lane and c.finished_at is null) as is_under_way
   from subscription s
     join lifecycle l on l.id = s.lifecycle_id and l.expires_at is not null
     left join lifecycle_hold h on h.lifecycle_id = s.lifecycle_id
     left join license_record r on r.lifecycle_id = s.lifecycle_id
   order by s.lifecycle_id`,
);

const RENEWALS = plannedAnew<{
  license_id: string;
  id: string;
  state: string;
  created_at: string;
  ended_at: string | null;
  settle_before: string | null;
  payload: JsonRecord | null;
  recorded_at: string | null;
  allocations: readonly { readonly contractId: string; readonly view: JsonRecord }[] | null;
}>(
  'evidence-renewals-of-subscriptions',
  `select o.id as license_id, r.id, r.state, r.created_at, r.ended_at, r.context ->> 'settleBefore' as settle_before,
     k.payload, c.accepted_at as recorded_at,
     (select jsonb_agg(jsonb_build_object('contractId', a.contract_id, 'view', a.payload))
      from (select n.* from contract n
            where r.ended_at is null and n.archived_at_offset is null and not n.divulged_only
              and n.payload #>> '{allocation,settlement,settlementRef,id}' = k.payload ->> 'requestId'
            offset 0) as a
      where a.template_fqn = '${templateFqn(ALLOCATION)}'
        and a.payload #>> '{allocation,transferLeg,sender}' = r.app_user) as allocations
   from unnest($1::text[]) as given(id) join lifecycle o on o.id = given.id
     cross join lateral (
       select l.* from lifecycle l where l.lane = o.lane and l.kind = 'renewal' and l.origin_id = o.id
       order by coalesce(l.ended_at, 'infinity') desc limit ${STORE_LIMITS.subscriptionFactsMax}) as r
     left join contract k
       on k.contract_id = r.contract_id and k.template_fqn = '${templateFqn(LICENSE_RENEWAL_REQUEST)}'
     left join change c on c.act_as = r.provider and c.command_id = k.payload ->> 'requestId'
   order by o.id, coalesce(r.ended_at, 'infinity') desc, r.id`,
);

type RenewalColumns = Awaited<ReturnType<typeof readRenewals>>[number];

const readRenewals = async (session: Session, ids: readonly string[]) =>
  session.run(RENEWALS, [ids]);

const renewalOf = (row: RenewalColumns) => ({
  renewalId: trusted<LifecycleId>(row.id),
  state: row.state,
  createdAt: row.created_at,
  recordedAt: row.recorded_at,
  endedAt: row.ended_at,
  settleBefore: row.settle_before ?? '',
  payload: row.payload ?? {},
  allocations: (row.allocations ?? []).map(({ contractId, view }) => ({
    contractId: trusted<ContractId>(contractId),
    view,
  })),
});

const subscriptionOf = (row: SubscriptionColumns) => ({
  licenseId: trusted<LifecycleId>(row.lifecycle_id),
  provider: trusted<Party>(row.provider),
  appUser: trusted<Party>(row.app_user),
  planId: row.plan_id,
  offerBeforeMs: Number(row.offer_before_ms),
  tries: row.tries,
  endsUnpaid: row.ends_unpaid,
  cancelledAt: row.cancelled_at,
  version: row.version,
  anchor: row.anchor,
});

/** Adds to a page of subscriptions the facts about their licences. */
export async function subscriptionEvidence(session: Session, rows: readonly SubscriptionColumns[]) {
  const renewals = await readRenewals(
    session,
    rows.map((row) => row.lifecycle_id),
  );
  const byLicense = Map.groupBy(renewals, (row) => row.license_id);
  return rows.map((row) => ({
    dueAt: row.due_at,
    offerId: row.offer_id,
    suspendedAt: row.suspended_at,
    facts: {
      subscription: subscriptionOf(row),
      expiresAt: row.expires_at,
      createdAt: row.created_at,
      endedAt: row.ended_at,
      isUnderWay: row.is_under_way,
      isSuspended: row.suspended_at !== null,
      trialUntilMs: row.trial_until === null ? null : Date.parse(row.trial_until),
      graceMs: Number(row.grace_ms ?? 0n),
      renewals: (byLicense.get(row.lifecycle_id) ?? []).map(renewalOf),
    },
  }));
}
