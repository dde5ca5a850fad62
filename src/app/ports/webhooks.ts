import type { Actor } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import type {
  AfterAttempt,
  Attempted,
  ClaimedDelivery,
  ContentType,
  Delivery,
  Webhook,
} from '../../domain/webhook.ts';
import type { Io } from './io.ts';
import type { Order } from './views.ts';

/** The changes that a party may make to a webhook. Enabling a webhook clears its failure. */
export interface WebhookPatch {
  readonly url?: string;
  readonly types?: readonly string[];
  readonly contentType?: ContentType;
  readonly isEnabled?: boolean;
}

export interface NewWebhook extends Pick<Webhook, 'id' | 'party' | 'createdBy' | 'url' | 'types'> {
  readonly secret: string;
  /** @default application/json */
  readonly contentType?: ContentType;
  /** Maximum number of webhooks of the party. @default LIMITS.webhooksPerPartyMax */
  readonly most?: number;
  /** The tenant together with which the webhook is deleted; `null` for a tenant from the configuration. */
  readonly tenantId: string | null;
}

/** Position in a delivery log, the newest first. */
export interface DeliveryKey {
  readonly createdAt: string;
  readonly id: string;
}

/** Webhooks as seen by their parties; those of other parties are invisible. Each change adds a row to the audit log. */
export interface Webhooks {
  /** Returns `null` if the party already has the maximum number, or if its tenant no longer exists. */
  add(webhook: NewWebhook, io: Io): Promise<Webhook | null>;
  /** Returns the oldest first. */
  list(party: Party, io: Io): Promise<readonly Webhook[]>;
  byId(id: string, party: Party, io: Io): Promise<Webhook | null>;
  patch(id: string, by: Actor, patch: WebhookPatch, io: Io): Promise<Webhook | null>;
  /** Removes a webhook with its pending deliveries. */
  remove(id: string, by: Actor, io: Io): Promise<boolean>;
  /**
   * Replaces the secret; for a while, the previous secret also signs. @returns until when, or `null` if the party has
   * no such webhook
   */
  rotate(id: string, by: Actor, secret: string, io: Io): Promise<string | null>;
  deliveries(
    id: string,
    query: {
      readonly after?: DeliveryKey;
      readonly limit: number;
      readonly order?: Order;
    },
    io: Io,
  ): Promise<readonly Delivery[]>;
  /** Retries a delivery at once, as if it had never been tried. Returns `null` if the webhook has no such delivery. */
  redeliver(id: string, deliveryId: string, by: Actor, io: Io): Promise<Delivery | null>;
  /** Adds a test delivery, which is not an event; returns `null` if enough deliveries of its type wait. */
  deliver(
    id: string,
    by: Actor,
    message: { readonly messageId: string; readonly type: string; readonly body: string },
    io: Io,
  ): Promise<Delivery | null>;
}

/** The state of a webhook that this process has recently served. */
export interface InHand {
  /** Number of attempts in progress. */
  readonly count: number;
  /** Whether the last answer took long. */
  readonly isSlow: boolean;
  /** When the webhook was last served, as the value of a counter. */
  readonly turn: number;
}

/** The ports of the processes that create and attempt deliveries. */
export interface Deliveries {
  /**
   * Creates deliveries for numbered events, a bounded number per call.
   *
   * @returns whether there is more to do; `null` if another process holds the lease
   */
  fanOut(source: string, leaseEpoch: bigint, io: Io): Promise<boolean | null>;
  /**
   * Claims due deliveries for a limited time: a delivery that is not reported within this time is due again. Webhooks
   * with fewer deliveries in progress come first, and among those the ones served longest ago; no party gets more than
   * its share.
   *
   * @param hands webhooks that this process has served recently
   */
  claim(
    limit: number,
    hands: ReadonlyMap<string, InHand>,
    io: Io,
  ): Promise<readonly ClaimedDelivery[]>;
  /** Records that a delivery was not attempted: it is due again soon, and its target is not blamed for a failure. */
  putOff(delivery: ClaimedDelivery, io: Io): Promise<void>;
  /** @returns the reason if this report has disabled the webhook, otherwise `null` */
  report(
    delivery: ClaimedDelivery,
    attempted: Attempted,
    after: AfterAttempt,
    io: Io,
  ): Promise<string | null>;
}
