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
import type { CircuitOpening } from '../../domain/participant-health.ts';

/** A lane's mailbox: its head and the number of waiting changes. Must be locked before anything in the lane changes. */
export interface Mailbox {
  readonly lane: LaneId;
  /** The change that is being submitted or is in doubt. */
  readonly head: ChangeId | null;
  readonly nextNo: number;
  readonly waiting: number;
}

/** A current or former contract ID of a lifecycle. */
export interface LineageEntry {
  readonly contractId: ContractId;
  readonly lifecycleId: LifecycleId;
  readonly lane: LaneId;
}

/** One of our attempts, found by its submission ID, with its change and lane. */
export interface SubmissionRef {
  readonly submissionId: SubmissionId;
  readonly changeId: ChangeId;
  readonly lane: LaneId;
  /** When the attempt was begun, by the database's clock. ISO 8601. */
  readonly at: string;
}

/**
 * Identifies a command within Tenure, independent of participant and ledger user, which are part of the ledger's
 * command identity.
 */
export type CommandKey = Pick<Submitter, 'actAs'> & Pick<Change, 'commandId'>;

/** An answer to a recorded attempt, found by its submission ID. */
export interface AttemptUpdate {
  readonly submissionId: SubmissionId;
  readonly answer: AttemptAnswer;
  /** How far the attempt came, which may close a circuit of its participant; absent means `nobody`. */
  readonly reached?: Reach;
}

/** See `Attempt.overAt`. */
export interface Pin {
  readonly submissionId: SubmissionId;
  readonly overAt: string;
}

/** An effect that was never dispatched. */
interface NewEffect extends Pick<Effect, 'id' | 'changeId' | 'dueAt'> {
  /** Whether the transaction itself tries to start the first attempt, so no relay is notified: see `Tx.startFirst`. */
  readonly isEager?: boolean;
}

/** All rows that a transaction writes. Whole rows are inserted, or replaced by key. */
export interface Writes extends TimerWrites {
  readonly lifecycles: readonly Lifecycle[];
  readonly lineage: readonly LineageEntry[];
  /** Contracts that are not a lifecycle's own, each with the lifecycle for which an operation created it. */
  readonly origins: readonly Omit<LineageEntry, 'lane'>[];
  readonly mailboxes: readonly Mailbox[];
  readonly changes: readonly Change[];
  /** Effects of changes that have just reached the head of their lane: never dispatched, due at once. */
  readonly newEffects: readonly NewEffect[];
  /** Effects to dispatch again, `inMs` milliseconds from now by the database's clock. */
  readonly effectsDue: readonly { readonly changeId: ChangeId; readonly inMs: number }[];
  /** Changes that need no further submission. None of them is in `newEffects` or `effectsDue`. */
  readonly effectsDone: readonly ChangeId[];
  readonly attempts: readonly AttemptUpdate[];
  readonly history: readonly HistoryEntry[];
  readonly audit: readonly AuditEntry[];
  /** Times until which attempts may take effect. A time that is already stored is kept. */
  readonly pins: readonly Pin[];
  /** In the order in which followers receive them. */
  readonly events: readonly NewEvent[];
  /** Circuits to open. */
  readonly circuits: readonly CircuitOpening[];
  readonly interrupted: readonly InterruptedLane[];
  /** Lanes that are no longer interrupted. */
  readonly resumed: readonly LaneId[];
}

/** A lane without a head in which changes wait: one transaction ends only a bounded number of changes. */
export interface InterruptedLane {
  readonly lane: LaneId;
  /** All changes up to this mailbox number have been judged. */
  readonly afterNo: number;
}

/** Returns whether the transaction makes an effect due for a relay, or changes the time at which an effect is due. */
export const movesEffects = ({ newEffects, effectsDue }: Writes): boolean =>
  effectsDue.length > 0 || newEffects.some(({ isEager }) => isEager !== true);

/** An act of a person, usually on a change, with its reason. Stored longer than any other row. */
export interface AuditEntry {
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly byParty: Party;
  readonly bySubject: string;
  /** The act of the person, such as `decided`. */
  readonly act: string;
  /** `null` if the act concerns no single change. */
  readonly changeId: ChangeId | null;
  /** The object of the act if it is no change, by kind and name: `failure:1f2e3d4c5b6a7988`. */
  readonly subject?: string;
  /** The state of the change before and after; `null` without a change. */
  readonly from: ChangeState | null;
  readonly to: ChangeState | null;
  readonly reason: string;
  readonly detail: JsonRecord;
}

/**
 * The progress of a stream. `from` is the position that the writer expects; on a mismatch, the writer has lost its
 * lease.
 */
export interface CursorMove {
  readonly stream: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly recordTime: string | null;
  /** Record times of synchronizers; absent synchronizers keep their earlier times. */
  readonly times?: SynchronizerTimes;
  /** The newest update or completion by which the cursor moves, if it has an ID. */
  readonly landmark?: Landmark | null;
}

/** An update by which a ledger is recognised: the ledger never changes the update at this offset. */
export interface Landmark {
  readonly offset: bigint;
  readonly updateId: UpdateId;
}
