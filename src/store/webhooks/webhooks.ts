import type { Pool } from 'pg';
import type { NewWebhook, WebhookPatch, Webhooks } from '../../app/ports/webhooks.ts';
import type { Actor } from '../../domain/caller.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { isUuid } from '../../domain/ids.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Sealer } from '../../domain/sealing.ts';
import { UNSEALED, webhookPlace } from '../../domain/sealing.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Delivery, Webhook } from '../../domain/webhook.ts';
import { CONTENT_TYPES, DISABLED_BY_PARTY } from '../../domain/webhook.ts';
import { sendCall } from '../engine/audit.ts';
import { DELIVERIES_CHANNEL } from '../sql/channels.ts';
import { deleteInParts } from '../sql/parts.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, membersOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const webhook = membersOf('w', [
  'id',
  'party',
  'created_by',
  'url',
  'types',
  'content_type',
  'created_at',
  'disabled_reason',
  'failures',
  'failing_since',
]);

type DeliveryRow = Omit<Row<'delivery'>, 'webhook_id'>;
const delivery = columnsOf('d', [
  'id',
  'message_id',
  'type',
  'body',
  'state',
  'attempts',
  'created_at',
  'due_at',
  'finished_at',
  'last_at',
  'last_ms',
  'last_status',
  'last_error',
]);

/**
 * Two concurrent adds may exceed the maximum number of webhooks, because neither sees the other. That is accepted: the
 * maximum limits size, and is not a promise. A tenant that is being removed gets no webhook. The row with the last
 * number is locked until the commit, so that the webhook gets all events numbered later, and the webhook cursor is not
 * moved past them.
 */
const ADD = statement<Webhook>(
  'add-webhook',
  `with owner as materialized (select tenant_id from tenant where tenant_id = $8 for key share)
   insert into webhook as w (id, party, created_by, url, types, secret, after_seq, tenant_id, content_type)
   select $1, $2, $3, $4, $5::text[], $6, s.last, $8::text, $9 from event_sequence s
   where (select count(*) from webhook where party = $2) < $7
     and ($8::text is null or exists (select from owner))
   for share of s
   returning ${webhook}`,
);

const LIST = statement<Webhook>(
  'webhooks',
  `select ${webhook} from webhook w where w.party = $1 order by w.created_at, w.id`,
);

const BY_ID = statement<Webhook>(
  'webhook',
  `select ${webhook} from webhook w where w.id = $1 and w.party = $2`,
);

const PATCH = statement<Webhook>(
  'patch-webhook',
  `update webhook w
   set url = coalesce($3, w.url), types = coalesce($4::text[], w.types),
       content_type = coalesce($6, w.content_type),
       is_enabled = coalesce($5, w.is_enabled),
       disabled_reason = case when $5 is null then w.disabled_reason when $5 then null
                              else coalesce(w.disabled_reason, '${DISABLED_BY_PARTY}') end,
       failures = case when $5 then 0 else w.failures end,
       failing_since = case when $5 then null else w.failing_since end,
       not_before = case when $5 then now() else w.not_before end
   where w.id = $1 and w.party = $2
   returning ${webhook}`,
);

/** Runs before `REMOVE`, which then deletes only the deliveries that were added since. */
const REMOVE_DELIVERIES = statement<{ id: string }>(
  'remove-deliveries',
  `delete from delivery d
   where d.id in (
     select o.id from webhook w join delivery o on o.webhook_id = w.id
     where w.id = $1 and w.party = $2 limit ${STORE_LIMITS.partMax})
   returning d.id`,
);

const REMOVE = statement<{ url: string }>(
  'remove-webhook',
  'delete from webhook where id = $1 and party = $2 returning url',
);

const ROTATE = statement<{ until: string }>(
  'rotate-webhook',
  `update webhook set previous_secret = secret, secret = $3,
     previous_secret_until = now() + $4 * interval '1 millisecond'
   where id = $1 and party = $2 returning previous_secret_until as until`,
);

const deliveries = (beyond: '<' | '>', way: 'asc' | 'desc'): string =>
  `select ${delivery} from delivery d
   where d.webhook_id = $1 and ($2::timestamptz is null or (d.created_at, d.id) ${beyond} ($2, $3::uuid))
   order by d.created_at ${way}, d.id ${way} limit $4`;

const DELIVERIES = {
  descending: statement<DeliveryRow>('deliveries', deliveries('<', 'desc')),
  ascending: statement<DeliveryRow>('oldest-deliveries', deliveries('>', 'asc')),
};

const REDELIVER = statement<DeliveryRow>(
  'redeliver',
  `update delivery d set state = 'pending', attempts = 0, due_at = now(), finished_at = null
   where d.webhook_id = $1 and d.id = $2::uuid returning ${delivery}`,
);

/** The lock keeps the webhook until the delivery is inserted; a deleted webhook gets none. */
const DELIVER = statement<DeliveryRow>(
  'deliver',
  `insert into delivery as d (webhook_id, message_id, type, body)
   select w.id, $2, $3, $4 from webhook w
   where w.id = $1
     and (select count(*) from delivery where webhook_id = $1 and state = 'pending' and type = $3) < $5
   for key share of w
   returning ${delivery}`,
);

const deliveryFromRow = (row: DeliveryRow): Delivery => ({
  id: row.id,
  messageId: row.message_id,
  type: row.type,
  body: row.body,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  dueAt: row.due_at,
  finishedAt: row.finished_at,
  last:
    row.last_at === null
      ? null
      : { at: row.last_at, ms: row.last_ms ?? 0, status: row.last_status, error: row.last_error },
});

/**
 * Returns what the audit log records of a URL: only the host, because the whole URL may contain a secret. The target of
 * mails has no host, so it is recorded as a whole.
 */
const hostOf = (url: string): string => new URL(url).host || url;

const told = (session: Session, by: Actor, what: string, id: string, detail: JsonRecord): void =>
  sendCall(session, by, `webhook-${what}`, `webhook:${id}`, detail);

async function add(session: Session, sealer: Sealer, added: NewWebhook): Promise<Webhook | null> {
  const { id, party, createdBy, url, types, tenantId, contentType = CONTENT_TYPES[0] } = added;
  const secret = sealer.seal(added.secret, webhookPlace(id));
  const most = added.most ?? LIMITS.webhooksPerPartyMax;
  const owned = [most, tenantId, contentType];
  const [row] = await session.run(ADD, [id, party, createdBy, url, types, secret, ...owned]);
  if (row === undefined) return null;
  const detail = { target: hostOf(url), types: [...types] };
  told(session, { party, subject: createdBy }, 'created', id, detail);
  return row;
}

async function patch(
  session: Session,
  id: string,
  by: Actor,
  { url, types, isEnabled, contentType }: WebhookPatch,
): Promise<Webhook | null> {
  const asked = [url ?? null, types ?? null, isEnabled ?? null, contentType ?? null];
  const [row] = await session.run(PATCH, [id, by.party, ...asked]);
  if (row === undefined) return null;
  told(session, by, 'changed', id, {
    ...(url === undefined ? {} : { target: hostOf(url) }),
    ...(types === undefined ? {} : { types: [...types] }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(isEnabled === undefined ? {} : { enabled: isEnabled }),
  });
  return row;
}

/** @param pool opened with `pipelined`; the caller closes it */
export function createWebhooks(pool: Pool, sealer: Sealer = UNSEALED): Webhooks {
  return {
    add: (added, io) => transact(pool, io, (session) => add(session, sealer, added)),
    list: (party, io) => onConnection(pool, io, (session) => session.run(LIST, [party])),
    async byId(id, party, io) {
      const [row] = await onConnection(pool, io, (session) => session.run(BY_ID, [id, party]));
      return row ?? null;
    },
    patch: (id, by, asked, io) => transact(pool, io, (session) => patch(session, id, by, asked)),
    async remove(id, by, io) {
      await deleteInParts(pool, REMOVE_DELIVERIES, [id, by.party], io);
      return transact(pool, io, async (session) => {
        const [row] = await session.run(REMOVE, [id, by.party]);
        if (row === undefined) return false;
        told(session, by, 'deleted', id, { target: hostOf(row.url) });
        return true;
      });
    },
    rotate: (id, by, secret, io) =>
      transact(pool, io, async (session) => {
        const sealed = sealer.seal(secret, webhookPlace(id));
        const values = [id, by.party, sealed, STORE_LIMITS.webhookRotationMs];
        const [row] = await session.run(ROTATE, values);
        if (row === undefined) return null;
        told(session, by, 'secret-rotated', id, { previousSecretUntil: row.until });
        return row.until;
      }),
    async deliveries(id, { after, limit, order = 'descending' }, io) {
      const values = [id, after?.createdAt ?? null, after?.id ?? null, limit];
      const rows = await onConnection(pool, io, (session) =>
        session.run(DELIVERIES[order], values),
      );
      return rows.map(deliveryFromRow);
    },
    redeliver: async (id, deliveryId, by, io) => {
      if (!isUuid(deliveryId)) return null;
      return transact(pool, io, async (session) => {
        const [row] = await session.run(REDELIVER, [id, deliveryId]);
        if (row === undefined) return null;
        told(session, by, 'redelivered', id, { deliveryId, messageId: row.message_id });
        session.announce(DELIVERIES_CHANNEL, '');
        return deliveryFromRow(row);
      });
    },
    deliver: (id, by, { messageId, type, body }, io) =>
      transact(pool, io, async (session) => {
        const values = [id, messageId, type, body, LIMITS.webhookTestsMax];
        const [row] = await session.run(DELIVER, values);
        if (row === undefined) return null;
        told(session, by, 'tested', id, { deliveryId: row.id, messageId });
        session.announce(DELIVERIES_CHANNEL, '');
        return deliveryFromRow(row);
      }),
  };
}
