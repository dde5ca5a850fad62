import { cloudEvent } from '../../../src/app/engine/lanes/events.ts';
import { EVENTS_LEASE } from '../../../src/app/ports/leases.ts';
import type { Deliveries, InHand } from '../../../src/app/ports/webhooks.ts';
import { isOfType } from '../../../src/domain/event.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { AfterAttempt, Attempted, ClaimedDelivery } from '../../../src/domain/webhook.ts';
import type { Connection } from './connection.ts';
import { transact } from './connection.ts';
import { instantOf } from './instants.ts';
import type { ServerTransaction } from './server.ts';
import type { DeliveryRow, WebhookRow } from './webhooks.ts';
import { newDelivery } from './webhooks.ts';
import { ownsLease } from './write.ts';

/**
 * Returns whether a webhook receives events of this type. It receives types of the audit log only if it names them.
 * @param types the types that the webhook wants; empty for every type
 */
export const isToldWebhook = (type: string, types: readonly string[]): boolean =>
  types.length === 0 ? !type.startsWith('tenure.audit.') : isOfType(type, types);

/*
 * Deliveries to webhooks and their retries: see `src/store/webhooks/deliveries.ts`.
 */

async function fanOut(
  tx: ServerTransaction,
  source: string,
  epoch: bigint,
): Promise<boolean | null> {
  const { events, eventSequence, webhookCursor, webhooks, deliveries } = tx.tables;
  const newest = eventSequence.get(tx, '')?.last ?? 0n;
  const last = webhookCursor.get(tx, '')?.last ?? 0n;
  if (last >= newest) return false;
  const far = last + BigInt(LIMITS.eventBatchMax);
  const enabled = webhooks.all(tx).filter(({ isEnabled }) => isEnabled);
  const upTo = enabled.length === 0 || far > newest ? newest : far;
  if (!(await ownsLease(tx, EVENTS_LEASE, epoch))) return null;
  const isMoved = await tx.upsert(webhookCursor, { last: upTo }, (before) =>
    before.last === last ? { last: upTo } : null,
  );
  if (!isMoved) return null;
  const told = events
    .all(tx)
    .filter(({ seq }) => seq > last && seq <= upTo)
    .toSorted((a, b) => Number(a.seq - b.seq));
  for (const event of told) {
    const messageId = `evt_${event.seq}`;
    const body = JSON.stringify(cloudEvent(event, source));
    for (const webhook of enabled) {
      const isWanted =
        event.parties.includes(webhook.party) &&
        webhook.afterSeq < event.seq &&
        isToldWebhook(event.type, webhook.types);
      const isMade = deliveries
        .find(tx, 'webhook', webhook.id)
        .some((row) => row.messageId === messageId);
      if (!isWanted || isMade) continue;
      const row = newDelivery(tx, webhook.id, { messageId, type: event.type, body });
      await tx.insertIfAbsent(deliveries, row);
    }
  }
  return upTo < newest;
}

interface Ranked {
  readonly row: DeliveryRow;
  readonly turn: number;
  readonly nth: number;
}

/** Returns the due deliveries of a webhook. Their number is limited by how many may be in progress. */
function dueOf(
  tx: ServerTransaction,
  { id, failures }: WebhookRow,
  hand: InHand | undefined,
): Ranked[] {
  const inHand = hand?.count ?? 0;
  const most = failures > 0 || hand?.isSlow === true ? 1 : STORE_LIMITS.webhookTriesMax;
  return tx.tables.deliveries
    .find(tx, 'webhook', id)
    .filter(({ state, dueAtMs }) => state === 'pending' && dueAtMs <= tx.beganAtMs)
    .toSorted((a, b) => a.dueAtMs - b.dueAtMs)
    .slice(0, Math.max(0, most - inHand))
    .map((row, place) => ({ row, turn: hand?.turn ?? -1, nth: inHand + place + 1 }));
}

const byTurn = (a: Ranked, b: Ranked): number =>
  a.nth - b.nth || a.turn - b.turn || a.row.dueAtMs - b.row.dueAtMs;

async function claim(
  tx: ServerTransaction,
  limit: number,
  hands: ReadonlyMap<string, InHand>,
): Promise<ClaimedDelivery[]> {
  const { webhooks, deliveries } = tx.tables;
  const open = webhooks
    .all(tx)
    .filter(({ isEnabled, notBeforeMs }) => isEnabled && notBeforeMs <= tx.beganAtMs);
  const handsOf = (party: string): number =>
    [...hands]
      .filter(([id]) => webhooks.get(tx, id)?.party === party)
      .reduce((sum, [, { count }]) => sum + count, 0);
  const ranked = [...Map.groupBy(open, ({ party }) => party)].flatMap(([party, theirs]) =>
    theirs
      .flatMap((webhook) => dueOf(tx, webhook, hands.get(webhook.id)))
      .toSorted(byTurn)
      .slice(0, Math.max(0, STORE_LIMITS.webhookTriesPerPartyMax - handsOf(party))),
  );
  const claimed: ClaimedDelivery[] = [];
  for (const { row } of ranked.toSorted(byTurn)) {
    if (claimed.length === limit) break;
    const webhook = webhooks.get(tx, row.webhookId);
    if (webhook === undefined || !tx.tryLock(deliveries, row.id)) continue;
    const { secret, previousSecret, previousUntilMs, url, contentType } = webhook;
    await tx.update(deliveries, row.id, (before) => ({
      ...before,
      attempts: before.attempts + 1,
      dueAtMs: tx.beganAtMs + STORE_LIMITS.webhookClaimMs,
    }));
    const isBoth = previousSecret !== null && previousUntilMs > tx.beganAtMs;
    claimed.push({
      id: row.id,
      webhookId: row.webhookId,
      messageId: row.messageId,
      body: row.body,
      url,
      contentType,
      secrets: isBoth ? [secret, previousSecret] : [secret],
      attempt: row.attempts + 1,
    });
  }
  return claimed;
}

const isOfTry = (row: DeliveryRow, attempt: number): boolean =>
  row.attempts === attempt && row.state === 'pending';

/** Returns the failure that has disabled the delivery's webhook, if there is one. */
function reasonOf(
  tx: ServerTransaction,
  webhook: WebhookRow,
  sinceMs: number,
  isGone: boolean,
): string | null {
  if (isGone) return 'its target answered 410: it wants nothing any more';
  if (sinceMs < tx.beganAtMs - STORE_LIMITS.webhookFailingMsMax) {
    const since = `${new Date(sinceMs).toISOString().slice(0, 19)}Z`;
    return `every delivery since ${since} has failed`;
  }
  const waiting = tx.tables.deliveries
    .find(tx, 'webhook', webhook.id)
    .filter(({ state }) => state === 'pending').length;
  if (waiting <= STORE_LIMITS.webhookBacklogMax) return null;
  return `more than ${STORE_LIMITS.webhookBacklogMax} deliveries wait for a target that fails`;
}

/** If a delivery began before the last failure was counted, its failure proves nothing new about the target. */
function failed(
  tx: ServerTransaction,
  webhook: WebhookRow,
  begunAtMs: number | null,
  isGone: boolean,
): { readonly row: WebhookRow; readonly reason: string | null } {
  const nowMs = tx.beganAtMs;
  const lastMs = webhook.failedAtMs ?? webhook.failingSinceMs ?? nowMs;
  const isApart = lastMs < nowMs - STORE_LIMITS.webhookFailuresApartMsMax;
  const failures = isApart ? 0 : webhook.failures;
  const failingSinceMs = isApart ? nowMs : (webhook.failingSinceMs ?? nowMs);
  const { failedAtMs } = webhook;
  const isOneMore =
    webhook.failures === 0 || failedAtMs === null || (begunAtMs !== null && begunAtMs > failedAtMs);
  const pauseMs = Math.min(
    STORE_LIMITS.webhookPauseMsMax,
    STORE_LIMITS.webhookPauseMsMin * 2 ** Math.min(failures, 20),
  );
  const reason = reasonOf(tx, webhook, failingSinceMs, isGone);
  const row = {
    ...webhook,
    failures: failures + Number(isOneMore),
    failingSinceMs,
    failedAtMs: isOneMore ? nowMs : failedAtMs,
    notBeforeMs: isOneMore ? nowMs + pauseMs : webhook.notBeforeMs,
    isEnabled: webhook.isEnabled && reason === null,
    disabledReason: webhook.isEnabled ? reason : webhook.disabledReason,
  };
  return { row, reason: row.isEnabled ? null : reason };
}

const STATE = { delivered: 'delivered', again: 'pending', 'given-up': 'failed' } as const;

async function report(
  tx: ServerTransaction,
  { id, webhookId, attempt }: ClaimedDelivery,
  { ms, status, error }: Attempted,
  after: AfterAttempt,
): Promise<string | null> {
  const { deliveries, webhooks } = tx.tables;
  const nowMs = tx.beganAtMs;
  let reason: string | null = null;
  if (after.kind !== 'delivered') {
    const delivery = deliveries.get(tx, id);
    const isOurs = delivery !== undefined && isOfTry(delivery, attempt);
    const begunAtMs = isOurs ? delivery.dueAtMs - STORE_LIMITS.webhookClaimMs : null;
    await tx.update(webhooks, webhookId, (before) => {
      const failure = failed(tx, before, begunAtMs, after.isGone);
      ({ reason } = failure);
      return failure.row;
    });
  }
  const state = STATE[after.kind];
  const delayMs = after.kind === 'delivered' ? 0 : after.delayMs;
  await tx.update(deliveries, id, (before): DeliveryRow | null =>
    isOfTry(before, attempt)
      ? {
          ...before,
          state,
          dueAtMs: nowMs + delayMs,
          finishedAtMs: state === 'pending' ? null : nowMs,
          last: { at: instantOf(nowMs), ms: Math.round(ms), status, error },
        }
      : null,
  );
  if (after.kind === 'delivered') {
    await tx.update(webhooks, webhookId, (before) =>
      before.failures > 0
        ? { ...before, failures: 0, failingSinceMs: null, notBeforeMs: nowMs }
        : null,
    );
  }
  return reason;
}

export function createDeliveries(connection: Connection): Deliveries {
  const alone = <T>(
    call: string,
    io: Parameters<Deliveries['putOff']>[1],
    work: (tx: ServerTransaction) => Promise<T>,
  ): Promise<T> => transact(connection, io, (session) => session.run(call, work), { call });
  return {
    fanOut: (source, epoch, io) =>
      alone('deliveries.fanOut', io, (tx) => fanOut(tx, source, epoch)),
    claim: (limit, hands, io) => alone('deliveries.claim', io, (tx) => claim(tx, limit, hands)),
    putOff: ({ id, attempt }, io) =>
      alone('deliveries.putOff', io, async (tx) => {
        await tx.update(tx.tables.deliveries, id, (before) =>
          isOfTry(before, attempt)
            ? {
                ...before,
                attempts: attempt - 1,
                dueAtMs: tx.beganAtMs + STORE_LIMITS.webhookPutOffMs,
              }
            : null,
        );
      }),
    report: (delivery, attempted, after, io) =>
      alone('deliveries.report', io, (tx) => report(tx, delivery, attempted, after)),
  };
}
