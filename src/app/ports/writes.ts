import type { Reach } from '../../domain/answer.ts';
import type { TimerWrites } from '../../domain/automatic.ts';
import type { AttemptAnswer, Change, ChangeState, Effect, Submitter } from '../../domain/change.ts';
import type { NewEvent } from '../../domain/event.ts';
import type {
  ChangeId,
  ContractId,
  LaneId,
  LifecycleId,
  Party,
  SubmissionId,
  UpdateId,
} from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { SynchronizerTimes } from '../../domain/ledger.ts';
import type { HistoryEntry, Lifecycle } from '../../domain/lifecycle.ts';
import type { CircuitOpening } from '../../domain/pause.ts';

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

/**
 * Our own identity of a command: wherever it was sent, and for whichever ledger user, which are part of the ledger's.
 */
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
  /** Contracts that stand for no lifecycle, each with the one that an operation has made it for. */
  readonly origins: readonly Omit<LineageEntry, 'lane'>[];
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
  readonly interrupted: readonly InterruptedLane[];
  /** Lanes that were interrupted and are no more. */
  readonly resumed: readonly LaneId[];
}

/** A lane without a head in which changes wait, because one transaction ends a bounded number of changes. */
export interface InterruptedLane {
  readonly lane: LaneId;
  /** Every change up to this place has been judged. */
  readonly afterNo: number;
}

/** Whether an effect is due from now on, or at another time than before. */
export const movesEffects = ({ newEffects, effectsDue }: Writes): boolean =>
  newEffects.length + effectsDue.length > 0;

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
