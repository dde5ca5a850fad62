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
 * The input of the invariants: the store in one snapshot, and the ledger over the same range of offsets.
 *
 * Evidence may cover a whole system or a part of one, so that a large system can be checked in parts. A check judges
 * only the rows that are present, and relies on these guarantees of the code that gathers the evidence:
 *
 * - all rows are from one snapshot of the store; the ledger was read up to that snapshot's cursors and no further, so
 *   that neither side includes later changes;
 * - a change comes with all its related rows (`ChangeEvidence`), a mailbox with its head, a lifecycle with the rows and
 *   the lineage of its current contract;
 * - changes that the updates name by their workflow ID are present, if the store has them;
 * - contracts that the updates consume, and the lineage of all their contracts with its lifecycles, are present, if the
 *   store has them; a lifecycle that is present only for that reason has no history (`fromBirth`, `toNow` false);
 * - within `ledger.after` (exclusive) and `ledger.upTo` (inclusive) all rows and all transactions are present.
 */

/** The projection's row of one update. A text that is empty on the ledger is empty here, too. */
export interface UpdateRow {
  readonly offset: bigint;
  readonly updateId: UpdateId;
  readonly recordTime: string;
  readonly effectiveAt: string;
  readonly workflowId: string;
  readonly commandId: string;
}

/** The row of a contract, or of one interface view of a contract. */
export interface ContractRow {
  readonly contractId: ContractId;
  /** The template, or the interface of the view: `package-name:Module:Entity`. */
  readonly templateFqn: string;
  readonly packageId: string;
  readonly payload: JsonRecord;
  readonly signatories: readonly string[];
  readonly observers: readonly string[];
  readonly divulgedOnly: boolean;
  readonly createdAtOffset: bigint;
  readonly createdNodeId: number;
  /** Ledger time as ISO 8601. */
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

/** The position of a stream, and the offset after which the store's history of the stream is complete. */
export interface CursorRow {
  readonly stream: string;
  readonly oldest: bigint;
  readonly offset: bigint;
  /** The newest record time that each synchronizer has reported. Synchronizers that were given up are omitted. */
  readonly times: SynchronizerTimes;
}

export interface MailboxEvidence extends Mailbox {
  /**
   * When the lane last had its turn to be continued, as ISO 8601; `null` unless a transaction has left the lane without
   * a head.
   */
  readonly interruptedAt: string | null;
}

export interface LeaseRow {
  readonly name: string;
  readonly holder: string;
  readonly epoch: bigint;
  readonly expiresAt: string;
}

/** The causes that block effects: pauses, drains, and participants with a foreign ledger. */
export interface Causes {
  readonly pauses: readonly Pick<Pause, 'scope' | 'name' | 'mode' | 'since'>[];
  readonly foreign: readonly ParticipantName[];
}

/** A change with all rows that are related to it. */
export interface ChangeEvidence {
  readonly change: Change;
  /**
   * Number of the record among the records of one command: 0 for the first. Others exist only because an earlier
   * version of Tenure could record a command more than once.
   */
  readonly duplicateNo?: number;
  /** Ordered by number. */
  readonly attempts: readonly Attempt[];
  readonly effect: Effect | null;
  /** The updates that the change's acceptance names or that carry the change's workflow ID, ordered by offset. */
  readonly updates: readonly UpdateRow[];
  /** The lines in the history of the change's lifecycle that name the change's command ID. */
  readonly history: readonly HistoryEntry[];
  /** People's acts on the change, oldest first. */
  readonly audit: readonly AuditEntry[];
}

/** A lifecycle with its history in order, or with an unbroken part of a long history. */
export interface LifecycleEvidence {
  readonly lifecycle: Lifecycle;
  readonly history: readonly HistoryEntry[];
  /** Whether the history includes its first line, and whether it includes its last line. */
  readonly fromBirth: boolean;
  readonly toNow: boolean;
}

/** A subscription with the facts that decide its next step, and the times that its row stores for that step. */
export interface SubscriptionEvidence {
  /** The renewals with the ledger time of their creation, and the wall time at which their operation was recorded. */
  readonly facts: Omit<SubscriptionFacts, 'renewals'> & {
    readonly renewals: readonly (RenewalFact & {
      readonly createdAt: string;
      readonly recordedAt: string | null;
    })[];
  };
  /** The ledger time at which the subscription is checked next; `null` if only a change causes a check. */
  readonly dueAt: string | null;
  /** The request ID of the open offer whose allocation is searched for. */
  readonly offerId: string | null;
  /** The wall time since which the licence is suspended. */
  readonly suspendedAt: string | null;
}

/** The participants' records. They are read independently of the projector. */
export interface LedgerEvidence {
  /** The updates of the projected participant in order; `after` is excluded, `upTo` included. */
  readonly after: bigint;
  readonly upTo: bigint;
  readonly transactions: readonly LedgerTransaction[];
  /** The completions of each participant in order; `after` is excluded, `upTo` included. */
  readonly completions: readonly {
    readonly participant: ParticipantName;
    readonly after: bigint;
    readonly upTo: bigint;
    readonly elements: readonly LedgerCompletion[];
    /** False if the participant may have withheld completions, so that the store may lack them. */
    readonly isReliable: boolean;
  }[];
  /**
   * Some or all contracts that are active at `upTo`. Their rows and lifecycles are part of the evidence if the store
   * has them.
   */
  readonly active: readonly ActiveContract[];
}

/** Facts that only an observer of the running system can see. All members may be empty. */
export interface Observed {
  /** Each committed move of a cursor, in order. */
  readonly moves: readonly {
    readonly stream: string;
    readonly from: bigint;
    readonly to: bigint;
  }[];
  /** Each dispatch of a due effect and each firing of a timer. Both times of an entry are from one clock. */
  readonly firings: readonly {
    readonly timer: string;
    /** How often the timer has fired, including this time. */
    readonly number: number;
    readonly dueAt: string;
    readonly at: string;
    /** The run of the database server: a crash may lose records of dispatches, whose numbers are then used again. */
    readonly life: number;
  }[];
  /**
   * For each attempt that was declared over (unable to take effect any more): the record time up to which the streams
   * had reported everything when this was committed.
   */
  readonly proofs: ReadonlyMap<SubmissionId, string | null>;
}

export interface Evidence {
  /** The time of the database's clock at the snapshot, with which due times are compared. ISO 8601. */
  readonly at: string;
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
  /** The definitions of the contract package: contracts, lifecycles and operations. */
  readonly model: ContractModel;
  readonly cursors: readonly CursorRow[];
  readonly leases: readonly LeaseRow[];
  readonly causes: Causes;
  /** The time of the newest row that retention has deleted from the audit log. ISO 8601. */
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

/** Returns evidence without rows. Each part of the evidence adds its own rows to it. */
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
