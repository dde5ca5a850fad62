import type { PolicyName, TimerKind } from '../../domain/automatic.ts';
import type { Change, Operation } from '../../domain/change.ts';
import type { ExpiryPolicy, LifecycleHold } from '../../domain/expiry-policy.ts';
import type { ChangeId, ContractId, LaneId, LifecycleId, Party } from '../../domain/ids.ts';
import type { RenewalPolicy } from '../../domain/renewal-policy.ts';
import type { Io } from './io.ts';

/* Ports of the core for policies and timers: see `ports.ts`. */

/** A stored policy. Version 0: the provider has never set one. */
export interface Kept<Policy> {
  readonly policy: Policy;
  readonly version: number;
  /**
   * Rest of the delay after the policy's confirmation, by the database's clock. 0 or less: its start must be recorded
   * with {@link Policies.start}. `null`: in force.
   */
  readonly startsInMs: number | null;
}

/** A person's confirmation of what a policy can end. */
export interface PolicyConfirmation {
  readonly reason: string;
  /** The previewed numbers, for the audit log. */
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
  /** False if this version had no confirmation and waits only for the rest of the previous version's delay. */
  readonly canUndo: boolean;
  /** ISO 8601, by the clock of the database. */
  readonly startsAt: string;
  readonly startsInMs: number;
}

/** Number of existing licences that a policy can end; each number includes those before it. */
export interface PolicyEnds {
  readonly atOnce: number;
  readonly within24Hours: number;
  readonly within30Days: number;
  readonly ever: number;
  /** Licences of `ever` that were never renewed. */
  readonly neverRenewed: number;
}

/** A change of a policy, its author, and the versions that the policy may have before: see `If-Match`. */
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

/** Takes back a confirmed policy that does not act yet. */
export interface PolicyUndo {
  readonly name: PolicyName;
  readonly provider: Party;
  /** Only this version is taken back. */
  readonly version: number;
  readonly bySubject: string;
  readonly reason: string;
  /** ISO 8601, wall time. */
  readonly at: string;
}

/**
 * - `undone`: the previous policy is in force again, as a new version.
 * - `changed`: another version is in force.
 * - `over`: the version has started, or never had to wait.
 */
export interface PolicyUndone {
  readonly end: 'undone' | 'changed' | 'over';
  readonly version: number;
}

/** Automatic actions that providers have configured. Each change adds a row to the audit log. */
export interface Policies {
  expiry(provider: Party, io: Io): Promise<Kept<ExpiryPolicy>>;
  renewal(provider: Party, io: Io): Promise<Kept<RenewalPolicy>>;
  /** Returns the current version; without `isWritten`, it was none of the expected versions. */
  setExpiry(change: PolicyChange<ExpiryPolicy>, io: Io): Promise<PolicySet>;
  setRenewal(change: PolicyChange<RenewalPolicy>, io: Io): Promise<PolicySet>;
  /** Returns what keeps policies from ending these licences; licences without a hold are absent. */
  holds(ids: readonly LifecycleId[], io: Io): Promise<ReadonlyMap<LifecycleId, LifecycleHold>>;
  /** Records that expired delays are over: from then on processes of earlier versions act on the policies. */
  start(provider: Party, io: Io): Promise<void>;
}

/** Actions on confirmed policies before their start, and the previews for them. */
export interface PolicyDelays {
  pending(name: PolicyName, provider: Party, io: Io): Promise<PendingPolicy | null>;
  undo(change: PolicyUndo, io: Io): Promise<PolicyUndone>;
  /** Returns what a policy can end of the existing licences. */
  reach(query: ReachQuery, io: Io): Promise<PolicyReach>;
}

/** Timers of one kind, as a policy selects them. Ended lifecycles have none. */
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
  /** The timers that end first, each with its earliest end. */
  readonly first: readonly (TimerView & { readonly endsAt: string })[];
}

export interface PolicySet {
  readonly isWritten: boolean;
  readonly version: number;
}

/**
 * When a licence lapses, or the window of a renewal closes; no policy changes these times. Ledger time, except for
 * `notBefore`.
 */
export interface Timer {
  readonly lifecycleId: LifecycleId;
  readonly kind: TimerKind;
  readonly provider: Party;
  /** ISO 8601 with microseconds. */
  readonly lapsesAt: string;
  /** When the last window of the licence's open renewals closes. */
  readonly openUntil: string | null;
  readonly isNeverRenewed: boolean;
  /** Incremented with each change of a policy that has definitely failed. */
  readonly generation: number;
  /** Number of failures because of its own contract; after a few of them the timer is given up. */
  readonly failures: number;
  /** Wall time: the delay after a failure. */
  readonly notBefore: string | null;
  /** The timer has fired: the newest change that a policy made for it. */
  readonly changeId: ChangeId | null;
  readonly isGivenUp: boolean;
}

/** A timer with the lifecycle that it belongs to. */
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
  /** `waiting`: not fired. `fired`: its change is known. `given-up`: not retried. */
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
  /** Ledger time less the grace: selects timers that lapsed then or before. */
  readonly lapsedBy: string;
  /** Ledger time that is certainly past: windows that closed then or before are closed. */
  readonly closedBy: string;
  readonly wallNow: string;
}

/** ISO 8601: the next lapse, the next window that closes, and the wall time at which a delay ends. */
export interface NextDue {
  readonly lapse: string | null;
  readonly close: string | null;
  readonly wall: string | null;
}

/** The new state of a timer; applied only if the timer has not changed since it was read. */
export interface TimerMove {
  readonly seen: Timer;
  readonly to: Pick<Timer, 'generation' | 'failures' | 'notBefore' | 'changeId' | 'isGivenUp'>;
}

/** A timer that has fired, with its change. */
export interface FailedTimer {
  readonly timer: Timer;
  readonly change: Change;
}

/** Operations of a core transaction on timers: see `Tx`. */
export interface TimerTx {
  /**
   * Returns an open change in a locked lane that performs one of these operations on a lifecycle: the head, or the
   * first one that waits.
   */
  openIn(
    lane: LaneId,
    lifecycle: LifecycleId,
    operations: readonly Operation[],
  ): Promise<Change | null>;
  /** Returns the timer of a lifecycle, and locks it until the transaction ends. */
  timer(lifecycle: LifecycleId): Promise<Timer | null>;
  /** Moves a timer that this transaction has read. `Timers.move` requires the clock's lease instead. */
  moveTimer(move: TimerMove): Promise<void>;
}

/** The timers as the clock uses them. Writes name the epoch of the clock's lease. */
export interface Timers {
  /**
   * Returns the open changes of these steps, except those in doubt, and the ledger's time as far as it was followed.
   */
  underWay(
    provider: Party,
    prefixes: readonly string[],
    io: Io,
  ): Promise<{ readonly changes: readonly ChangeId[]; readonly ledgerTime: string | null }>;
  /**
   * Returns the timers that may fire and that no transaction is changing, the longest due first; `null` if another
   * process holds the clock's lease.
   */
  due(query: DueQuery, limit: number, leaseEpoch: bigint, io: Io): Promise<readonly Timer[] | null>;
  /** Returns, for timers that may not fire yet, the next of the times that they wait for. */
  nextDue(query: DueQuery, io: Io): Promise<NextDue>;
  /** Returns the timers of open renewals with an allocation; `null` if another process holds the clock's lease. */
  payable(
    query: DueQuery,
    limit: number,
    leaseEpoch: bigint,
    io: Io,
  ): Promise<readonly Timer[] | null>;
  /** Returns fired timers whose change has ended while their lifecycle still stands. */
  failed(provider: Party, limit: number, io: Io): Promise<readonly FailedTimer[]>;
  /** Returns false if another process holds the lease. */
  move(moves: readonly TimerMove[], leaseEpoch: bigint, io: Io): Promise<boolean>;
  page(query: TimerPageQuery, io: Io): Promise<readonly TimerView[]>;
}
