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
import type { ForeignLedgerTx } from './foreign-ledgers.ts';
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

/** One database transaction. Locks are taken in lane order. */
export interface Tx extends TimerTx, ProofTx, ForeignLedgerTx {
  changeByCommand(key: CommandKey): Promise<Change | null>;
  /** Finds by any contract ID that it ever had, or its own ID. Not locked: only `lane` is reliable. */
  findLifecycle(id: string): Promise<Lifecycle | null>;
  /**
   * Returns the lifecycle whose step began this one, from the first row of its history; `null` if unknown. An earlier
   * version writes no other origin.
   */
  begunThrough(id: LifecycleId): Promise<LifecycleId | null>;
  /** Returns the first few lifecycles of a kind that have the same parties and number and have not ended. */
  alike(kind: LifecycleKind, of: Lifecycle): Promise<readonly LifecycleId[]>;
  /**
   * Returns what a batch touches, before anything is locked: lifecycles by contract ID; changes by the submission IDs
   * of their attempts; open changes whose recorded acceptance names one of the updates, or whose workflow ID one of
   * them carries; and the carried changes that the store does not have.
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
  /** Stores effects of operations that the store does not have. @returns the new ones */
  bury(tombstones: readonly Tombstone[]): Promise<readonly Tombstone[]>;
  /**
   * Returns lanes whose head waits only for a position that a stream has reached, by the name of the stream; if there
   * are very many, those with the earliest positions.
   */
  lanesWaitingFor(cursors: ReadonlyMap<string, bigint>): Promise<readonly LaneId[]>;
  /** Returns at most `limit` interrupted lanes, those whose last turn was the longest ago. */
  interruptedLanes(limit: number): Promise<readonly InterruptedLane[]>;
  /**
   * Creates missing mailboxes, then locks the mailboxes, their lifecycles that have not ended, and the lifecycles of
   * their heads, in order.
   */
  lock(lanes: readonly LaneId[]): Promise<{
    readonly mailboxes: readonly Mailbox[];
    readonly lifecycles: readonly Lifecycle[];
    readonly heads: readonly Change[];
  }>;
  /** Like `lock`, but skips lanes that another transaction has locked: the returned mailboxes show which are locked. */
  lockFree(lanes: readonly LaneId[]): ReturnType<Tx['lock']>;
  /** Returns at most `limit` changes that wait in a locked lane behind a place of its mailbox, in order. */
  queued(lane: LaneId, afterNo: number, limit: number): Promise<readonly Change[]>;
  change(id: ChangeId): Promise<Change | null>;
  /** Returns the retries of a change by persons, oldest first: see `retryCommandId`. */
  retriesOf(root: ChangeId): Promise<readonly Change[]>;
  /** Returns the attempts that are not refused and the newest hundred, oldest first. */
  attemptsOf(change: ChangeId): Promise<readonly Attempt[]>;
  /**
   * Writes everything. Must not overwrite a change that is already final in the table. The recorded request of an
   * existing change stays; its deduplication offset is replaced, which moves only if nothing before it can have taken
   * effect.
   */
  save(writes: Writes): Promise<void>;
  /**
   * Dispatches effects that this transaction has saved and starts their first attempts. Effects under a pause, of a
   * foreign ledger or of a participant with a circuit stay due, and so do all of them after the end of the session. No
   * pause and no mark is written until the transaction ends.
   *
   * @param session name of the database session that shows that this process is alive
   * @returns a function that resolves to the started attempts, at the latest after the commit
   */
  startFirst(
    session: string,
    attempts: readonly FirstAttempt[],
  ): () => Promise<ReadonlyMap<EffectId, StartedAttempt>>;
  cursors(): Promise<ReadonlyMap<string, bigint>>;
  /** Returns the state by which requests are judged, with the tombstones of some command IDs. */
  followed(commandIds?: readonly CommandId[]): Promise<Followed>;
  /** Returns the replays by the name of the stream. */
  replays(): Promise<ReadonlyMap<string, Replay>>;
  /**
   * Records that the database server was restarted, or the ledger user replaced: until a stream has reached the ledger
   * end, requests wait and nothing is submitted. If both have happened they wait longer: see {@link Replay.heldFrom}.
   * Returns false if another process holds the lease.
   */
  beginReplay(stream: string, start: ReplayStart, leaseEpoch: bigint): Promise<boolean>;
  /**
   * Stores until when lost submissions may take effect. Returns false if that has changed since `before`, or if another
   * process holds the lease.
   */
  boundLost(stream: string, before: Lost, now: Lost, leaseEpoch: bigint): Promise<boolean>;
  /**
   * Returns the version of a provider's policy that is in force, and locks it until the transaction ends; 0 if none was
   * ever set, or if the newest one does not act yet.
   */
  policyVersion(name: PolicyName, provider: Party): Promise<number>;
  /** Returns the use of tenants, each counted up to the bounds and without uncommitted work of other transactions. */
  quotaUse(parties: readonly Party[], bounds: QuotaBounds): Promise<ReadonlyMap<Party, QuotaUse>>;
  /** Returns the traffic of tenants, as far as participants have reported it. */
  traffic(asked: readonly TrafficQuery[]): Promise<readonly Traffic[]>;
  /** Returns whether this epoch holds the lease, and keeps it so until the transaction ends. */
  holdsLease(name: string, epoch: bigint): Promise<boolean>;
  /** Returns by stream the newest update, or accepted completion, that moved its cursor. */
  landmarks(): Promise<ReadonlyMap<string, Landmark>>;
  /** Sets a stream's first cursor; returns false if it has one. */
  startCursor(move: CursorMove, leaseEpoch: bigint): Promise<boolean>;
  /** Returns the templates and interfaces whose contracts the projection holds: see `LedgerStreams.types`. */
  followedTypes(): Promise<ReadonlySet<string>>;
  /** Records the names of types, even if no contract of them was seen. */
  followTypes(types: readonly FollowedType[]): Promise<void>;
  /** Returns false if a cursor is not where the writer expects it, or if another process holds the lease. */
  moveCursors(moves: readonly CursorMove[], leaseEpoch: bigint): Promise<boolean>;
  insertUpdates(updates: readonly LedgerTransaction[], readAs: readonly Party[]): Promise<void>;
  insertActiveContracts(
    contracts: readonly ActiveContract[],
    readAs: readonly Party[],
  ): Promise<void>;
  /** Returns the renewal's payload and an allocation from the projection; `null` for what is unknown there. */
  settlement(query: {
    readonly renewal: ContractId;
    readonly allocation: ContractId;
  }): Promise<{ readonly renewal: JsonRecord | null; readonly allocation: Allocation | null }>;
  /** Returns what an applied update did, for an outcome that is settled after its update. */
  appliedUpdate(updateId: UpdateId): Promise<AppliedUpdate | null>;
  /**
   * Returns applied updates that carry the change's workflow ID and in which its party acted, oldest first, a bounded
   * number: other clients that know the workflow ID may have used it. Omits updates with another command ID.
   */
  updatesCarrying(
    change: Pick<Change, 'id' | 'commandId' | 'submitter'>,
  ): Promise<readonly UpdateId[]>;
}

/** How far the ledger has been followed. */
export interface Followed {
  /** By the name of the stream. */
  readonly cursors: ReadonlyMap<string, bigint>;
  /** Record time of the newest applied update position, ISO 8601: the ledger has reached it. */
  readonly ledgerTime: string | null;
  /** Participants that hold another ledger than the store follows. */
  readonly foreign: readonly ParticipantName[];
  /** Streams that have not reached the ledger end since the database server started. */
  readonly replaying: ReadonlySet<string>;
  readonly tombstones: readonly Tombstone[];
}

/** The part of an applied update that answers need. */
export interface AppliedUpdate {
  readonly updateId: UpdateId;
  /** Offset on the participant whose updates are projected. */
  readonly offset: bigint;
  /** Empty unless one of the reading parties submitted it. */
  readonly commandId: string;
  /** Set by the submitter, which may be any client. */
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

/** Observes the writes of a store's transactions. */
export interface StoreObserver {
  /**
   * Name of the observing process. Notifications of effects carry it, so that this process need not look for its own
   * effects twice.
   */
  readonly process?: string;
  /**
   * Called when a transaction has committed.
   *
   * @param writes in order
   * @param startMs when it was begun, before its first try; wall time
   */
  committed(writes: readonly Writes[], startMs: number): void;
  /**
   * Called when a transaction has failed after writing. It may still have committed, if the answer was lost, or if the
   * answer said that a standby may miss it.
   */
  failed?(writes: readonly Writes[]): void;
}

export interface Store {
  /**
   * Runs `work` in one transaction and commits. Repeats it after a serialisation failure or deadlock, so `work` must
   * have no other effects.
   */
  transact<T>(io: Io, work: (tx: Tx) => Promise<T>): Promise<T>;
  reads: Reads;
}
