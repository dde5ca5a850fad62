import type { PolicyName, TimerKind } from '../../domain/automatic.ts';
import type { Change, Operation } from '../../domain/change.ts';
import type { ExpiryPolicy, LifecycleHold } from '../../domain/expiry-policy.ts';
import type { ChangeId, ContractId, LaneId, LifecycleId, Party } from '../../domain/ids.ts';
import type { RenewalPolicy } from '../../domain/renewal-policy.ts';
import type { Io } from './io.ts';

/* What the core asks of whoever keeps policies and timers: see `ports.ts`. */

/** A policy as it is kept. Version 0: the provider has never set one. */
export interface Kept<Policy> {
  readonly policy: Policy;
  readonly version: number;
  /**
   * How long the policy does not act yet after its confirmation, by the clock of the database. 0 or less: its start is
   * to be recorded with {@link Policies.start}. `null`: in force.
   */
  readonly startsInMs: number | null;
}

/** A person's confirmation of what a policy can end. */
export interface PolicyConfirmation {
  readonly reason: string;
  /** The previewed numbers, for the audit log. */
  readonly ends: PolicyEnds;
  /** The policy does not act before this time has passed. */
  readonly delayMs: number;
}

/** A confirmed policy that does not act yet. */
export interface PendingPolicy {
  readonly version: number;
  readonly bySubject: string;
  readonly reason: string;
  /** How many licences the person has confirmed. */
  readonly count: number;
  /** False: this version had no confirmation. The version before it still had to wait. */
  readonly canUndo: boolean;
  /** ISO 8601, by the clock of the database. */
  readonly startsAt: string;
  readonly startsInMs: number;
}

/** How many existing licences a policy can end, each number with those before it. */
export interface PolicyEnds {
  readonly atOnce: number;
  readonly within24Hours: number;
  readonly within30Days: number;
  readonly ever: number;
  /** Those of `ever` that were never renewed. */
  readonly neverRenewed: number;
}

/** Who changes a policy, and what it may be at before: see `If-Match`. */
export interface PolicyChange<Policy> {
  readonly provider: Party;
  readonly policy: Policy;
  readonly bySubject: string;
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly ifVersions?: readonly number[];
  /** Absent: the policy needs none, and acts at once. */
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
 * - `undone`: the policy before is in force again, as a new version.
 * - `changed`: another version is in force.
 * - `over`: the version has started, or never had to wait.
 */
export interface PolicyUndone {
  readonly end: 'undone' | 'changed' | 'over';
  readonly version: number;
}

/** What providers want to happen by itself. Every change leaves a line of the audit log. */
export interface Policies {
  expiry(provider: Party, io: Io): Promise<Kept<ExpiryPolicy>>;
  renewal(provider: Party, io: Io): Promise<Kept<RenewalPolicy>>;
  /** The version that it has now; without `isWritten` it was at none of those that were asked for. */
  setExpiry(change: PolicyChange<ExpiryPolicy>, io: Io): Promise<PolicySet>;
  setRenewal(change: PolicyChange<RenewalPolicy>, io: Io): Promise<PolicySet>;
  /** What keeps policies from ending these licences; those that nothing keeps are absent. */
  holds(ids: readonly LifecycleId[], io: Io): Promise<ReadonlyMap<LifecycleId, LifecycleHold>>;
  /** Records that the delays that are over are over: processes of earlier versions act on the policies from then on. */
  start(provider: Party, io: Io): Promise<void>;
}

/** What people do with confirmed policies before their start, and what they look at before. */
export interface PolicyDelays {
  pending(name: PolicyName, provider: Party, io: Io): Promise<PendingPolicy | null>;
  undo(change: PolicyUndo, io: Io): Promise<PolicyUndone>;
  /** What a policy can end of what there is now. */
  reach(query: ReachQuery, io: Io): Promise<PolicyReach>;
}

/** Timers of one kind, as a policy looks at them. Ended lifecycles have none. */
export interface ReachQuery {
  readonly provider: Party;
  readonly kind: TimerKind;
  readonly withNeverRenewed: boolean;
  /** @default false */
  readonly withSuspended?: boolean;
  readonly graceMs: number;
  /** Ledger time, ISO 8601. */
  readonly now: string;
  /** How many of the first are named. */
  readonly limit: number;
}

export interface PolicyReach {
  readonly ends: PolicyEnds;
  /** The first that end, each with the time from which on. */
  readonly first: readonly (TimerView & { readonly endsAt: string })[];
}

export interface PolicySet {
  readonly isWritten: boolean;
  readonly version: number;
}

/**
 * When a licence lapses, or the window of a renewal closes: what no policy changes. Ledger time but for `notBefore`.
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
  /** Rises with each change of a policy that has definitely failed. */
  readonly generation: number;
  /** How often its own contract was why: after a few of these it is given up. */
  readonly failures: number;
  /** Wall time: distance after a failure. */
  readonly notBefore: string | null;
  /** It has fired: the newest change that a policy made of it. */
  readonly changeId: ChangeId | null;
  readonly isGivenUp: boolean;
}

/** A timer with what it is of. */
export interface TimerView extends Timer {
  readonly contractId: ContractId;
  readonly appUser: Party;
  readonly licenseNum: bigint | null;
  readonly state: string;
}

/** Position in the order of timers. */
export type TimerKey = Pick<Timer, 'lapsesAt' | 'lifecycleId'>;

export interface TimerPageQuery {
  /** Whoever is provider or user of it. */
  readonly party: Party;
  readonly kind?: TimerKind;
  /** `waiting`: not fired. `fired`: its change is known. `given-up`: not tried again. */
  readonly state?: TimerState;
  readonly after?: TimerKey;
  readonly limit: number;
}

export const TIMER_STATES = ['waiting', 'fired', 'given-up'] as const;
export type TimerState = (typeof TIMER_STATES)[number];

export const timerState = ({ changeId, isGivenUp }: Timer): TimerState =>
  isGivenUp ? 'given-up' : changeId === null ? 'waiting' : 'fired';

/** Which timers may fire. Times are ISO 8601. */
export interface DueQuery {
  readonly provider: Party;
  readonly kind: TimerKind;
  readonly withNeverRenewed: boolean;
  /** @default false */
  readonly withSuspended?: boolean;
  /** Ledger time, less the grace: lapsed then or before. */
  readonly lapsedBy: string;
  /** Ledger time that is certainly past: windows that closed then or before are closed. */
  readonly closedBy: string;
  readonly wallNow: string;
}

/** ISO 8601: the next that lapses, the next window that closes, and the wall time at which a distance is over. */
export interface NextDue {
  readonly lapse: string | null;
  readonly close: string | null;
  readonly wall: string | null;
}

/** What becomes of a timer that is as it was seen; one that has changed since stays as it is. */
export interface TimerMove {
  readonly seen: Timer;
  readonly to: Pick<Timer, 'generation' | 'failures' | 'notBefore' | 'changeId' | 'isGivenUp'>;
}

/** A timer that has fired, with what became of it. */
export interface FailedTimer {
  readonly timer: Timer;
  readonly change: Change;
}

/** What a transaction of the core does with timers: see `Tx`. */
export interface TimerTx {
  /**
   * One of the open changes in a locked lane that do one of these things to a lifecycle: its head, or the first to
   * come.
   */
  openIn(
    lane: LaneId,
    lifecycle: LifecycleId,
    operations: readonly Operation[],
  ): Promise<Change | null>;
  /** The timer of a lifecycle, which stays what it is until the transaction ends. */
  timer(lifecycle: LifecycleId): Promise<Timer | null>;
  /** Moves a timer that this transaction has read: see `Timers.move`, which asks for the clock's lease instead. */
  moveTimer(move: TimerMove): Promise<void>;
}

/** The timers as the clock works with them. What writes names the epoch of the clock's lease. */
export interface Timers {
  /**
   * The changes of these steps that are on their way, besides those in doubt, and the ledger's time as far as it was
   * followed.
   */
  underWay(
    provider: Party,
    prefixes: readonly string[],
    io: Io,
  ): Promise<{ readonly changes: readonly ChangeId[]; readonly ledgerTime: string | null }>;
  /**
   * Those that may fire and that nobody is changing at this moment, the longest due first; `null`: no longer the clock.
   */
  due(query: DueQuery, limit: number, leaseEpoch: bigint, io: Io): Promise<readonly Timer[] | null>;
  /** Of those that may not fire yet, what comes next of what each waits for. */
  nextDue(query: DueQuery, io: Io): Promise<NextDue>;
  /** Open renewals for which an allocation is there, with their timers; `null`: no longer the clock. */
  payable(
    query: DueQuery,
    limit: number,
    leaseEpoch: bigint,
    io: Io,
  ): Promise<readonly Timer[] | null>;
  /** Those that have fired and whose change has ended, and yet what they are of still stands. */
  failed(provider: Party, limit: number, io: Io): Promise<readonly FailedTimer[]>;
  /** False when the lease is another's. */
  move(moves: readonly TimerMove[], leaseEpoch: bigint, io: Io): Promise<boolean>;
  page(query: TimerPageQuery, io: Io): Promise<readonly TimerView[]>;
}
