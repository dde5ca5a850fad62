import { randomUUID } from 'node:crypto';
import type { NewWebhook, WebhookPatch, Webhooks } from '../../../src/app/ports/webhooks.ts';
import type { Actor } from '../../../src/domain/caller.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { Delivery, DeliveryState, Webhook } from '../../../src/domain/webhook.ts';
import { DISABLED_BY_PARTY } from '../../../src/domain/webhook.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import { byText } from './find.ts';
import { instantOf } from './instants.ts';
import type { ServerTransaction } from './server.ts';
import { saveAudit } from './write.ts';
import { wayOf } from './reads.ts';

/*
 * Webhooks of parties: see `src/store/webhooks/webhooks.ts`. The simulation has no tenants.
 */

export interface WebhookRow extends Pick<
  Webhook,
  'id' | 'party' | 'createdBy' | 'url' | 'types' | 'contentType' | 'disabledReason' | 'failures'
> {
  readonly isEnabled: boolean;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousUntilMs: number;
  readonly createdAtMs: number;
  /** The webhook gets the events with higher numbers than this. */
  readonly afterSeq: bigint;
  readonly failingSinceMs: number | null;
  readonly failedAtMs: number | null;
  readonly notBeforeMs: number;
}

export interface DeliveryRow {
  readonly id: string;
  readonly webhookId: string;
  readonly messageId: string;
  readonly type: string;
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAtMs: number;
  readonly dueAtMs: number;
  readonly finishedAtMs: number | null;
  readonly last: Delivery['last'];
}

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instantOf(ms));

const webhookOf = (row: WebhookRow): Webhook => ({
  id: row.id,
  party: row.party,
  createdBy: row.createdBy,
  url: row.url,
  types: row.types,
  contentType: row.contentType,
  createdAt: instantOf(row.createdAtMs),
  disabledReason: row.disabledReason,
  failures: row.failures,
  failingSince: instantOrNull(row.failingSinceMs),
});

const deliveryOf = (row: DeliveryRow): Delivery => ({
  id: row.id,
  messageId: row.messageId,
  type: row.type,
  body: row.body,
  state: row.state,
  attempts: row.attempts,
  createdAt: instantOf(row.createdAtMs),
  dueAt: instantOf(row.dueAtMs),
  finishedAt: instantOrNull(row.finishedAtMs),
  last: row.last,
});

async function say(
  tx: ServerTransaction,
  by: Actor,
  what: string,
  id: string,
  detail: JsonRecord,
): Promise<void> {
  await saveAudit(tx, [
    {
      at: instantOf(tx.beganAtMs),
      byParty: by.party,
      bySubject: by.subject,
      act: `webhook-${what}`,
      changeId: null,
      from: null,
      to: null,
      subject: `webhook:${id}`,
      reason: '',
      detail,
    },
  ]);
}

const hostOf = (url: string): string => new URL(url).host;

async function add(tx: ServerTransaction, added: NewWebhook): Promise<Webhook | null> {
  const { id, party, createdBy, url, types, secret, most, contentType } = added;
  const { webhooks, eventSequence } = tx.tables;
  const mine = webhooks.all(tx).filter((row) => row.party === party);
  if (mine.length >= (most ?? LIMITS.webhooksPerPartyMax)) return null;
  // A transaction that numbers events locks this row until its commit. So all events that it numbers come before this
  // webhook.
  await tx.lock(eventSequence, '', 'share');
  const row: WebhookRow = {
    id,
    party,
    createdBy,
    url,
    types,
    contentType: contentType ?? 'application/json',
    secret,
    isEnabled: true,
    disabledReason: null,
    failures: 0,
    previousSecret: null,
    previousUntilMs: 0,
    createdAtMs: tx.beganAtMs,
    afterSeq: eventSequence.get(tx, '')?.last ?? 0n,
    failingSinceMs: null,
    failedAtMs: null,
    notBeforeMs: tx.beganAtMs,
  };
  await tx.insertIfAbsent(webhooks, row);
  const by = { party, subject: createdBy };
  await say(tx, by, 'created', id, { target: hostOf(url), types: [...types] });
  return webhookOf(row);
}

/** Applies a patch; enabling a webhook also clears its record of failures. */
const patched = (
  row: WebhookRow,
  { url, types, isEnabled, contentType }: WebhookPatch,
  nowMs: number,
) => ({
  ...row,
  url: url ?? row.url,
  types: types ?? row.types,
  contentType: contentType ?? row.contentType,
  ...(isEnabled === true
    ? { isEnabled, disabledReason: null, failures: 0, failingSinceMs: null, notBeforeMs: nowMs }
    : {}),
  ...(isEnabled === false
    ? { isEnabled, disabledReason: row.disabledReason ?? DISABLED_BY_PARTY }
    : {}),
});

const detailOf = ({ url, types, isEnabled }: WebhookPatch): JsonRecord => ({
  ...(url === undefined ? {} : { target: hostOf(url) }),
  ...(types === undefined ? {} : { types: [...types] }),
  ...(isEnabled === undefined ? {} : { enabled: isEnabled }),
});

export function createWebhooks(connection: Connection): Webhooks {
  const { tables } = connection.server;
  const alone = <T>(
    call: string,
    io: Parameters<Webhooks['list']>[1],
    work: (tx: ServerTransaction) => Promise<T>,
  ): Promise<T> => transact(connection, io, (session) => session.run(call, work), { call });
  /** Applies a change to a webhook of the party. */
  const change = (
    call: string,
    id: string,
    by: Actor,
    io: Parameters<Webhooks['list']>[1],
    replace: (row: WebhookRow, nowMs: number) => WebhookRow,
    detail: (row: WebhookRow) => JsonRecord,
  ): Promise<WebhookRow | null> =>
    alone(`webhooks.${call}`, io, async (tx) => {
      const isWritten = await tx.update(tx.tables.webhooks, id, (row) =>
        row.party === by.party ? replace(row, tx.beganAtMs) : null,
      );
      const row = tx.tables.webhooks.get(tx, id);
      if (!isWritten || row === undefined) return null;
      await say(tx, by, call, id, detail(row));
      return row;
    });
  const isMine = (id: string, by: Actor): boolean =>
    tables.webhooks.get(null, id)?.party === by.party;
  return {
    add: (added, io) => alone('webhooks.add', io, (tx) => add(tx, added)),
    list: (party, io) =>
      query(connection, io, 'webhooks.list', () =>
        tables.webhooks
          .all(null)
          .filter((row) => row.party === party)
          .toSorted((a, b) => a.createdAtMs - b.createdAtMs || byText(a.id, b.id))
          .map(webhookOf),
      ),
    byId: (id, party, io) =>
      query(connection, io, 'webhooks.byId', () => {
        const row = tables.webhooks.get(null, id);
        return row?.party === party ? webhookOf(row) : null;
      }),
    async patch(id, by, asked, io) {
      const replace = (row: WebhookRow, nowMs: number) => patched(row, asked, nowMs);
      const row = await change('changed', id, by, io, replace, () => detailOf(asked));
      return row === null ? null : webhookOf(row);
    },
    remove: (id, by, io) =>
      alone('webhooks.remove', io, async (tx) => {
        const { webhooks, deliveries } = tx.tables;
        const row = webhooks.get(tx, id);
        if (row?.party !== by.party || !(await tx.remove(webhooks, id))) return false;
        for (const each of deliveries.find(tx, 'webhook', id)) await tx.remove(deliveries, each.id);
        await say(tx, by, 'deleted', id, { target: hostOf(row.url) });
        return true;
      }),
    async rotate(id, by, secret, io) {
      const replace = (row: WebhookRow, nowMs: number): WebhookRow => ({
        ...row,
        secret,
        previousSecret: row.secret,
        previousUntilMs: nowMs + STORE_LIMITS.webhookRotationMs,
      });
      const untilOf = (row: WebhookRow) => instantOf(row.previousUntilMs);
      const row = await change('secret-rotated', id, by, io, replace, (rotated) => ({
        previousSecretUntil: untilOf(rotated),
      }));
      return row === null ? null : untilOf(row);
    },
    deliveries: (id, { after, limit, order }, io) =>
      query(connection, io, 'webhooks.deliveries', () =>
        tables.deliveries
          .find(null, 'webhook', id)
          .map(deliveryOf)
          .toSorted(
            (a, b) => wayOf(order) * (byText(a.createdAt, b.createdAt) || byText(a.id, b.id)),
          )
          .filter(
            ({ createdAt, id: own }) =>
              after === undefined ||
              wayOf(order) * (byText(createdAt, after.createdAt) || byText(own, after.id)) > 0,
          )
          .slice(0, limit),
      ),
    redeliver: (id, deliveryId, by, io) =>
      alone('webhooks.redeliver', io, async (tx) => {
        const { deliveries } = tx.tables;
        const isAgain = await tx.update(deliveries, deliveryId, (row): DeliveryRow | null =>
          row.webhookId === id
            ? { ...row, state: 'pending', attempts: 0, dueAtMs: tx.beganAtMs, finishedAtMs: null }
            : null,
        );
        const row = deliveries.get(tx, deliveryId);
        if (!isAgain || row === undefined) return null;
        await say(tx, by, 'redelivered', id, { deliveryId, messageId: row.messageId });
        return deliveryOf(row);
      }),
    deliver: (id, by, { messageId, type, body }, io) =>
      alone('webhooks.deliver', io, async (tx) => {
        const { deliveries } = tx.tables;
        const waiting = deliveries
          .find(tx, 'webhook', id)
          .filter((row) => row.state === 'pending' && row.type === type);
        if (!isMine(id, by) || waiting.length >= LIMITS.webhookTestsMax) return null;
        const row = newDelivery(tx, id, { messageId, type, body });
        await tx.insertIfAbsent(deliveries, row);
        await say(tx, by, 'tested', id, { deliveryId: row.id, messageId });
        return deliveryOf(row);
      }),
  };
}

/** Creates a delivery that is due at once. */
export const newDelivery = (
  tx: ServerTransaction,
  webhookId: string,
  message: Pick<DeliveryRow, 'messageId' | 'type' | 'body'>,
): DeliveryRow => ({
  ...message,
  id: randomUUID(),
  webhookId,
  state: 'pending',
  attempts: 0,
  createdAtMs: tx.beganAtMs,
  dueAtMs: tx.beganAtMs,
  finishedAtMs: null,
  last: null,
});
