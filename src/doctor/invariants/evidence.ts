import type { ContractModel } from '../../app/contract/model.ts';
import type { RenewalFact } from '../../app/ports/subscriptions.ts';
import type { AuditEntry, Mailbox } from '../../app/ports/writes.ts';
import type { SubscriptionFacts } from '../../app/subscriptions/decide.ts';
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
 * The input of the invariants: the store in one snapshot, and the ledger over the same span.
 *
 * Evidence may cover a whole system or a part of it, so that a large system is checked in parts. A check judges only
 * the rows that are present, and relies on these promises of the code that gathers them:
 *
 * - all rows are from one snapshot of the store; the ledger was read up to that snapshot's cursors and no further, so
 *   that concurrent changes are on neither side;
 * - a change comes with all its related rows (`ChangeEvidence`), a mailbox with its head, a lifecycle with the rows and
 *   the lineage of its current contract;
 * - changes that the updates name by their workflow ID are present, if the store has them;
 * - contracts that the updates consume, and the lineage of all their contracts with its lifecycles, are present, if the
 *   store has them; a lifecycle that is present only for that reason has no history (`fromBirth`, `toNow` false);
 * - within `ledger.after` (exclusive) and `ledger.upTo` (inclusive) all rows and all transactions are present.
 */

/** The projection's row of one update. Texts that are empty on the ledger are empty here. */
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
  /** The template, or the interface of this view: `package-name:Module:Entity`. */
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

/** The position of a stream, and the offset after which its history is complete. */
export interface CursorRow {
  readonly stream: string;
  readonly oldest: bigint;
  readonly offset: bigint;
  /** The record times reported by synchronizers, without those that a person has given up. */
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

/** Causes for which effects are blocked: the pauses and drains, and the participants with a foreign ledger. */
export interface Causes {
  readonly pauses: readonly Pick<Pause, 'scope' | 'name' | 'mode' | 'since'>[];
  readonly foreign: readonly ParticipantName[];
}

/** A change with all its related rows. */
export interface ChangeEvidence {
  readonly change: Change;
  /** Above 0 only if an earlier version has recorded its command more than once. */
  readonly duplicateNo?: number;
  /** By number. */
  readonly attempts: readonly Attempt[];
  readonly effect: Effect | null;
  /** The updates that its acceptance names or that carry its workflow ID, by offset. */
  readonly updates: readonly UpdateRow[];
  /** The lines of its lifecycle's history that name its command ID. */
  readonly history: readonly HistoryEntry[];
  /** Acts of people on it, oldest first. */
  readonly audit: readonly AuditEntry[];
}

/** A lifecycle with its history in order or, if that is long, an unbroken part of it. */
export interface LifecycleEvidence {
  readonly lifecycle: Lifecycle;
  readonly history: readonly HistoryEntry[];
  /** Whether the history has its first line, and its last. */
  readonly fromBirth: boolean;
  readonly toNow: boolean;
}

/** A subscription with the facts that decide its next step, and what its row says of that step. */
export interface SubscriptionEvidence {
  /** Renewals with the ledger time of their creation, and the wall time at which their operation was recorded. */
  readonly facts: Omit<SubscriptionFacts, 'renewals'> & {
    readonly renewals: readonly (RenewalFact & {
      readonly createdAt: string;
      readonly recordedAt: string | null;
    })[];
  };
  /** Ledger time of the next look; `null`: not before something changes. */
  readonly dueAt: string | null;
  /** The request ID of the open offer whose allocation is looked for. */
  readonly offerId: string | null;
  /** Wall time since which the licence is suspended. */
  readonly suspendedAt: string | null;
}

/** The participants' records, read independently of the projector. */
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
    /** False if the participant may have withheld completions while they were followed: then none need be stored. */
    readonly isReliable: boolean;
  }[];
  /**
   * Active contracts as of `upTo`, some or all: their rows and lifecycles are in the evidence where the store has them.
   */
  readonly active: readonly ActiveContract[];
}

/** Facts that only a running observer can see. All of it may be empty. */
export interface Observed {
  /** Each move of a cursor that was committed, in order. */
  readonly moves: readonly {
    readonly stream: string;
    readonly from: bigint;
    readonly to: bigint;
  }[];
  /** Each dispatch of a due effect and each firing of a timer. Both times are from one clock. */
  readonly firings: readonly {
    readonly timer: string;
    /** How often the timer has fired, this time included. */
    readonly number: number;
    readonly dueAt: string;
    readonly at: string;
    /** The run of the database: a crash may lose marks of dispatches, and their numbers are then used again. */
    readonly life: number;
  }[];
  /**
   * Keyed by attempts that were judged to be over: the record time up to which everything was reported at that commit.
   */
  readonly proofs: ReadonlyMap<SubmissionId, string | null>;
}

export interface Evidence {
  /** Time of the database's clock at the snapshot, with which due times are compared. ISO 8601. */
  readonly at: string;
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
  /** The contracts, lifecycles and operations of its contract package. */
  readonly model: ContractModel;
  readonly cursors: readonly CursorRow[];
  readonly leases: readonly LeaseRow[];
  readonly causes: Causes;
  /** The time of the newest row of the audit log that retention deleted. ISO 8601. */
  readonly auditDeletedUntil: string | null;
  /** Ordered by lane and position. */
  readonly changes: readonly ChangeEvidence[];
  readonly mailboxes: readonly MailboxEvidence[];
  readonly lifecycles: readonly LifecycleEvidence[];
  readonly lineage: ReadonlyMap<ContractId, LifecycleId>;
  readonly updates: readonly UpdateRow[];
  readonly contracts: readonly ContractRow[];
  readonly exercises: readonly ExerciseRow[];
  readonly subscriptions: readonly SubscriptionEvidence[];
  /** `null` if the ledger was not read. */
  readonly ledger: LedgerEvidence | null;
  readonly observed: Observed | null;
}

/** Empty evidence, of which parts are then filled. */
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
  subscriptions: [],
  ledger: null,
  observed: null,
});

/** Whether retention may have deleted audit rows about the change. */
export const isAuditGone = (
  { auditDeletedUntil: until }: Pick<Evidence, 'auditDeletedUntil'>,
  { acceptedAt }: Pick<Change, 'acceptedAt'>,
): boolean => until !== null && acceptedAt <= until;

export const cursorOf = (
  { cursors }: Pick<Evidence, 'cursors'>,
  stream: string,
): CursorRow | undefined => cursors.find((cursor) => cursor.stream === stream);
