import type { Actor } from '../../domain/caller.ts';
import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Subscription, SubscriptionTerms } from '../../domain/subscription.ts';
import type { Io } from './io.ts';
import type { Count } from './views.ts';

/** A renewal of a licence as the ledger has it. Times are ISO 8601. */
export interface RenewalFact {
  readonly renewalId: LifecycleId;
  readonly state: string;
  readonly endedAt: string | null;
  readonly settleBefore: string;
  /** Payload of the request; empty if it is no longer kept. */
  readonly payload: JsonRecord;
  /** Money that the user has set aside for an open renewal, the newest first. */
  readonly allocations: readonly { readonly contractId: ContractId; readonly view: JsonRecord }[];
}

/** The facts of the projection about the licence of a subscription. */
export interface LicenseFacts {
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** Whether an operation of the licence or of a renewal of it is open, also one in doubt. */
  readonly isUnderWay: boolean;
  /** The open ones and the newest ended ones, the newest end first. */
  readonly renewals: readonly RenewalFact[];
}

/** An operation with a command ID of a step. */
export interface Tried {
  readonly number: number;
  /** Whether it has ended without its effect. */
  readonly isFailed: boolean;
  /** Wall time; `null` while it is open. */
  readonly finishedAt: string | null;
}

/** A subscription that may have something to do, as it was read. */
export interface DueSubscription {
  readonly subscription: Subscription;
  /** Rises with everything that may change what is to do: a result for an older count is not kept. */
  readonly wakes: bigint;
}

/** The result of a look. */
export interface Looked {
  readonly licenseId: LifecycleId;
  readonly wakes: bigint;
  /** Ledger time, ISO 8601; `null`: when a fact of the ledger or a person changes something. */
  readonly dueAt: string | null;
  /** The request ID of the open offer, by which its allocation is found. */
  readonly offerId: string | null;
  readonly anchor: string | null;
}

export interface SubscriptionQuery {
  /** Only subscriptions of which this party is provider or user. */
  readonly party: Party;
  readonly after?: string;
  readonly limit: number;
}

/** Licences that renew themselves. Each change of a person adds a row to the audit log. */
export interface Subscriptions {
  of(license: LifecycleId, io: Io): Promise<Subscription | null>;
  page(query: SubscriptionQuery, io: Io): Promise<readonly Subscription[]>;
  /** Counts the subscriptions of a party, up to `LIMITS.countMax`. */
  count(party: Party, io: Io): Promise<Count>;
  /**
   * Sets the terms, and takes back a cancellation.
   *
   * @param versions the versions that may be replaced; `undefined`: any, or none yet
   * @returns `null` if the current version is another one
   */
  set(
    license: Pick<Subscription, 'licenseId' | 'provider' | 'appUser'>,
    terms: SubscriptionTerms,
    versions: readonly number[] | undefined,
    by: Actor,
    io: Io,
  ): Promise<Subscription | null>;
  /** Ends the renewals at the end of the period; a second call changes nothing. `null`: there is none. */
  cancel(license: LifecycleId, by: Actor, io: Io): Promise<Subscription | null>;
  facts(license: LifecycleId, io: Io): Promise<LicenseFacts | null>;
  /** Returns the operations with these prefixes, by prefix. */
  tried(
    provider: Party,
    prefixes: readonly string[],
    io: Io,
  ): Promise<ReadonlyMap<string, readonly Tried[]>>;
  /** Returns the offset up to which updates are projected; `null` while none is. */
  projectedUpTo(io: Io): Promise<bigint | null>;
  /**
   * Returns subscriptions whose time has come by this ledger time, or whose open offer has an allocation, the longest
   * due first; `null` if another process holds the clock's lease.
   */
  due(
    provider: Party,
    ledgerNow: string,
    limit: number,
    leaseEpoch: bigint,
    io: Io,
  ): Promise<readonly DueSubscription[] | null>;
  /**
   * Announces another price of a plan to the next few licences that renew themselves under the plan, by an event for
   * each licence.
   *
   * @returns whether there are more; `null` if another process holds the lease
   */
  announcePrices(provider: Party, leaseEpoch: bigint, io: Io): Promise<boolean | null>;
  /** Returns false if another process holds the lease. */
  looked(result: Looked, leaseEpoch: bigint, io: Io): Promise<boolean>;
}
