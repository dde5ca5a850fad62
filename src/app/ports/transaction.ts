import type { PolicyName } from '../../domain/automatic.ts';
import type { Attempt, Change } from '../../domain/change.ts';
import type {
  ChangeId,
  CommandId,
  ContractId,
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
  /** Any contract ID it ever had, or its own id. Not locked: only `lane` may be relied on. */
  findLifecycle(id: string): Promise<Lifecycle | null>;
  /**
   * The lifecycle by whose step this one began, as the line of its birth says; `null` where that is not known. An
   * earlier version writes no origin besides.
   */
  begunThrough(id: LifecycleId): Promise<LifecycleId | null>;
  /** The first few lifecycles of a kind that have the same parties and number and have not ended. */
  alike(kind: LifecycleKind, of: Lifecycle): Promise<readonly LifecycleId[]>;
  /**
   * What a batch touches, before anything is locked: lifecycles by contract ID; changes by the submission
   * IDs of their attempts; open changes whose recorded acceptance names one of the updates, or whose workflow ID one
   * of them carries; and which of the carried changes the store does not have.
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
  /** Keeps effects of operations that the store does not have. @returns those that are new */
  bury(tombstones: readonly Tombstone[]): Promise<readonly Tombstone[]>;
  /**
   * Lanes whose head waits for a position that a stream has reached, by the name of the stream, and for no later time;
   * of very many those that wait for the earliest positions.
   */
  lanesWaitingFor(cursors: ReadonlyMap<string, bigint>): Promise<readonly LaneId[]>;
  /** Lanes that were interrupted, at most `limit`: those whose last turn was the longest ago. */
  interruptedLanes(limit: number): Promise<readonly InterruptedLane[]>;
  /**
   * Creates missing mailboxes, then locks them, every lifecycle in them that has not ended and those of their heads, in
   * order.
   */
  lock(lanes: readonly LaneId[]): Promise<{
    readonly mailboxes: readonly Mailbox[];
    readonly lifecycles: readonly Lifecycle[];
    readonly heads: readonly Change[];
  }>;
  /** The same for those lanes that no other transaction has locked at this moment: their mailboxes say which. */
  lockFree(lanes: readonly LaneId[]): ReturnType<Tx['lock']>;
  /** The changes that wait in a locked lane behind a place of its mailbox, in order, at most `limit`. */
  queued(lane: LaneId, afterNo: number, limit: number): Promise<readonly Change[]>;
  change(id: ChangeId): Promise<Change | null>;
  /** What was made of a change when persons had it done again, oldest first: see `retryCommandId`. */
  retriesOf(root: ChangeId): Promise<readonly Change[]>;
  /** Those that are not refused, and the newest hundred, oldest first. */
  attemptsOf(change: ChangeId): Promise<readonly Attempt[]>;
  /**
   * Writes everything; a change that is already final in the table must not be overwritten. Of a change that is there,
   * what it means stays as it was recorded; its deduplication offset is replaced, which moves only where nothing before
   * it can have taken effect.
   */
  save(writes: Writes): Promise<void>;
  cursors(): Promise<ReadonlyMap<string, bigint>>;
  /** What requests are judged by, with the tombstones of some command IDs. */
  followed(commandIds?: readonly CommandId[]): Promise<Followed>;
  /** By the name of the stream. */
  replays(): Promise<ReadonlyMap<string, Replay>>;
  /**
   * The database server was started anew, or the ledger user is another one: until a stream has reached the ledger end,
   * requests wait and nothing is submitted. They wait longer where both have happened: see {@link Replay.heldFrom}.
   * False when the lease is another's.
   */
  beginReplay(stream: string, start: ReplayStart, leaseEpoch: bigint): Promise<boolean>;
  /**
   * Keeps until when lost submissions may take effect. False where it was changed since `before`, or the lease is
   * another's.
   */
  boundLost(stream: string, before: Lost, now: Lost, leaseEpoch: bigint): Promise<boolean>;
  /**
   * The version of a provider's policy that is in force, and stays so until the transaction ends; 0 where none was ever
   * set, or the newest one does not act yet.
   */
  policyVersion(name: PolicyName, provider: Party): Promise<number>;
  /** What tenants use, each counted up to the bounds and without what other transactions have not committed. */
  quotaUse(parties: readonly Party[], bounds: QuotaBounds): Promise<ReadonlyMap<Party, QuotaUse>>;
  /** The traffic of tenants, as far as participants have reported it. */
  traffic(asked: readonly TrafficQuery[]): Promise<readonly Traffic[]>;
  /** Whether this is the term of a lease, which it stays until the transaction ends. */
  holdsLease(name: string, epoch: bigint): Promise<boolean>;
  /** By the name of the stream: the newest update, or accepted completion, that moved its cursor. */
  landmarks(): Promise<ReadonlyMap<string, Landmark>>;
  /** Sets a stream's first cursor; false when it has one. */
  startCursor(move: CursorMove, leaseEpoch: bigint): Promise<boolean>;
  /** The templates and interfaces whose contracts the projection holds: see `LedgerStreams.types`. */
  followedTypes(): Promise<ReadonlySet<string>>;
  /** Their names are known from then on, also where no contract has been seen. */
  followTypes(types: readonly FollowedType[]): Promise<void>;
  /** False when a cursor is not where the writer believes, or the lease is another's. */
  moveCursors(moves: readonly CursorMove[], leaseEpoch: bigint): Promise<boolean>;
  insertUpdates(updates: readonly LedgerTransaction[], readAs: readonly Party[]): Promise<void>;
  insertActiveContracts(
    contracts: readonly ActiveContract[],
    readAs: readonly Party[],
  ): Promise<void>;
  /** The renewal's payload beside an allocation of the projection; what is not known there is `null`. */
  settlement(query: {
    readonly renewal: ContractId;
    readonly allocation: ContractId;
  }): Promise<{ readonly renewal: JsonRecord | null; readonly allocation: Allocation | null }>;
  /** What an applied update did, for an outcome that is settled after its update. */
  appliedUpdate(updateId: UpdateId): Promise<AppliedUpdate | null>;
  /**
   * Applied updates that carry the change's workflow ID and in which its party acted, oldest first, a bounded number:
   * others that know the workflow ID may have put it there. Those with another command ID are left out.
   */
  updatesCarrying(
    change: Pick<Change, 'id' | 'commandId' | 'submitter'>,
  ): Promise<readonly UpdateId[]>;
}

/** How far the ledger has been followed. */
export interface Followed {
  /** By the name of the stream. */
  readonly cursors: ReadonlyMap<string, bigint>;
  /** Record time of the newest update position that was applied, ISO 8601: the ledger has reached it. */
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
  /** On the participant whose updates are projected. */
  readonly offset: bigint;
  /** Empty unless one of the reading parties submitted it. */
  readonly commandId: string;
  /** Whatever its submitter has put there. */
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

/** Told of what transactions of a store have written. */
export interface StoreObserver {
  /**
   * Names the process that hears it here. What the store tells of effects bears the name, so that this process need not
   * look for them twice.
   */
  readonly process?: string;
  /**
   * A transaction has committed.
   *
   * @param writes in order
   * @param startMs when it was begun, before its first try; wall time
   */
  committed(writes: readonly Writes[], startMs: number): void;
  /**
   * A transaction has failed after it had written. It may have committed all the same, where the answer to that was
   * lost, or said that a standby may miss it.
   */
  failed?(writes: readonly Writes[]): void;
}

export interface Store {
  /**
   * Runs `work` in one transaction and commits; repeats it after a serialisation failure or deadlock, so
   * `work` must not do anything else.
   */
  transact<T>(io: Io, work: (tx: Tx) => Promise<T>): Promise<T>;
  reads: Reads;
}
