import type { Actor } from '../../domain/caller.ts';
import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Subscription, SubscriptionTerms } from '../../domain/subscription.ts';
import type { Io } from './io.ts';
import type { Count } from './views.ts';

/** A renewal of a licence, as it is on the ledger. Times are ISO 8601. */
export interface RenewalFact {
  readonly renewalId: LifecycleId;
  readonly state: string;
  readonly endedAt: string | null;
  readonly settleBefore: string;
  /** Payload of the renewal request; empty if the payload was pruned. */
  readonly payload: JsonRecord;
  /** Allocations that the user has made for an open renewal, the newest first. */
  readonly allocations: readonly { readonly contractId: ContractId; readonly view: JsonRecord }[];
}

/** The projection's facts about a subscription's licence. */
export interface LicenseFacts {
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** Whether an operation on the licence or on one of its renewals is open, including operations in doubt. */
  readonly isUnderWay: boolean;
  /** The open renewals and the newest ended ones, the latest end first. */
  readonly renewals: readonly RenewalFact[];
}

/** An operation whose command ID belongs to a step of a subscription. */
export interface Tried {
  readonly number: number;
  /** Whether the operation has ended without its effect. */
  readonly isFailed: boolean;
  /** Wall time; `null` while the operation is open. */
  readonly finishedAt: string | null;
}

/** A subscription that may have something to do, in the version that was read. */
export interface DueSubscription {
  readonly subscription: Subscription;
  /** Incremented whenever the next step may have changed: a result computed for an older count is discarded. */
  readonly wakes: bigint;
}

/** The result of a check of one subscription. */
export interface Looked {
  readonly licenseId: LifecycleId;
  readonly wakes: bigint;
  /** Ledger time of the next check, ISO 8601; `null`: when a fact of the ledger or an act of a person requires it. */
  readonly dueAt: string | null;
  /** The request ID of the open offer, by which the offer's allocation is found. */
  readonly offerId: string | null;
  readonly anchor: string | null;
}

export interface SubscriptionQuery {
  /** Only subscriptions of which this party is provider or user. */
  readonly party: Party;
  readonly after?: string;
  readonly limit: number;
}

/** Licences that renew themselves. Each change by a person adds a row to the audit log. */
export interface Subscriptions {
  of(license: LifecycleId, io: Io): Promise<Subscription | null>;
  page(query: SubscriptionQuery, io: Io): Promise<readonly Subscription[]>;
  /** Counts the subscriptions of a party, up to `LIMITS.countMax`. */
  count(party: Party, io: Io): Promise<Count>;
  /**
   * Sets the terms, and revokes a cancellation.
   *
   * @param versions the versions that may be replaced; `undefined` allows any version, or none yet
   * @returns `null` if the current version is not one of `versions`
   */
  set(
    license: Pick<Subscription, 'licenseId' | 'provider' | 'appUser'>,
    terms: SubscriptionTerms,
    versions: readonly number[] | undefined,
    by: Actor,
    io: Io,
  ): Promise<Subscription | null>;
  /**
   * Stops renewals at the end of the current period; a second call changes nothing. Returns `null` if there is no
   * subscription.
   */
  cancel(license: LifecycleId, by: Actor, io: Io): Promise<Subscription | null>;
  facts(license: LifecycleId, io: Io): Promise<LicenseFacts | null>;
  /** Returns the operations whose command IDs have these prefixes, by prefix. */
  tried(
    provider: Party,
    prefixes: readonly string[],
    io: Io,
  ): Promise<ReadonlyMap<string, readonly Tried[]>>;
  /** Returns the offset up to which updates are projected; `null` before the first update. */
  projectedUpTo(io: Io): Promise<bigint | null>;
  /**
   * Returns subscriptions that are due at this ledger time, or whose open offer has an allocation, those that are
   * longest due first; `null` if another process holds the scheduler's lease.
   */
  due(
    provider: Party,
    ledgerNow: string,
    limit: number,
    leaseEpoch: bigint,
    io: Io,
  ): Promise<readonly DueSubscription[] | null>;
  /**
   * Announces a changed price of a plan to some of the licences that renew themselves under the plan, with an event for
   * each licence. Each call handles a bounded number.
   *
   * @returns whether there are more; `null` if another process holds the lease
   */
  announcePrices(provider: Party, leaseEpoch: bigint, io: Io): Promise<boolean | null>;
  /** Returns false if another process holds the lease. */
  looked(result: Looked, leaseEpoch: bigint, io: Io): Promise<boolean>;
}
