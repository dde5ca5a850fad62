import type { ContractModel } from '../../app/contract/model.ts';
import type { AuditEntry, Mailbox } from '../../app/ports/writes.ts';
import type { Attempt, Change, Effect } from '../../domain/change.ts';
import type {
  ContractId,
  LifecycleId,
  ParticipantName,
  Party,
  SubmissionId,
  UpdateId,
} from '../../domain/ids.ts';
import type { Pause } from '../../domain/pause.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import type {
  ActiveContract,
  LedgerCompletion,
  LedgerTransaction,
  SynchronizerTimes,
} from '../../domain/ledger.ts';
import type { HistoryEntry, Lifecycle } from '../../domain/lifecycle.ts';

/*
 * What the invariants are judged by: the store as it was in one snapshot, and what the ledger says of the same span.
 *
 * An evidence may be the whole of a system or a part of it, so that a large one is checked piece by piece. A check
 * judges only what is there, and relies on these promises of whoever gathers it:
 *
 * - all rows are from one snapshot of the store; the ledger was asked up to that snapshot's cursors and no further,
 *   so that what happens meanwhile is on neither side;
 * - a change comes with everything that belongs to it (`ChangeEvidence`), a mailbox with its head, a lifecycle with the
 *   rows and the lineage of the contract that stands for it;
 * - changes that the updates name by their workflow ID are there, where the store has them;
 * - contracts that the updates consume, and the lineage of all their contracts with its lifecycles, are there, where
 *   the store has them; a lifecycle that is there for that reason alone brings no history (`fromBirth`, `toNow` false);
 * - within `ledger.after` (exclusive) and `ledger.upTo` (inclusive) all rows and all transactions are there.
 */

/** A row of the projection that stands for one update. Texts that the ledger left empty are empty. */
export interface UpdateRow {
  readonly offset: bigint;
  readonly updateId: UpdateId;
  readonly recordTime: string;
  readonly effectiveAt: string;
  readonly workflowId: string;
  readonly commandId: string;
}

/** A contract, or one interface's view of it. */
export interface ContractRow {
  readonly contractId: ContractId;
  /** Of the template, or of the interface whose view this is: `package-name:Module:Entity`. */
  readonly templateFqn: string;
  readonly packageId: string;
  readonly payload: JsonRecord;
  readonly signatories: readonly string[];
  readonly observers: readonly string[];
  readonly divulgedOnly: boolean;
  readonly createdAtOffset: bigint;
  readonly createdNodeId: number;
  /** ISO 8601, ledger time. */
  readonly createdAt: string;
  readonly archived: {
    readonly offset: bigint;
    readonly nodeId: number;
    readonly at: string;
  } | null;
}

export interface ExerciseRow {
  readonly offset: bigint;
  readonly nodeId: number;
  readonly contractId: ContractId;
  readonly templateFqn: string;
  readonly choice: string;
  readonly argument: Json;
  readonly result: Json;
  readonly consuming: boolean;
  readonly lastDescendantNodeId: number;
  readonly controllers: readonly string[];
}

/** How far a stream has been applied, and from where on its history is complete. */
export interface CursorRow {
  readonly stream: string;
  readonly oldest: bigint;
  readonly offset: bigint;
  /** How far it has told of synchronizers, without those that a person has given up. */
  readonly times: SynchronizerTimes;
}

export interface MailboxEvidence extends Mailbox {
  /** When the lane last had its turn; `null` for a lane that no transaction has left without a head. ISO 8601. */
  readonly interruptedAt: string | null;
}

export interface LeaseRow {
  readonly name: string;
  readonly holder: string;
  readonly epoch: bigint;
  readonly expiresAt: string;
}

/** What blocks effects: the pauses and drains, and the participants whose ledger is not the store's. */
export interface Causes {
  readonly pauses: readonly Pick<Pause, 'scope' | 'name' | 'mode' | 'since'>[];
  readonly foreign: readonly ParticipantName[];
}

/** A change with everything that belongs to it. */
export interface ChangeEvidence {
  readonly change: Change;
  /** Above 0 only where an earlier version has recorded its command more than once. */
  readonly duplicateNo?: number;
  /** By number. */
  readonly attempts: readonly Attempt[];
  readonly effect: Effect | null;
  /** The rows of the updates that its acceptance names or that carry its workflow ID, by offset. */
  readonly updates: readonly UpdateRow[];
  /** The lines of its lifecycle's history that name its command ID. */
  readonly history: readonly HistoryEntry[];
  /** What persons did to it, oldest first. */
  readonly audit: readonly AuditEntry[];
}

/** A lifecycle with its history, in order; or, of a long one, with an unbroken part of it. */
export interface LifecycleEvidence {
  readonly lifecycle: Lifecycle;
  readonly history: readonly HistoryEntry[];
  /** Whether the history is there from its first line, and to its last. */
  readonly fromBirth: boolean;
  readonly toNow: boolean;
}

/** What the participants say, asked apart from the projector. */
export interface LedgerEvidence {
  /** The updates of the projected participant in (`after`, `upTo`], in order. */
  readonly after: bigint;
  readonly upTo: bigint;
  readonly transactions: readonly LedgerTransaction[];
  /** The completions of participants in (`after`, `upTo`], in order. */
  readonly completions: readonly {
    readonly participant: ParticipantName;
    readonly after: bigint;
    readonly upTo: bigint;
    readonly elements: readonly LedgerCompletion[];
    /** False where the participant may have withheld some when they were followed: then none need be known. */
    readonly isReliable: boolean;
  }[];
  /**
   * Active contracts as of `upTo`, some or all: their rows and lifecycles are in the evidence where the store has them.
   */
  readonly active: readonly ActiveContract[];
}

/** What only somebody who watches can see. All of it may be left empty. */
export interface Observed {
  /** Each move of a cursor that was committed, in order. */
  readonly moves: readonly {
    readonly stream: string;
    readonly from: bigint;
    readonly to: bigint;
  }[];
  /** Each time something that was due was handed on: dispatches of effects, timers. Both times by one clock. */
  readonly firings: readonly {
    readonly timer: string;
    /** How often the timer has fired, this time included. */
    readonly number: number;
    readonly dueAt: string;
    readonly at: string;
    /** Which life of the database: marks of dispatches may be lost with it, and their numbers come again. */
    readonly life: number;
  }[];
  /** Of attempts that were held to be over: up to which record time everything was told when that was committed. */
  readonly proofs: ReadonlyMap<SubmissionId, string | null>;
}

export interface Evidence {
  /** By the database's clock, when the snapshot was taken: due times are compared with it. ISO 8601. */
  readonly at: string;
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
  /** What its contracts, lifecycles and operations are. */
  readonly model: ContractModel;
  readonly cursors: readonly CursorRow[];
  readonly leases: readonly LeaseRow[];
  readonly causes: Causes;
  /** The time of the newest row of the audit log that retention deleted. ISO 8601. */
  readonly auditDeletedUntil: string | null;
  /** By lane and place in it. */
  readonly changes: readonly ChangeEvidence[];
  readonly mailboxes: readonly MailboxEvidence[];
  readonly lifecycles: readonly LifecycleEvidence[];
  readonly lineage: ReadonlyMap<ContractId, LifecycleId>;
  readonly updates: readonly UpdateRow[];
  readonly contracts: readonly ContractRow[];
  readonly exercises: readonly ExerciseRow[];
  /** `null`: the ledger was not asked. */
  readonly ledger: LedgerEvidence | null;
  readonly observed: Observed | null;
}

/** Nothing at all: to be filled in part. */
export const emptyEvidence = (
  from: Pick<Evidence, 'at' | 'projected' | 'readAs' | 'model'>,
): Evidence => ({
  ...from,
  cursors: [],
  leases: [],
  causes: { pauses: [], foreign: [] },
  auditDeletedUntil: null,
  changes: [],
  mailboxes: [],
  lifecycles: [],
  lineage: new Map(),
  updates: [],
  contracts: [],
  exercises: [],
  ledger: null,
  observed: null,
});

/** Whether rows of the audit log about the change can have been deleted by retention. */
export const isAuditGone = (
  { auditDeletedUntil: until }: Pick<Evidence, 'auditDeletedUntil'>,
  { acceptedAt }: Pick<Change, 'acceptedAt'>,
): boolean => until !== null && acceptedAt <= until;

export const cursorOf = (
  { cursors }: Pick<Evidence, 'cursors'>,
  stream: string,
): CursorRow | undefined => cursors.find((cursor) => cursor.stream === stream);
