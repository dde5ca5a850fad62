import type { PolicyName, TimerKind } from '../../domain/automatic.ts';
import type { Change, Operation } from '../../domain/change.ts';
import type { ExpiryPolicy, LifecycleHold } from '../../domain/expiry-policy.ts';
import type { ChangeId, ContractId, LaneId, LifecycleId, Party } from '../../domain/ids.ts';
import type { RenewalPolicy } from '../../domain/renewal-policy.ts';
import type { Io } from './io.ts';

/* Ports of the core for policies and timers. */

/** A stored policy. Version 0 means that the provider has never set this policy. */
export interface Kept<Policy> {
  readonly policy: Policy;
  readonly version: number;
  /**
   * Milliseconds until the policy takes effect after its confirmation, by the database's clock. 0 or less: the delay is
   * over, but the start must still be recorded with {@link Policies.start}. `null`: in effect.
   */
  readonly startsInMs: number | null;
}

/** A person's confirmation of the licences that a policy can end. */
export interface PolicyConfirmation {
  readonly reason: string;
  /** The previewed numbers of licences, for the audit log. */
  readonly ends: PolicyEnds;
  /** The policy does not act before this delay has passed. */
  readonly delayMs: number;
}

/** A confirmed policy that does not act yet. */
export interface PendingPolicy {
  readonly version: number;
  readonly bySubject: string;
  readonly reason: string;
  /** The number of licences that the person confirmed. */
  readonly count: number;
  /**
   * Whether the version can be undone. False if it needed no confirmation and only waits for the rest of the previous
   * version's delay.
   */
  readonly canUndo: boolean;
  /** ISO 8601, by the clock of the database. */
  readonly startsAt: string;
  readonly startsInMs: number;
}

/** Numbers of existing licences that a policy can end. Each number up to `ever` includes the previous one. */
export interface PolicyEnds {
  readonly atOnce: number;
  readonly within24Hours: number;
  readonly within30Days: number;
  /** The licences that it ends if nothing else changes. */
  readonly ever: number;
  /** The licences counted in `ever` that were never renewed. */
  readonly neverRenewed: number;
  /**
   * Further licences that it can end only after a change: a first renewal, the end of a suspension, or a new lapse time
   * if an earlier expiry was given up.
   */
  readonly afterChange: number;
}

/** A change of a policy, its author, and the versions that the policy may have before the change: see `If-Match`. */
export interface PolicyChange<Policy> {
  readonly provider: Party;
  readonly policy: Policy;
  readonly bySubject: string;
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly ifVersions?: readonly number[];
  /** Absent if the policy needs no confirmation and acts at once. */
  readonly confirmed?: PolicyConfirmation;
}

/** A request to undo a confirmed policy that has not started yet. */
export interface PolicyUndo {
  readonly name: PolicyName;
  readonly provider: Party;
  /** Only this version is undone. */
  readonly version: number;
  readonly bySubject: string;
  readonly reason: string;
  /** ISO 8601, wall time. */
  readonly at: string;
}

/**
 * - `undone`: the previous policy is in effect again, as a new version.
 * - `changed`: another version is current.
 * - `over`: the version is in effect, or never had to wait.
 */
export interface PolicyUndone {
  readonly end: 'undone' | 'changed' | 'over';
  readonly version: number;
}

/** Automatic actions that providers have configured. Each change adds a row to the audit log. */
export interface Policies {
  expiry(provider: Party, io: Io): Promise<Kept<ExpiryPolicy>>;
  renewal(provider: Party, io: Io): Promise<Kept<RenewalPolicy>>;
  /**
   * Returns the current version. Without `isWritten`, the current version was not an expected one, and nothing was
   * written.
   */
  setExpiry(change: PolicyChange<ExpiryPolicy>, io: Io): Promise<PolicySet>;
  setRenewal(change: PolicyChange<RenewalPolicy>, io: Io): Promise<PolicySet>;
  /** Returns the reasons for which policies must not end these licences; omits licences without such a reason. */
  holds(ids: readonly LifecycleId[], io: Io): Promise<ReadonlyMap<LifecycleId, LifecycleHold>>;
  /** Records that expired delays are over. Processes of earlier versions act on a policy only after this. */
  start(provider: Party, io: Io): Promise<void>;
}

/** Reads and undoes confirmed policies before their start, and computes the previews for a confirmation. */
export interface PolicyDelays {
  pending(name: PolicyName, provider: Party, io: Io): Promise<PendingPolicy | null>;
  undo(change: PolicyUndo, io: Io): Promise<PolicyUndone>;
  /** Returns the existing licences that a policy can end. */
  reach(query: ReachQuery, io: Io): Promise<PolicyReach>;
}

/** Selects the timers of one kind on which a policy acts. Ended lifecycles have no timers. */
export interface ReachQuery {
  readonly provider: Party;
  readonly kind: TimerKind;
  readonly withNeverRenewed: boolean;
  /** @default false */
  readonly withSuspended?: boolean;
  readonly graceMs: number;
  /** Ledger time, ISO 8601. */
  readonly now: string;
  /** Maximum number of timers in `first`. */
  readonly limit: number;
}

export interface PolicyReach {
  readonly ends: PolicyEnds;
  /** The timers that end first, each with the earliest time at which the policy can end its lifecycle. */
  readonly first: readonly (TimerView & { readonly endsAt: string })[];
}

export interface PolicySet {
  readonly isWritten: boolean;
  readonly version: number;
}

/**
 * When a licence lapses, or when the window of a renewal closes; policies do not change these times. Ledger time,
 * except for `notBefore`.
 */
export interface Timer {
  readonly lifecycleId: LifecycleId;
  readonly kind: TimerKind;
  readonly provider: Party;
  /** When the licence lapses, or the renewal's window closes. ISO 8601 with microseconds. */
  readonly lapsesAt: string;
  /** When the last payment window among the licence's open renewals closes. */
  readonly openUntil: string | null;
  readonly isNeverRenewed: boolean;
  /** Incremented each time a policy's change has definitely failed. */
  readonly generation: number;
  /** Number of failures caused by the lifecycle's own contract; after a few failures, the timer is given up. */
  readonly failures: number;
  /** Wall time until which the timer waits after a failure. */
  readonly notBefore: string | null;
  /** The newest change that a policy made for the timer when it fired; `null` if there is none. */
  readonly changeId: ChangeId | null;
  readonly isGivenUp: boolean;
}

/** A timer, with data of its lifecycle. */
export interface TimerView extends Timer {
  readonly contractId: ContractId;
  readonly appUser: Party;
  readonly licenseNum: bigint | null;
  readonly state: string;
}

/** Position in the order of timers. */
export type TimerKey = Pick<Timer, 'lapsesAt' | 'lifecycleId'>;

export interface TimerPageQuery {
  /** Only timers of which this party is provider or user. */
  readonly party: Party;
  readonly kind?: TimerKind;
  /** `waiting`: has not fired. `fired`: its change is known. `given-up`: is not tried again. */
  readonly state?: TimerState;
  readonly after?: TimerKey;
  readonly limit: number;
}

export const TIMER_STATES = ['waiting', 'fired', 'given-up'] as const;
export type TimerState = (typeof TIMER_STATES)[number];

export const timerState = ({ changeId, isGivenUp }: Timer): TimerState =>
  isGivenUp ? 'given-up' : changeId === null ? 'waiting' : 'fired';

/** Selects timers that may fire. Times are ISO 8601. */
export interface DueQuery {
  readonly provider: Party;
  readonly kind: TimerKind;
  readonly withNeverRenewed: boolean;
  /** @default false */
  readonly withSuspended?: boolean;
  /** Ledger time less the grace: selects timers that lapsed at or before this time. */
  readonly lapsedBy: string;
  /** Ledger time that has certainly passed: windows that closed at or before this time are closed. */
  readonly closedBy: string;
  readonly wallNow: string;
}

/** The next lapse and the next closing of a window (ledger time), and the next end of a delay (wall time). ISO 8601. */
export interface NextDue {
  readonly lapse: string | null;
  readonly close: string | null;
  readonly wall: string | null;
}

/** The new state of a timer; written only if the timer has not changed since it was read. */
export interface TimerMove {
  readonly seen: Timer;
  readonly to: Pick<Timer, 'generation' | 'failures' | 'notBefore' | 'changeId' | 'isGivenUp'>;
}

/** A fired timer whose change has ended, with that change. */
export interface FailedTimer {
  readonly timer: Timer;
  readonly change: Change;
}

/** The part of `Tx` that concerns timers. */
export interface TimerTx {
  /**
   * Returns an open change in a locked lane that performs one of these operations on a lifecycle: the head of the lane,
   * or the first one that waits.
   */
  openIn(
    lane: LaneId,
    lifecycle: LifecycleId,
    operations: readonly Operation[],
  ): Promise<Change | null>;
  /** Returns the timer of a lifecycle, and locks it until the transaction ends. */
  timer(lifecycle: LifecycleId): Promise<Timer | null>;
  /** Changes a timer that this transaction has read. Needs no lease, unlike `Timers.move`. */
  moveTimer(move: TimerMove): Promise<void>;
}

/** The timers as used by the scheduler. Writes name the epoch of the scheduler's lease. */
export interface Timers {
  /**
   * Returns the open changes that perform these steps, except those in doubt, and the ledger's time as far as it was
   * followed.
   */
  underWay(
    provider: Party,
    prefixes: readonly string[],
    io: Io,
  ): Promise<{ readonly changes: readonly ChangeId[]; readonly ledgerTime: string | null }>;
  /**
   * Returns the timers that may fire and that no other transaction is changing, those that are longest due first;
   * `null` if another process holds the scheduler's lease.
   */
  due(query: DueQuery, limit: number, leaseEpoch: bigint, io: Io): Promise<readonly Timer[] | null>;
  /** Returns, for timers that may not fire yet, the earliest of the times for which they wait. */
  nextDue(query: DueQuery, io: Io): Promise<NextDue>;
  /** Returns the timers of open renewals with an allocation; `null` if another process holds the scheduler's lease. */
  payable(
    query: DueQuery,
    limit: number,
    leaseEpoch: bigint,
    io: Io,
  ): Promise<readonly Timer[] | null>;
  /** Returns fired timers whose change has ended although their lifecycle has not. */
  failed(provider: Party, limit: number, io: Io): Promise<readonly FailedTimer[]>;
  /** Returns false if another process holds the lease. */
  move(moves: readonly TimerMove[], leaseEpoch: bigint, io: Io): Promise<boolean>;
  page(query: TimerPageQuery, io: Io): Promise<readonly TimerView[]>;
}
