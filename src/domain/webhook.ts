import type { Party } from './ids.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

/** Media types of a delivery. Both have the same body: a CloudEvent contains its version. */
export const CONTENT_TYPES = ['application/json', 'application/cloudevents+json'] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** A party's subscription to events. Times are ISO 8601. */
export interface Webhook {
  readonly id: string;
  readonly party: Party;
  readonly createdBy: string;
  readonly url: string;
  /** Types and patterns such as `tenure.operation.*`; an empty list means all types. */
  readonly types: readonly string[];
  readonly contentType: ContentType;
  readonly createdAt: string;
  /** Why deliveries have stopped; `null` while the webhook is enabled. */
  readonly disabledReason: string | null;
  /** Failures in a row, and when they began. Concurrent tries that began before a failure count as the same failure. */
  readonly failures: number;
  readonly failingSince: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** The delivery of one event to one webhook. */
export interface Delivery {
  readonly id: string;
  /** Equal in every attempt and redelivery, so that receivers recognise repetitions. */
  readonly messageId: string;
  readonly type: string;
  /** The body that is sent: JSON. */
  readonly body: string;
  readonly state: DeliveryState;
  /** Number of attempts since the delivery was last requested. */
  readonly attempts: number;
  readonly createdAt: string;
  /** Only for pending deliveries: when the next try is due, or when a running try counts as lost. */
  readonly dueAt: string;
  readonly finishedAt: string | null;
  /** The result of the last attempt, if there was one. */
  readonly last: {
    readonly at: string;
    readonly ms: number;
    readonly status: number | null;
    readonly error: string | null;
  } | null;
}

/** A delivery that the process which claimed it must try now. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly messageId: string;
  readonly body: string;
  readonly url: string;
  readonly contentType: ContentType;
  /** The newest secret first. */
  readonly secrets: readonly string[];
  /** The number of this attempt, counted from 1. */
  readonly attempt: number;
}

/** The result of an attempt. */
export interface Attempted {
  readonly ms: number;
  readonly status: number | null;
  /** The failure in words, if there was no answer. */
  readonly error: string | null;
}

/** The reason given when a webhook was disabled by its party, not because of its target. */
export const DISABLED_BY_PARTY = 'by its party';

/** The consequence of an attempt for its delivery and its webhook. */
export type AfterAttempt =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'again' | 'given-up';
      /** The time until the next try. */
      readonly delayMs: number;
      /** Whether the receiver has answered that it refuses all further deliveries. */
      readonly isGone: boolean;
    };

/** Delays proposed by the Standard Webhooks specification: about three days in all. */
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
 * Returns what follows an attempt. Any 2xx within the time limit is a success. Every other result leads to another try
 * after a growing delay, which the receiver can extend.
 *
 * @param retryAfterMs the delay that the receiver requests
 * @param random from 0 to 1, for random variation by a fifth in either direction
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
