import type { LedgerAnswer, Reach } from '../../domain/answer.ts';
import type {
  Attempt,
  AttemptAnswer,
  Change,
  ChangeState,
  Effect,
  Submitter,
  Wait,
} from '../../domain/change.ts';
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
import { trusted } from '../../domain/ids.ts';
import type { PolicyName, TimerWrites } from '../../domain/automatic.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type {
  ActiveContract,
  CompletionElement,
  DisclosedContract,
  ExercisedEvent,
  LedgerCommand,
  LedgerTransaction,
  LedgerUpdate,
  SynchronizerTimes,
} from '../../domain/ledger.ts';
import type { Circuit, CircuitOpening, CircuitReason, Pause } from '../../domain/pause.ts';
import type { HistoryEntry, Lifecycle } from '../../domain/lifecycle.ts';
import type { ForeignLedgerReads, ForeignLedgerTx } from './foreign-ledgers.ts';
import type { OpsScope } from './ops-scope.ts';
import type { TimerTx } from './policies.ts';
import type { ProofTx } from './proofs.ts';
import type { Standstill } from '../../domain/standstill.ts';

export type { ClockWatch, LedgerClock, WallClock } from './clocks.ts';

/*
 * What the core asks of the world. Adapters implement these; tests of the core may implement them in memory
 * and must pass the same suite.
 */

/** Bounds of a call that leaves the process. */
export interface Io {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** Which participant and ledger user can authorise for a party. */
export interface Hosting {
  /** The provider whose licences this deployment runs. */
  readonly provider: Party;
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  /** `null` when no configured participant lets us act as the party. */
  submitterFor(party: Party, io: Io): Promise<Submitter | null>;
}

/** A lane's mailbox: who is at the head and how many wait. Locked before anything in the lane changes. */
export interface Mailbox {
  readonly lane: LaneId;
  /** The change that is on its way to the ledger, or in doubt. */
  readonly head: ChangeId | null;
  readonly nextNo: number;
  readonly waiting: number;
}

/** A contract ID that leads to a lifecycle. */
export interface LineageEntry {
  readonly contractId: ContractId;
  readonly lifecycleId: LifecycleId;
  readonly lane: LaneId;
}

/** An attempt of ours, found by its submission ID. */
export interface SubmissionRef {
  readonly submissionId: SubmissionId;
  readonly changeId: ChangeId;
  readonly lane: LaneId;
  /** When the attempt was begun, by the database's clock. ISO 8601. */
  readonly at: string;
}

/** Our own identity of a command: wherever it was sent, and for whichever ledger user, which are part of the ledger's. */
export type CommandKey = Pick<Submitter, 'actAs'> & Pick<Change, 'commandId'>;

/** An answer to a recorded attempt, found by its submission ID. */
export interface AttemptUpdate {
  readonly submissionId: SubmissionId;
  readonly answer: AttemptAnswer;
  /** How far the attempt got, which may end a circuit of its participant; nobody where it is not said. */
  readonly reached?: Reach;
}

/** See `Attempt.overAt`. */
export interface Pin {
  readonly submissionId: SubmissionId;
  readonly overAt: string;
}

/** Everything one step wants written. Whole rows are inserted or replaced by key. */
export interface Writes extends TimerWrites {
  readonly lifecycles: readonly Lifecycle[];
  readonly lineage: readonly LineageEntry[];
  readonly mailboxes: readonly Mailbox[];
  readonly changes: readonly Change[];
  /** A change that reaches the head of its lane gets its effect: never dispatched, due at once. */
  readonly newEffects: readonly Pick<Effect, 'id' | 'changeId' | 'dueAt'>[];
  /** The effect of this change is to be dispatched again, so many milliseconds after now by the database's clock. */
  readonly effectsDue: readonly { readonly changeId: ChangeId; readonly inMs: number }[];
  /** The change needs no more submissions. */
  readonly effectsDone: readonly ChangeId[];
  readonly attempts: readonly AttemptUpdate[];
  readonly history: readonly HistoryEntry[];
  readonly audit: readonly AuditEntry[];
  /** Until when something may come of attempts, where that was not known; what is known stays. */
  readonly pins: readonly Pin[];
  /** In the order in which they are told. */
  readonly events: readonly NewEvent[];
  /** Participants that are to be left alone for a while. */
  readonly circuits: readonly CircuitOpening[];
}

/** What a person did, most often to a change, and why: kept as long as anything is. */
export interface AuditEntry {
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly byParty: Party;
  readonly bySubject: string;
  /** Such as `decided`. */
  readonly act: string;
  /** `null` for what is done to no single change. */
  readonly changeId: ChangeId | null;
  /** What else was acted on, kind and name: `failure:1f2e3d4c5b6a7988`. */
  readonly subject?: string;
  /** The state of the change before and after; `null` without a change. */
  readonly from: ChangeState | null;
  readonly to: ChangeState | null;
  readonly reason: string;
  readonly detail: JsonRecord;
}

/** How far a stream has been applied. `from` is what the writer believes; a mismatch means it lost its lease. */
export interface CursorMove {
  readonly stream: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly recordTime: string | null;
  /** How far it tells of synchronizers; what it does not name stays where it was. */
  readonly times?: SynchronizerTimes;
  /** The newest of what moves it, if any can be named. */
  readonly landmark?: Landmark | null;
}

/** An update by which a ledger can be recognised: what it has at this offset does not change. */
export interface Landmark {
  readonly offset: bigint;
  readonly updateId: UpdateId;
}

export const UPDATES_STREAM = 'updates';
const COMPLETIONS = 'completions:';
export const completionsStream = (name: ParticipantName): string => `${COMPLETIONS}${name}`;
/** Whose completions a stream tells; `null` for the updates. */
export const participantOf = (stream: string): ParticipantName | null =>
  stream.startsWith(COMPLETIONS) ? trusted(stream.slice(COMPLETIONS.length)) : null;

/** One database transaction. Locks are taken in lane order. */
export interface Tx extends TimerTx, ProofTx, ForeignLedgerTx {
  changeByCommand(key: CommandKey): Promise<Change | null>;
  /** Any contract ID it ever had, or its own id. Not locked: only `lane` may be relied on. */
  findLifecycle(id: string): Promise<Lifecycle | null>;
  /**
   * What a batch touches, before anything is locked: lifecycles by contract ID; changes by the submission
   * IDs of their attempts; open changes whose recorded acceptance names one of the updates, or whose workflow ID one
   * of them carries.
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
  }>;
  /** Lanes whose head waits for a position that a stream has reached, by the name of the stream, and for no later time. */
  lanesWaitingFor(cursors: ReadonlyMap<string, bigint>): Promise<readonly LaneId[]>;
  /** Creates missing mailboxes, then locks them and every lifecycle in them, in order. */
  lock(lanes: readonly LaneId[]): Promise<{
    readonly mailboxes: readonly Mailbox[];
    readonly lifecycles: readonly Lifecycle[];
    readonly heads: readonly Change[];
  }>;
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
  /** Record time of the newest update position that was applied, ISO 8601: the ledger has reached it. */
  ledgerTime(): Promise<string | null>;
  /** The version that a provider's policy is at, and stays at until the transaction ends; 0 where none was ever set. */
  policyVersion(name: PolicyName, provider: Party): Promise<number>;
  /** Whether this is the term of a lease, which it stays until the transaction ends. */
  holdsLease(name: string, epoch: bigint): Promise<boolean>;
  /** By the name of the stream: the newest update, or accepted completion, that moved its cursor. */
  landmarks(): Promise<ReadonlyMap<string, Landmark>>;
  /** Sets a stream's first cursor; false when it has one. */
  startCursor(move: CursorMove, leaseEpoch: bigint): Promise<boolean>;
  /** The templates and interfaces whose contracts the projection holds: see `LedgerStreams.types`. */
  followedTypes(): Promise<ReadonlySet<string>>;
  followTypes(types: readonly string[]): Promise<void>;
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
  /** All applied updates that carry the change's workflow ID, oldest first: others may have put it there. */
  updatesCarrying(change: ChangeId): Promise<readonly UpdateId[]>;
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
  }[];
  readonly exercised: readonly Pick<ExercisedEvent, 'contractId' | 'choice' | 'result'>[];
}

export interface Store {
  /**
   * Runs `work` in one transaction and commits; repeats it after a serialisation failure or deadlock, so
   * `work` must not do anything else.
   */
  transact<T>(io: Io, work: (tx: Tx) => Promise<T>): Promise<T>;
  reads: Reads;
}

/** Money that a user has set aside, as the token standard's interface shows it. */
export interface Allocation {
  readonly contractId: ContractId;
  readonly view: JsonRecord;
  readonly isActive: boolean;
}

/** A lifecycle with its contract's payload, as lists and single gets show it. */
export interface LifecycleView {
  readonly lifecycle: Lifecycle;
  readonly payload: JsonRecord;
  /** Licences: the renewal requests of their number that have not ended, oldest first. */
  readonly renewals: readonly RenewalView[];
  /** Renewals: active allocations that name their request, newest first, the newest few. */
  readonly allocations: readonly Allocation[];
}

export type RenewalView = Pick<LifecycleView, 'lifecycle' | 'payload' | 'allocations'>;

export interface ListQuery {
  readonly kind: Lifecycle['kind'];
  /** Only lifecycles in which this party is provider or user. */
  readonly party: Party;
  readonly provider?: Party;
  readonly appUser?: Party;
  readonly state?: string;
  /** ISO 8601. */
  readonly expiresBefore?: string;
  readonly after?: ListKey;
  readonly limit: number;
}

/** A contract as it was projected, whether or not it still is active. Times are ISO 8601. */
export interface ContractView {
  readonly contractId: ContractId;
  /** `package-name:Module:Entity` of its template; of an interface where only a view of it is known. */
  readonly templateFqn: string;
  readonly packageId: string;
  readonly payload: JsonRecord;
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
  readonly createdAt: string;
  /** On the participant whose updates are projected. */
  readonly createdAtOffset: bigint;
  readonly archived: { readonly at: string; readonly offset: bigint } | null;
}

/** The comments on a licence: by number and both parties, because that is all that a comment names. */
export interface CommentQuery {
  readonly provider: Party;
  readonly appUser: Party;
  readonly licenseNum: bigint;
}

/** Position in the order of comments. `createdAt` as the payload has it. */
export interface CommentKey {
  readonly createdAt: string;
  readonly contractId: string;
}

/** Position in the order (user, number, id). */
export interface ListKey {
  readonly appUser: string;
  readonly licenseNum: string;
  readonly id: string;
}

/** Reads without locks. */
export interface Reads extends ForeignLedgerReads {
  lifecycle(id: string, io: Io): Promise<LifecycleView | null>;
  /** Active lifecycles only, ordered by user, licence number and id. */
  list(query: ListQuery, io: Io): Promise<readonly LifecycleView[]>;
  /**
   * The whole list, read in chunks with bounded memory; `io` bounds each of them. What is active all the time is in
   * it exactly once; what begins or ends meanwhile may be.
   */
  listAll(query: Omit<ListQuery, 'limit'>, io: Io): AsyncIterable<LifecycleView>;
  history(id: LifecycleId, io: Io): Promise<readonly HistoryEntry[]>;
  contract(id: ContractId, io: Io): Promise<ContractView | null>;
  /** Active comments, by the time that they name and their contract IDs. */
  comments(
    query: CommentQuery & { readonly after?: CommentKey; readonly limit: number },
    io: Io,
  ): Promise<readonly ContractView[]>;
  /** Comments that were made within a span of ledger time, oldest first, those that were archived since too. */
  commentsMade(
    query: CommentQuery & { readonly from: string; readonly until: string | null },
    io: Io,
  ): Promise<readonly ContractView[]>;
  changesById(ids: readonly ChangeId[], io: Io): Promise<readonly Change[]>;
  /** What keeps a participant from telling what became of submissions, where that is known. */
  standstillOf(participant: ParticipantName, io: Io): Promise<Standstill | null>;
  /** See `Tx.provenTime`. */
  provenTime(participant: ParticipantName, io: Io): Promise<string | null>;
  retriesOf(root: ChangeId, io: Io): Promise<readonly Change[]>;
  /** A party's changes with this command ID, newest first; after them what was recorded again by an earlier version. */
  changesByCommand(commandId: CommandId, callerParty: Party, io: Io): Promise<readonly Change[]>;
  /** Those that are not refused, and the newest hundred, oldest first. */
  attempts(change: ChangeId, io: Io): Promise<readonly Attempt[]>;
  /** What persons have done to a change, oldest first. */
  audit(change: ChangeId, io: Io): Promise<readonly AuditEntry[]>;
  /** How many changes of its lane stand before this queued one, the head included. */
  placeInMailbox(change: Change, io: Io): Promise<number>;
  headOf(lane: LaneId, io: Io): Promise<Change | null>;
  /**
   * Heads of lanes that have waited for one thing since before `since`, or were accepted before `acceptedBefore`;
   * the longest waiting first. None that is paused, unless its ledger is another one. ISO 8601.
   */
  longestWaiting(
    query: { readonly since: string; readonly acceptedBefore: string; readonly limit: number },
    io: Io,
  ): Promise<readonly Change[]>;
  /** Changes that a person has to decide, oldest first; without a scope, everybody's. */
  inDoubt(limit: number, io: Io, scope?: OpsScope): Promise<readonly Change[]>;
  /** What keeps a change from being submitted that a person could let go; `null` when nothing does. */
  pauseOf(change: ChangeId, io: Io): Promise<Pause | null>;
  /** Why a participant is left alone, where only a probe can end that. */
  circuitOf(participant: ParticipantName, io: Io): Promise<Circuit | null>;
  /**
   * What keeps us from sending anything of a provider through a participant now: a pause, or why the participant is left
   * alone until a time that has not come; `null` when nothing does.
   */
  heldBack(
    participant: ParticipantName,
    provider: Party,
    io: Io,
  ): Promise<'pause' | CircuitReason | null>;
  /** See `Tx.ledgerTime`. */
  ledgerTime(io: Io): Promise<string | null>;
  /** Who holds a lease, and until when by the database's clock; `null` when nobody ever has. */
  leaseOf(name: string, io: Io): Promise<LeaseView | null>;
}

export interface LeaseView {
  readonly holder: string;
  readonly epoch: bigint;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly isHeld: boolean;
}

/** The relay's side of the outbox. */
export interface Outbox {
  /**
   * Takes effects that are due, calls `put` while holding them, and marks them dispatched; if `put` throws,
   * nothing is marked and they stay due. What is paused, or of a foreign ledger, is put aside, and what is of a
   * participant that is left alone is put off, but for the one probe.
   *
   * @returns how many it has taken, whatever became of them
   */
  dispatchDue(
    limit: number,
    put: (effects: readonly { id: EffectId; dispatchNo: number }[]) => Promise<void>,
    io: Io,
  ): Promise<number>;
  /** Milliseconds until the nearest effect is due; `null` when none waits. */
  nextDueInMs(io: Io): Promise<number | null>;
  /**
   * Commits an attempt row for the change behind a dispatched effect, or answers `null` when there is nothing
   * to submit any more, or not now: the change has ended, a later dispatch has taken over, its ledger is foreign, or its
   * participant cannot be reached.
   *
   * @param isReached it has just answered what was asked of it: see `putOff`
   */
  startAttempt(
    effect: EffectId,
    dispatchNo: number,
    submissionId: SubmissionId,
    io: Io,
    isReached?: boolean,
  ): Promise<StartedAttempt | null>;
  /**
   * Puts a dispatched effect off whose participant cannot be reached, unless it is the one that was let through to find
   * out whether that is so still: its change, whose participant is to be asked.
   */
  putOff(effect: EffectId, dispatchNo: number, io: Io): Promise<Change | null>;
  /** The participant has answered: that it could not be reached is over, and what was put off for it is due. */
  participantReached(participant: ParticipantName, io: Io): Promise<void>;
}

export interface StartedAttempt {
  readonly change: Change;
  readonly attempt: number;
  /** `null` for a create. */
  readonly lifecycle: Lifecycle | null;
  /** The licence that a renewal is completed on, as it is now. */
  readonly license: Lifecycle | null;
  /** Why its participant is left alone, where only a probe can end that: this attempt is one, or was under way. */
  readonly circuit: CircuitReason | null;
}

/** Commands in, answers out; never throws for what the ledger says. */
export interface LedgerGateway {
  /** `null`: taken, the streams will tell. */
  submit(request: SubmitRequest, io: Io): Promise<LedgerAnswer | null>;
  /** Asks a participant something that takes no effect: why nothing gets to it, or `null` when it has answered. */
  reach(participant: ParticipantName, io: Io): Promise<LedgerAnswer | null>;
  ledgerEnd(participant: ParticipantName, io: Io): Promise<bigint>;
  /** The ids of the synchronizers that the participant is connected to and can send to at this moment. */
  synchronizers(participant: ParticipantName, io: Io): Promise<readonly string[]>;
  /** Of those the ones on which it can send as one of the parties that we act as; all, where it does not say. */
  synchronizersForParties(participant: ParticipantName, io: Io): Promise<readonly string[]>;
  /** Updates up to here cannot be read any more. */
  prunedUpTo(participant: ParticipantName, io: Io): Promise<bigint>;
  /** The offset of an update on a participant, or `null` when it has none that we may see, or not any more. */
  offsetOf(participant: ParticipantName, updateId: UpdateId, io: Io): Promise<bigint | null>;
  /**
   * The update at an offset of a participant, or `null` when it holds none that we may see.
   *
   * @throws also when the participant has forgotten what was there
   */
  updateAt(participant: ParticipantName, offset: bigint, io: Io): Promise<UpdateRef | null>;
}

/** An update as far as it tells whose it is. */
export interface UpdateRef {
  readonly updateId: UpdateId;
  readonly commandId: string;
  readonly workflowId: string;
}

export interface SubmitRequest {
  readonly submitter: Submitter;
  readonly commandId: CommandId;
  readonly submissionId: SubmissionId;
  readonly workflowId: string;
  readonly deduplicationOffset: bigint;
  readonly command: LedgerCommand;
  /** Contracts that the command needs and the participant may not know. */
  readonly disclosed: readonly DisclosedContract[];
  /** Where it is to be sequenced; absent or empty: where the participant chooses. */
  readonly synchronizerId?: string;
  /** The participant is told whose trace it works for, and tells it on with the completion and the update. */
  readonly traceparent?: string;
}

/** Why the token registry gave no answer that could be used. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  /** `unavailable`: may answer later. `not-found`: it does not know the allocation, or not yet. */
  readonly kind: 'unavailable' | 'not-found' | 'refused';
  constructor(kind: RegistryError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** What the ledger's token needs beside an allocation when it is settled. */
export interface SettlementContext {
  /** Entries of the choice context by name, each `{tag: 'AV_…', value}` in the query store's encoding. */
  readonly values: JsonRecord;
  readonly disclosed: readonly DisclosedContract[];
}

/** The registry of the token that fees are paid in. Every call may throw {@link RegistryError}. */
export interface TokenRegistry {
  /** The party that issues the token. */
  instrumentAdmin(io: Io): Promise<Party>;
  /** What the execution of an allocation's transfer needs at this moment. */
  settlementContext(allocation: ContractId, io: Io): Promise<SettlementContext>;
}

/** The streams, for the projector. Each ends by throwing; the projector reopens it from its cursor. */
export interface LedgerStreams {
  updates(afterOffset: bigint, signal: AbortSignal): AsyncIterable<LedgerUpdate>;
  completions(
    participant: ParticipantName,
    afterOffset: bigint,
    signal: AbortSignal,
  ): AsyncIterable<CompletionElement>;
  /** @param only of these types; without it, of all */
  activeContracts(
    atOffset: bigint,
    signal: AbortSignal,
    only?: ReadonlySet<string>,
  ): AsyncIterable<ActiveContract>;
  /** What the updates hold: templates and interfaces as `package:Module:Entity`. */
  readonly types: readonly string[];
  readonly participants: readonly ParticipantName[];
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
}

/** The lease of whoever may move cursors. */
export const PROJECTOR_LEASE = 'projector';

/** The lease of whoever looks at the time: what has waited too long, what is due. */
export const CLOCK_LEASE = 'clock';

/** The lease of whoever numbers events. */
export const EVENTS_LEASE = 'events';

/** A change that has waited too long for one thing. */
export interface Alarm {
  readonly changeId: ChangeId;
  readonly kind: Wait;
  /** Since when it waits, and since when somebody could know. ISO 8601. */
  readonly since: string;
  readonly raisedAt: string;
  readonly detail: string;
}

/** What has waited too long, as of the last look of the holder of the clock's lease. */
export interface Alarms {
  /**
   * Makes these the alarms.
   *
   * @returns what is new and what is over; `null` when the lease is another's
   */
  replace(
    alarms: readonly Omit<Alarm, 'raisedAt'>[],
    leaseEpoch: bigint,
    io: Io,
  ): Promise<{
    readonly raised: readonly Omit<Alarm, 'raisedAt'>[];
    readonly cleared: readonly ChangeId[];
  } | null>;
  /** The oldest first; without a scope, everybody's. */
  list(limit: number, io: Io, scope?: OpsScope): Promise<readonly Alarm[]>;
}

/** Mutual exclusion over processes, with fencing: a holder that has been replaced cannot write any more. */
export interface Leases {
  /** The new epoch, or `null` while another holds it. */
  acquire(name: string, holder: string, ttlMs: number, io: Io): Promise<bigint | null>;
  /** False when it was lost. */
  renew(name: string, holder: string, epoch: bigint, ttlMs: number, io: Io): Promise<boolean>;
  release(name: string, holder: string, epoch: bigint, io: Io): Promise<void>;
}

/** Structured log lines; the adapter is pino. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Tells other processes that something is there to look at. Lost signals cost a poll interval, nothing more. */
export interface Signals {
  /** After a commit: effects may be due. */
  effectsDue(): void;
}
