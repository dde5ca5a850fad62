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

/** What a party may change of a webhook. Enabling one forgets that it has failed. */
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
  /** How many the party may have. @default LIMITS.webhooksPerPartyMax */
  readonly most?: number;
  /** With which it ends; `null` for one of the configuration. */
  readonly tenantId: string | null;
}

/** Position in a delivery log, the newest first. */
export interface DeliveryKey {
  readonly createdAt: string;
  readonly id: string;
}

/**
 * Webhooks as their parties see them: of another party's there is nothing. Each change of one leaves a row in the audit
 * log.
 */
export interface Webhooks {
  /** `null` when the party has as many as it may have, or its tenant is none any more. */
  add(webhook: NewWebhook, io: Io): Promise<Webhook | null>;
  /** The oldest first. */
  list(party: Party, io: Io): Promise<readonly Webhook[]>;
  byId(id: string, party: Party, io: Io): Promise<Webhook | null>;
  patch(id: string, by: Actor, patch: WebhookPatch, io: Io): Promise<Webhook | null>;
  /** With what was to be delivered. */
  remove(id: string, by: Actor, io: Io): Promise<boolean>;
  /** What was the secret signs as well, for a while. @returns until when, or `null` for no webhook of the party's */
  rotate(id: string, by: Actor, secret: string, io: Io): Promise<string | null>;
  deliveries(
    id: string,
    query: { readonly after?: DeliveryKey; readonly limit: number },
    io: Io,
  ): Promise<readonly Delivery[]>;
  /** Tries it again at once, as if it never had been. `null` for no delivery of the webhook's. */
  redeliver(id: string, deliveryId: string, by: Actor, io: Io): Promise<Delivery | null>;
  /** Something to be delivered that is no event, to try it; `null` when enough of its type waits. */
  deliver(
    id: string,
    by: Actor,
    message: { readonly messageId: string; readonly type: string; readonly body: string },
    io: Io,
  ): Promise<Delivery | null>;
}

/** What one process has in hand of a webhook, and knows of it. */
export interface InHand {
  /** Tries under way. */
  readonly count: number;
  /** Its last answer took long. */
  readonly isSlow: boolean;
  /** When it was served last, counted from the first that was. */
  readonly turn: number;
}

/** Deliveries as those see them who make and try them. */
export interface Deliveries {
  /**
   * Makes the deliveries of numbered events, up to a bound at a time.
   *
   * @returns whether there is more; `null` when the lease is another's
   */
  fanOut(source: string, leaseEpoch: bigint, io: Io): Promise<boolean | null>;
  /**
   * Takes what is due, for a while: what is not reported by then is due again. Webhooks with less in hand come first,
   * and among those the ones that were served longest ago; no party gets more than its share.
   *
   * @param hands of webhooks that this process has served lately
   */
  claim(
    limit: number,
    hands: ReadonlyMap<string, InHand>,
    io: Io,
  ): Promise<readonly ClaimedDelivery[]>;
  /** It was not tried after all: it is due again in a moment, and nothing is said of its target. */
  putOff(delivery: ClaimedDelivery, io: Io): Promise<void>;
  /** @returns why its webhook has been disabled by this, else `null` */
  report(
    delivery: ClaimedDelivery,
    attempted: Attempted,
    after: AfterAttempt,
    io: Io,
  ): Promise<string | null>;
}
