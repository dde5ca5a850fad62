import { SCHEDULER_LEASE } from '../../app/ports/leases.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { LICENSE } from '../../domain/licensing.ts';
import { STORE_LIMITS } from '../limits.ts';
import { ARRIVALS_CHANNEL } from '../sql/channels.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

/*
 * Announces events that happen only because time passes. Each read begins at the time at which the last one ended, and
 * uses an index of licences by expiry and one of payments. The clock is the record time of the last update, so that
 * every renewal which the ledger recorded by that time is already stored.
 */

/** SQL: the days before the end of a licence at which it has a reminder; 0 is the end itself. */
const DAYS = `(select d from unnest($2::integer[]) d union select 0)`;

const apart = (days: string): string => `make_interval(days => ${days})`;

/**
 * SQL: whether a renewal was not paid before its window closed. A renewal that was withdrawn earlier does not count as
 * unpaid.
 */
const UNPAID = `p.state <> 'settled' and (p.ended_at is null or p.state = 'rejected' or p.ended_at >= p.settle_before)`;

/** SQL, where `c` is the cursor and `s` the stream of updates: whether a reminder may be due. Reads few rows. */
export const REMINDERS_DUE = `
  (s.record_time is not null and (c.reminded_to is null
   or exists (
     select from ${DAYS} as days(d) cross join lateral (
       select from lifecycle l
       where l.provider = $1 and l.ended_at is null and l.expires_at is not null
         and l.expires_at > c.reminded_to + ${apart('days.d')} and l.expires_at <= s.record_time + ${apart('days.d')}
       limit 1) as one)
   or exists (
     select from payment p where p.provider = $1 and p.settle_before > c.reminded_to
       and p.settle_before <= s.record_time and ${UNPAID})
   or exists (
     select from payment p where p.provider = $1 and p.valid_until > c.reminded_to
       and p.valid_until <= s.record_time)))`;

const TAKE = statement<{ reminded_to: string | null; ends: string }>(
  'take-reminders',
  `with owner as materialized (
     select 1 from lease where name = '${SCHEDULER_LEASE}' and epoch = $1 for share
   )
   select c.reminded_to, s.record_time as ends from book_cursor c, query_store_offset s
   where s.stream = '${UPDATES_STREAM}' and s.record_time is not null and exists (select from owner)
   for update of c skip locked`,
);

interface Due {
  readonly lifecycle_id: string;
  readonly cause: string;
  readonly due_at: string;
  readonly license_id: string | null;
  readonly license_num: bigint | null;
  readonly app_user: string;
  readonly expires_at: string;
}

/**
 * Finds the due reminders. A licence that a policy ends as soon as it lapses is no longer active, so it is found by its
 * last payment.
 *
 * A reminder is skipped if its time is before the licence was created or last renewed: a licence that was renewed for a
 * week gets no reminder 30 days before its end.
 */
const DUE = statement<Due>(
  'reminders-due',
  `select * from (
     (select l.id as lifecycle_id, case when days.d = 0 then 'expired' else 'expiring-' || days.d end as cause,
             l.expires_at - ${apart('days.d')} as due_at, l.id as license_id, l.license_num, l.app_user, l.expires_at
      from ${DAYS} as days(d) cross join lateral (
        select l.* from lifecycle l
          join contract k on k.contract_id = l.contract_id and k.template_fqn = '${templateFqn(LICENSE)}'
        where l.provider = $1 and l.ended_at is null and l.expires_at is not null
          and l.expires_at > $3::timestamptz + ${apart('days.d')} and l.expires_at <= $4::timestamptz + ${apart('days.d')}
          and k.created_effective_at < l.expires_at - ${apart('days.d')}
          and not exists (select from reminder m where m.lifecycle_id = l.id
            and m.cause = case when days.d = 0 then 'expired' else 'expiring-' || days.d end
            and m.due_at = l.expires_at - ${apart('days.d')})
        order by l.expires_at limit $5) as l)
     union all
     (select l.id, 'expired', l.expires_at, l.id, l.license_num, l.app_user, l.expires_at
      from payment p join lifecycle l on l.id = p.license_id
      where p.provider = $1 and p.valid_until > $3::timestamptz and p.valid_until <= $4::timestamptz
        and l.ended_at is not null and l.expires_at = p.valid_until
        and not exists (select from reminder m where m.lifecycle_id = l.id and m.cause = 'expired'
          and m.due_at = l.expires_at)
      order by p.valid_until limit $5)
     union all
     (select p.renewal_id, 'renewal-unpaid', p.settle_before, p.license_id, p.license_num, p.app_user, p.settle_before
      from payment p
      where p.provider = $1 and p.settle_before > $3::timestamptz and p.settle_before <= $4::timestamptz and ${UNPAID}
        and not exists (select from reminder m where m.lifecycle_id = p.renewal_id and m.cause = 'renewal-unpaid'
          and m.due_at = p.settle_before)
      order by p.settle_before limit $5)
   ) as due order by due.due_at, due.lifecycle_id, due.cause limit $5`,
);

const RECORD = statement<never>(
  'record-reminders',
  `insert into reminder (lifecycle_id, cause, due_at)
   select r.* from json_to_recordset($1::json) as r(lifecycle_id text, cause text, due_at timestamptz)
   on conflict do nothing`,
);

const TELL = statement<never>('tell-reminders', 'insert into arrival (events) values ($1)');

const MOVE = statement<never>(
  'move-reminders',
  `with old as (
     select m.lifecycle_id, m.cause, m.due_at from reminder m
     where m.due_at < $1::timestamptz - make_interval(days => ${STORE_LIMITS.reminderDaysKept})
     order by m.due_at limit ${STORE_LIMITS.remindersMax}
   ), gone as (
     delete from reminder m using old o
     where m.lifecycle_id = o.lifecycle_id and m.cause = o.cause and m.due_at = o.due_at
   )
   update book_cursor set reminded_to = greatest(reminded_to, $1::timestamptz - make_interval(secs => $2))`,
);

const TYPES = {
  expired: 'tenure.license.expired',
  'renewal-unpaid': 'tenure.license.renewal-unpaid',
} as const;

function eventOf(due: Due, provider: Party): NewEvent {
  const { cause } = due;
  const days = /^expiring-(\d+)$/u.exec(cause)?.[1];
  const isUnpaid = cause === 'renewal-unpaid';
  return {
    type: isUnpaid || cause === 'expired' ? TYPES[cause] : 'tenure.license.expiring',
    subject: due.license_id ?? due.lifecycle_id,
    lifecycleId: trusted<LifecycleId>(due.license_id ?? due.lifecycle_id),
    parties: [...new Set([provider, trusted<Party>(due.app_user)])],
    data: {
      ...(due.license_id === null ? {} : { licenseId: due.license_id }),
      licenseNum: due.license_num === null ? null : Number(due.license_num),
      provider,
      user: due.app_user,
      ...(isUnpaid
        ? { renewalId: due.lifecycle_id, settleBefore: due.expires_at }
        : { expiresAt: due.expires_at }),
      ...(days === undefined ? {} : { daysBefore: Number(days) }),
    },
  };
}

const arrivalOf = ({ type, subject, lifecycleId, parties, data }: NewEvent) => ({
  type,
  subject,
  lifecycle_id: lifecycleId,
  parties,
  data,
});

/** Announces the due reminders, in the transaction that records them. */
export async function remind(
  session: Session,
  asked: {
    readonly reminderDays: readonly number[];
    readonly provider: Party;
    readonly leaseEpoch: bigint;
  },
): Promise<{ readonly told: number; readonly hasMore: boolean } | null> {
  const [taken] = await session.run(TAKE, [asked.leaseEpoch]);
  if (taken === undefined) return null;
  const from = taken.reminded_to ?? taken.ends;
  const limit = STORE_LIMITS.remindersMax;
  const due = await session.run(DUE, [asked.provider, asked.reminderDays, from, taken.ends, limit]);
  if (due.length > 0) {
    await session.run(RECORD, [JSON.stringify(due.map((row) => ({ ...row, license_num: null })))]);
    const events = due.map((row) => arrivalOf(eventOf(row, asked.provider)));
    await session.run(TELL, [JSON.stringify(events)]);
    session.announce(ARRIVALS_CHANNEL, '');
  }
  const hasMore = due.length === limit;
  const last = hasMore ? due.at(-1) : undefined;
  await session.run(
    MOVE,
    last === undefined ? [taken.ends, 0] : [last.due_at, STORE_LIMITS.reminderMomentS],
  );
  return { told: due.length, hasMore };
}
