import type { Pool } from 'pg';
import { cloudEvent } from '../../app/engine/lanes/events.ts';
import { EVENTS_LEASE } from '../../app/ports/leases.ts';
import type { Io } from '../../app/ports/io.ts';
import type { Deliveries } from '../../app/ports/webhooks.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Sealer } from '../../domain/sealing.ts';
import { UNSEALED, webhookPlace } from '../../domain/sealing.ts';
import { LIMITS } from '../../domain/limits.ts';
import type {
  AfterAttempt,
  Attempted,
  ClaimedDelivery,
  ContentType,
} from '../../domain/webhook.ts';
import { DELIVERIES_CHANNEL } from '../sql/channels.ts';
import { READ_EVENTS } from './events.ts';
import { eventFromRow } from '../rows/event-row.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const POSITION = statement<{ last: bigint; newest: bigint; is_wanted: boolean }>(
  'webhook-position',
  `select c.last, s.last as newest, exists (select from webhook where is_enabled) as is_wanted
   from webhook_cursor c, event_sequence s`,
);

/** Moves the cursor only under the lease, and only if the cursor is where the caller expects it. */
const MOVE = statement<{ last: bigint }>(
  'move-webhook-cursor',
  `with owner as materialized (
     select 1 from lease where name = '${EVENTS_LEASE}' and epoch = $3 for share
   )
   update webhook_cursor c set last = $2 from owner where c.last = $1 returning c.last`,
);

/**
 * Creates deliveries. The condition on types must match `isOfType`. Events of the audit log are delivered only to
 * webhooks that name their type.
 */
const MAKE = statement<{ id: string }>(
  'make-deliveries',
  `insert into delivery (webhook_id, message_id, type, body)
   select w.id, r.message_id, r.type, r.body
   from json_to_recordset($1::json) as r(seq bigint, message_id text, type text, body text, parties text[])
     join webhook w on w.is_enabled and w.party = any(r.parties) and w.after_seq < r.seq
   where cardinality(w.types) = 0 and not starts_with(r.type, 'tenure.audit.') or exists (
     select from unnest(w.types) as t(pattern)
     where r.type = t.pattern or (right(t.pattern, 1) = '*' and starts_with(r.type, left(t.pattern, -1))))
   order by r.seq
   on conflict (webhook_id, message_id) do nothing
   returning id`,
);

interface ClaimedRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly body: string;
  readonly url: string;
  readonly content_type: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly attempts: number;
}

/**
 * Claims deliveries. A failing or slow webhook has one delivery in progress at a time; other webhooks have a few.
 * Webhooks with the fewest deliveries in progress come first, and among those the one that has waited longest. The
 * share of each party is limited, so that its targets cannot use up the capacity for others.
 */
const CLAIM = statement<ClaimedRow>(
  'claim-deliveries',
  `with hand as materialized (
     select h.webhook_id, h.count, h.is_slow, h.turn, w.party
     from json_to_recordset($3::json) as h(webhook_id text, count integer, is_slow boolean, turn bigint)
       join webhook w on w.id = h.webhook_id
   ), due as materialized (
     select p.id, p.due_at, w.party, h.turn, coalesce(h.count, 0) + p.place as nth
     from webhook w
       left join hand h on h.webhook_id = w.id
       cross join lateral (
         select d.id, d.due_at, row_number() over (order by d.due_at) as place from delivery d
         where d.webhook_id = w.id and d.state = 'pending' and d.due_at <= now()
         order by d.due_at
         limit greatest(0, case when w.failures > 0 or h.is_slow then 1 else $2 end - coalesce(h.count, 0))) p
     where w.is_enabled and w.not_before <= now()
   ), ranked as materialized (
     select u.id, u.due_at, u.turn, u.nth,
       coalesce((select sum(h.count) from hand h where h.party = u.party), 0)
         + row_number() over (partition by u.party order by u.nth, u.turn nulls first, u.due_at) as of_party
     from due u
   ), picked as materialized (
     select d.id from ranked r join delivery d on d.id = r.id
     where r.of_party <= $5 and d.state = 'pending' and d.due_at <= now()
     order by r.nth, r.turn nulls first, r.due_at
     limit $1 for update of d skip locked
   )
   update delivery d set attempts = d.attempts + 1, due_at = now() + $4 * interval '1 millisecond'
   from picked p, webhook w where d.id = p.id and w.id = d.webhook_id
   returning d.id, d.webhook_id, d.message_id, d.body, w.url, w.content_type, w.secret, d.attempts,
     case when w.previous_secret_until > now() then w.previous_secret end as previous_secret`,
);

const REPORT = statement<never>(
  'report-delivery',
  `update delivery
   set state = $3, last_at = now(), last_ms = $4, last_status = $5, last_error = $6,
       due_at = now() + $7 * interval '1 millisecond',
       finished_at = case when $3 = 'pending' then null else now() end
   where id = $1 and attempts = $2 and state = 'pending'`,
);

const PUT_OFF = statement<never>(
  'put-off-delivery',
  `update delivery set attempts = attempts - 1, due_at = now() + $3 * interval '1 millisecond'
   where id = $1 and attempts = $2 and state = 'pending'`,
);

const WORKS = statement<never>(
  'webhook-works',
  `update webhook set failures = 0, failing_since = null, not_before = now()
   where id = $1 and failures > 0`,
);

/**
 * SQL: whether the last failure is too old to say anything about the target now. Computed from the row itself, because
 * several deliveries may fail at the same time.
 */
const IS_APART = `coalesce(w.failed_at, w.failing_since, now()) < now() - $7 * interval '1 millisecond'`;
const FAILURES = `case when ${IS_APART} then 0 else w.failures end`;
/**
 * SQL: whether a failed delivery counts as one more failure. A delivery begun before the last counted failure proves
 * nothing new about the target, however late it fails. A claim lasts `$8` ms, so a delivery that is due at some time
 * was begun `$8` ms before.
 */
const IS_ONE_MORE = `(w.failures = 0 or w.failed_at is null or b.at > w.failed_at)`;
const FAILING_SINCE = `case when ${IS_APART} then now() else coalesce(w.failing_since, now()) end`;

/** The pause before the next try doubles, whichever delivery of the webhook failed. */
const FAILS = statement<{ disabled_reason: string | null }>(
  'webhook-fails',
  `with begun as materialized (
     select max(due_at) - $8 * interval '1 millisecond' as at from delivery
     where id = $9 and attempts = $10 and state = 'pending'
   ), load as materialized (
     select count(*) as waiting from (
       select from delivery where webhook_id = $1 and state = 'pending' limit $5 + 1) as d
   ), judged as materialized (
     select case
       when $2 then 'its target answered 410: it wants nothing any more'
       when ${FAILING_SINCE} < now() - $4 * interval '1 millisecond'
         then 'every delivery since ' || to_char(w.failing_since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' has failed'
       when l.waiting > $5 then 'more than ' || $5 || ' deliveries wait for a target that fails'
       end as reason
     from webhook w, load l where w.id = $1
   )
   update webhook w
   set failures = ${FAILURES} + case when ${IS_ONE_MORE} then 1 else 0 end, failing_since = ${FAILING_SINCE},
       failed_at = case when ${IS_ONE_MORE} then now() else w.failed_at end,
       not_before = case when ${IS_ONE_MORE}
         then now() + least($6, $3 * power(2, least(${FAILURES}, 20))) * interval '1 millisecond'
         else w.not_before end,
       is_enabled = w.is_enabled and j.reason is null,
       disabled_reason = case when w.is_enabled then j.reason else w.disabled_reason end
   from judged j, begun b where w.id = $1
   returning case when w.is_enabled then null else j.reason end as disabled_reason`,
);

async function fanOut(session: Session, source: string, epoch: bigint): Promise<boolean | null> {
  const [at] = await session.run(POSITION);
  if (at === undefined || at.last >= at.newest) return false;
  const far = at.last + BigInt(LIMITS.eventBatchMax);
  // If no webhook wants events, no event has to be read.
  const upTo = !at.is_wanted || far > at.newest ? at.newest : far;
  const [moved, rows] = await Promise.all([
    session.run(MOVE, [at.last, upTo, epoch]),
    at.is_wanted ? session.run(READ_EVENTS, [at.last, upTo, null]) : [],
  ]);
  if (moved.length === 0) return null;
  const made = rows.map(eventFromRow).map((event) => ({
    seq: String(event.seq),
    message_id: `evt_${event.seq}`,
    type: event.type,
    body: JSON.stringify(cloudEvent(event, source)),
    parties: event.parties,
  }));
  if (made.length > 0) {
    const found = await session.run(MAKE, [JSON.stringify(made)]);
    if (found.length > 0) session.announce(DELIVERIES_CHANNEL, '');
  }
  return upTo < at.newest;
}

async function report(
  session: Session,
  { id, webhookId, attempt }: ClaimedDelivery,
  { ms, status, error }: Attempted,
  after: AfterAttempt,
): Promise<string | null> {
  const state = { delivered: 'delivered', again: 'pending', 'given-up': 'failed' }[after.kind];
  const delayMs = after.kind === 'delivered' ? 0 : after.delayMs;
  const reported = [id, attempt, state, Math.round(ms), status, error, delayMs];
  if (after.kind === 'delivered') {
    session.send(REPORT, reported);
    session.send(WORKS, [webhookId]);
    return null;
  }
  // Sent before the other statement, because it reads when the try was begun.
  const failed = session.run(FAILS, [
    webhookId,
    after.isGone,
    STORE_LIMITS.webhookPauseMsMin,
    STORE_LIMITS.webhookFailingMsMax,
    STORE_LIMITS.webhookBacklogMax,
    STORE_LIMITS.webhookPauseMsMax,
    STORE_LIMITS.webhookFailuresApartMsMax,
    STORE_LIMITS.webhookClaimMs,
    id,
    attempt,
  ]);
  session.send(REPORT, reported);
  const [row] = await failed;
  return row?.disabled_reason ?? null;
}

/** @param pool opened with `pipelined`; the caller closes it */
export function createDeliveries(pool: Pool, sealer: Sealer = UNSEALED): Deliveries {
  return {
    fanOut: (source, epoch, io: Io) =>
      // If the server crashes and loses this commit, it loses both the cursor and the deliveries, and the deliveries
      // are created again under the same message IDs. Claimed deliveries are not lost, because the commit of their
      // claim came later and was durable.
      transact(pool, io, (session) => fanOut(session, source, epoch), { durable: false }),
    async claim(limit, hands, io) {
      const known = [...hands].map(([webhook_id, { count, isSlow, turn }]) => ({
        webhook_id,
        count,
        is_slow: isSlow,
        turn,
      }));
      const { webhookTriesMax, webhookTriesPerPartyMax, webhookClaimMs } = STORE_LIMITS;
      const values = [
        limit,
        webhookTriesMax,
        JSON.stringify(known),
        webhookClaimMs,
        webhookTriesPerPartyMax,
      ];
      const rows = await onConnection(pool, io, (session) => session.run(CLAIM, values));
      return rows.map((row) => ({
        id: row.id,
        webhookId: row.webhook_id,
        messageId: row.message_id,
        body: row.body,
        url: row.url,
        contentType: row.content_type as ContentType,
        secrets: [row.secret, row.previous_secret].flatMap((secret) =>
          secret === null ? [] : sealer.open(secret, webhookPlace(row.webhook_id)),
        ),
        attempt: row.attempts,
      }));
    },
    async putOff({ id, attempt }, io) {
      const values = [id, attempt, STORE_LIMITS.webhookPutOffMs];
      await onConnection(pool, io, (session) => session.run(PUT_OFF, values));
    },
    report: (delivery, attempted, after, io) =>
      transact(pool, io, (session) => report(session, delivery, attempted, after)),
  };
}
