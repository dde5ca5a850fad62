import type { Party } from './ids.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

/** Media types of a delivery. The body is the same: a CloudEvent names its version itself. */
export const CONTENT_TYPES = ['application/json', 'application/cloudevents+json'] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** Where a party wants to be told of its events. Times are ISO 8601. */
export interface Webhook {
  readonly id: string;
  readonly party: Party;
  readonly createdBy: string;
  readonly url: string;
  /** Types and patterns such as `tenure.operation.*`; none: all. */
  readonly types: readonly string[];
  readonly contentType: ContentType;
  readonly createdAt: string;
  /** Why nothing is sent any more; `null` while it is enabled. */
  readonly disabledReason: string | null;
  /** Tries in a row that have failed, and since when. What was begun before one of them had failed is one with it. */
  readonly failures: number;
  readonly failingSince: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** One event for one webhook. */
export interface Delivery {
  readonly id: string;
  /** The same with every attempt and redelivery: receivers know repetitions by it. */
  readonly messageId: string;
  readonly type: string;
  /** What is sent: JSON. */
  readonly body: string;
  readonly state: DeliveryState;
  /** Since it was asked for last. */
  readonly attempts: number;
  readonly createdAt: string;
  /** Of one that is pending: when it is tried next, or counted as lost. */
  readonly dueAt: string;
  readonly finishedAt: string | null;
  /** What came of the last attempt, if there was one. */
  readonly last: {
    readonly at: string;
    readonly ms: number;
    readonly status: number | null;
    readonly error: string | null;
  } | null;
}

/** A delivery that whoever holds it must try now. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly messageId: string;
  readonly body: string;
  readonly url: string;
  readonly contentType: ContentType;
  /** The newest first. */
  readonly secrets: readonly string[];
  /** This one included. */
  readonly attempt: number;
}

/** What came of an attempt. */
export interface Attempted {
  readonly ms: number;
  readonly status: number | null;
  /** In words, where there was no answer. */
  readonly error: string | null;
}

/** Why a webhook is disabled that has not been disabled because of its target. */
export const DISABLED_BY_PARTY = 'by its party';

/** What becomes of a delivery, and of its webhook, after an attempt. */
export type AfterAttempt =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'again' | 'given-up';
      /** Until this delivery is tried again. */
      readonly delayMs: number;
      /** The receiver has said that it wants nothing any more. */
      readonly isGone: boolean;
    };

/** As the Standard Webhooks specification proposes: about three days in all. */
const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/**
 * Success is any 2xx, in time. Everything else is tried again, after a pause that grows and is the receiver's to make
 * longer.
 *
 * @param retryAfterMs what the receiver asks for
 * @param random from 0 to 1, for the jitter of a fifth in either direction
 */
export function afterAttempt(
  attempt: number,
  status: number | null,
  retryAfterMs: number | null,
  random: number,
): AfterAttempt {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  const isGone = status === 410;
  const plannedMs = DELAYS_MS[attempt - 1];
  if (plannedMs === undefined) return { kind: 'given-up', delayMs: 0, isGone };
  const longestMs = DELAYS_MS[DELAYS_MS.length - 1] ?? plannedMs;
  const askedMs = Math.min(retryAfterMs ?? 0, longestMs);
  const delayMs = Math.max(askedMs, Math.round(plannedMs * (0.8 + 0.4 * random)));
  return { kind: 'again', delayMs, isGone };
}
