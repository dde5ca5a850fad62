import type { PolicyName } from '../../domain/automatic.ts';
import type { Attempt, Change } from '../../domain/change.ts';
import type {
  ChangeId,
  CommandId,
  ContractId,
  EffectId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
  SubmissionId,
  UpdateId,
} from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type {
  ActiveContract,
  FollowedType,
  ExercisedEvent,
  LedgerTransaction,
} from '../../domain/ledger.ts';
import type { Lifecycle, LifecycleKind } from '../../domain/lifecycle.ts';
import type { Io } from './io.ts';
import type { FirstAttempt, StartedAttempt } from './outbox.ts';
import type { TimerTx } from './policies.ts';
import type { ProofTx } from './proofs.ts';
import type { QuotaBounds, QuotaUse, Traffic, TrafficQuery } from './quotas.ts';
import type { Reads } from './reads.ts';
import type { Lost, Replay, ReplayStart, Tombstone } from './tombstones.ts';
import type { Allocation } from './views.ts';
import type {
  CommandKey,
  CursorMove,
  InterruptedLane,
  Landmark,
  LineageEntry,
  Mailbox,
  SubmissionRef,
  Writes,
} from './writes.ts';

/** One database transaction. Lanes are locked in a fixed order. */
export interface Tx extends TimerTx, ProofTx {
  changeByCommand(key: CommandKey): Promise<Change | null>;
  /**
   * Finds a lifecycle by a current or former contract ID, or by its own ID. Does not lock it, so only `lane` is
   * reliable.
   */
  findLifecycle(id: string): Promise<Lifecycle | null>;
  /**
   * Returns the lifecycle whose step began this one, as recorded in the first row of its history; `null` if unknown.
   * Earlier versions stored the origin only there.
   */
  begunThrough(id: LifecycleId): Promise<LifecycleId | null>;
  /** Returns a bounded number of lifecycles of a kind that have the same parties and number and have not ended. */
  alike(kind: LifecycleKind, of: Lifecycle): Promise<readonly LifecycleId[]>;
  /**
   * Returns the rows that a batch concerns, before anything is locked: lifecycles by contract ID; changes by the
   * submission IDs of their attempts; open changes whose recorded acceptance names one of the updates, or whose
   * workflow ID an update carries; and the carried changes that the store does not have.
   */
  lanesOf(query: {
    readonly contracts: readonly ContractId[];
    readonly submissions: readonly SubmissionId[];
    readonly updates: readonly UpdateId[];
    readonly carried: readonly ChangeId[];
  }): Promise<{
    readonly lineage: readonly LineageEntry[];
    readonly submissions: readonly SubmissionRef[];
    readonly waiting: readonly { readonly changeId: ChangeId; readonly lane: LaneId }[];
    readonly unknown: readonly ChangeId[];
  }>;
  /** Stores tombstones of operations that the store does not have. @returns the tombstones that were new */
  bury(tombstones: readonly Tombstone[]): Promise<readonly Tombstone[]>;
  /**
   * Returns lanes whose head waits only for a position that a stream, given by name, has reached. If there are very
   * many, returns those with the earliest positions.
   */
  lanesWaitingFor(cursors: ReadonlyMap<string, bigint>): Promise<readonly LaneId[]>;
  /** Returns at most `limit` interrupted lanes, those whose last turn was longest ago. */
  interruptedLanes(limit: number): Promise<readonly InterruptedLane[]>;
  /**
   * Creates missing mailboxes, then locks, in a fixed order, the mailboxes, their lifecycles that have not ended, and
   * the lifecycles of their heads.
   */
  lock(lanes: readonly LaneId[]): Promise<{
    readonly mailboxes: readonly Mailbox[];
    readonly lifecycles: readonly Lifecycle[];
    readonly heads: readonly Change[];
  }>;
  /**
   * Like `lanesOf`, but also locks the found lanes, and lanes that `lanesWaitingFor` finds, in one round trip. If very
   * many lanes wait, locks some of them, other ones each time.
   */
  lockOf(
    query: Parameters<Tx['lanesOf']>[0],
    cursors: ReadonlyMap<string, bigint>,
  ): Promise<
    Awaited<ReturnType<Tx['lanesOf']>> & { readonly locked: Awaited<ReturnType<Tx['lock']>> }
  >;
  /** Like `lock`, but skips lanes that another transaction has locked: the returned mailboxes show which are locked. */
  lockFree(lanes: readonly LaneId[]): ReturnType<Tx['lock']>;
  /** Returns at most `limit` changes that wait in a locked lane after a mailbox number, in order. */
  queued(lane: LaneId, afterNo: number, limit: number): Promise<readonly Change[]>;
  change(id: ChangeId): Promise<Change | null>;
  /** Returns the retries of a change that persons requested, oldest first: see `retryCommandId`. */
  retriesOf(root: ChangeId): Promise<readonly Change[]>;
  /** Returns all attempts that are not refused, and the newest hundred whatever their answer; oldest first. */
  attemptsOf(change: ChangeId): Promise<readonly Attempt[]>;
  /**
   * Writes all rows. A change that is already final in the table must not be overwritten. The request of an existing
   * change is kept. Its deduplication offset is replaced: the engine advances it only if no attempt can have taken
   * effect before it.
   */
  save(writes: Writes): Promise<void>;
  /**
   * Like `save`, but also dispatches new effects and starts their first attempts. Effects stay due if they are paused,
   * if their ledger is foreign, if their participant has an open circuit, or if the session has ended. Until the
   * transaction ends, no other process can write a pause or mark a ledger as foreign.
   *
   * @param session name of the database session that shows that this process is running
   * @returns a function that resolves to the started attempts, at the latest after the commit
   */
  startFirst(
    writes: Writes,
    session: string,
    attempts: readonly FirstAttempt[],
  ): () => Promise<ReadonlyMap<EffectId, StartedAttempt>>;
  cursors(): Promise<ReadonlyMap<string, bigint>>;
  /** Returns the state of the followed streams by which requests are judged, with tombstones of some command IDs. */
  followed(commandIds?: readonly CommandId[]): Promise<Followed>;
  /** Returns the replays by stream name. */
  replays(): Promise<ReadonlyMap<string, Replay>>;
  /**
   * Records that the database server was restarted, or the ledger user replaced: until a stream has reached the ledger
   * end, requests wait and nothing is submitted. If both have happened, requests wait longer: see {@link
   * Replay.heldFrom}. Returns false if another process holds the lease.
   */
  beginReplay(stream: string, start: ReplayStart, leaseEpoch: bigint): Promise<boolean>;
  /**
   * Stores the time until which lost submissions may take effect. Returns false if the stored time is no longer
   * `before`, or if another process holds the lease.
   */
  boundLost(stream: string, before: Lost, now: Lost, leaseEpoch: bigint): Promise<boolean>;
  /**
   * Returns the version of a provider's policy that is in effect, and locks it until the transaction ends; 0 if the
   * policy was never set, or if its newest version does not act yet.
   */
  policyVersion(name: PolicyName, provider: Party): Promise<number>;
  /**
   * Returns the use of tenants. Each use is counted only up to the bounds; uncommitted work of other transactions is
   * not counted.
   */
  quotaUse(parties: readonly Party[], bounds: QuotaBounds): Promise<ReadonlyMap<Party, QuotaUse>>;
  /** Returns the traffic of tenants, as far as participants have reported it. */
  traffic(asked: readonly TrafficQuery[]): Promise<readonly Traffic[]>;
  /** Returns whether this epoch holds the lease, and locks the lease until the transaction ends. */
  holdsLease(name: string, epoch: bigint): Promise<boolean>;
  /** Returns for each stream the newest update, or accepted completion, that moved its cursor. */
  landmarks(): Promise<ReadonlyMap<string, Landmark>>;
  /** Sets a stream's first cursor; returns false if the stream already has one. */
  startCursor(move: CursorMove, leaseEpoch: bigint): Promise<boolean>;
  /** Returns the templates and interfaces whose contracts the projection contains: see `LedgerStreams.types`. */
  followedTypes(): Promise<ReadonlySet<string>>;
  /** Records the names of types, even if no contract of these types was seen. */
  followTypes(types: readonly FollowedType[]): Promise<void>;
  /** Returns false if a cursor is not where the writer expects it, or if another process holds the lease. */
  moveCursors(moves: readonly CursorMove[], leaseEpoch: bigint): Promise<boolean>;
  insertUpdates(updates: readonly LedgerTransaction[], readAs: readonly Party[]): Promise<void>;
  insertActiveContracts(
    contracts: readonly ActiveContract[],
    readAs: readonly Party[],
  ): Promise<void>;
  /**
   * Returns the renewal's payload and an allocation from the projection; each is `null` if the projection does not have
   * it.
   */
  settlement(query: {
    readonly renewal: ContractId;
    readonly allocation: ContractId;
  }): Promise<{ readonly renewal: JsonRecord | null; readonly allocation: Allocation | null }>;
  /** Returns the contents of an applied update, for an outcome that is decided after its update was applied. */
  appliedUpdate(updateId: UpdateId): Promise<AppliedUpdate | null>;
  /**
   * Returns applied updates that carry the change's workflow ID and in which the change's party acted, oldest first.
   * The number is bounded, because other clients that know the workflow ID may have used it. Omits updates with another
   * command ID.
   */
  updatesCarrying(
    change: Pick<Change, 'id' | 'commandId' | 'submitter'>,
  ): Promise<readonly UpdateId[]>;
}

/** How far the streams have been followed. */
export interface Followed {
  /** Positions by stream name. */
  readonly cursors: ReadonlyMap<string, bigint>;
  /** Record time of the newest update position that was applied, ISO 8601. The ledger's time is not before it. */
  readonly ledgerTime: string | null;
  /** Participants that hold another ledger than the one that the store follows. */
  readonly foreign: readonly ParticipantName[];
  /** Streams that have not yet reached the ledger end as of the last start of the database server. */
  readonly replaying: ReadonlySet<string>;
  readonly tombstones: readonly Tombstone[];
}

/** The part of an applied update from which answers are made. */
export interface AppliedUpdate {
  readonly updateId: UpdateId;
  /** Offset on the participant whose updates are projected. */
  readonly offset: bigint;
  /** Empty unless one of the reading parties submitted it. */
  readonly commandId: string;
  /** Set by the client that submitted the update, which need not be Tenure. */
  readonly workflowId: string;
  readonly created: readonly {
    readonly contractId: ContractId;
    readonly templateFqn: string;
    readonly payload: JsonRecord;
    readonly signatories: readonly Party[];
  }[];
  readonly exercised: readonly Pick<
    ExercisedEvent,
    'contractId' | 'choice' | 'result' | 'actingParties'
  >[];
}

/** Called about the writes of a store's transactions. */
export interface StoreObserver {
  /**
   * Name of the observing process. Notifications about effects carry it, so that this process does not react to its own
   * effects a second time.
   */
  readonly process?: string;
  /**
   * Called when a transaction has committed.
   *
   * @param writes in order
   * @param startMs wall time at which the transaction began, before its first try
   */
  committed(writes: readonly Writes[], startMs: number): void;
  /**
   * Called when a transaction has failed after writing. It may still have committed: the answer may have been lost, or
   * the answer may only have said that a standby possibly lacks the transaction.
   */
  failed?(writes: readonly Writes[]): void;
}

export interface Store {
  /**
   * Runs `work` in one transaction and commits. Repeats `work` after a serialisation failure or deadlock, so `work`
   * must have no effects outside the database.
   */
  transact<T>(io: Io, work: (tx: Tx) => Promise<T>): Promise<T>;
  reads: Reads;
}
