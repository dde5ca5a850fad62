import type { ContractModel } from '../app/contract/model.ts';
import type { LedgerHistory } from '../app/ports/ledger-history.ts';
import type {
  ChangeId,
  ContractId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
  SubmissionId,
} from '../domain/ids.ts';
import type { Lifecycle } from '../domain/lifecycle.ts';
import type {
  Causes,
  ChangeEvidence,
  ContractRow,
  CursorRow,
  ExerciseRow,
  LeaseRow,
  LifecycleEvidence,
  MailboxEvidence,
  SubscriptionEvidence,
  UpdateRow,
} from './invariants/evidence.ts';

/** One snapshot of the store, read in small pages so that stores of any size can be read. */
export interface StoreSource {
  head(): Promise<{
    /** The time of the database's clock. */
    readonly at: string;
    readonly cursors: readonly CursorRow[];
    readonly leases: readonly LeaseRow[];
    readonly causes: Causes;
    readonly auditDeletedUntil: string | null;
  }>;
  /** Reads all changes, ordered by lane and position. */
  changePages(): AsyncIterable<readonly ChangeEvidence[]>;
  changes(ids: readonly ChangeId[]): Promise<readonly ChangeEvidence[]>;
  /** Reads the mailboxes that are not empty. */
  mailboxPages(): AsyncIterable<readonly MailboxEvidence[]>;
  mailboxes(lanes: readonly LaneId[]): Promise<readonly MailboxEvidence[]>;
  lifecyclePages(): AsyncIterable<readonly LifecycleEvidence[]>;
  /** Reads all subscriptions whose licences are projected, ordered by licence. */
  subscriptionPages(): AsyncIterable<readonly SubscriptionEvidence[]>;
  lifecycles(ids: readonly LifecycleId[]): Promise<readonly Lifecycle[]>;
  lineage(contracts: readonly ContractId[]): Promise<ReadonlyMap<ContractId, LifecycleId>>;
  contracts(ids: readonly ContractId[]): Promise<readonly ContractRow[]>;
  /** Reads the contracts that updates at these offsets created. */
  contractsCreatedAt(offsets: readonly bigint[]): Promise<readonly ContractRow[]>;
  /** Returns the offset of the `count`th update after `after`, or `upTo` if there are fewer updates. */
  bound(after: bigint, upTo: bigint, count: number): Promise<bigint>;
  rowsIn(
    after: bigint,
    upTo: bigint,
  ): Promise<{
    readonly updates: readonly UpdateRow[];
    readonly contracts: readonly ContractRow[];
    readonly exercises: readonly ExerciseRow[];
  }>;
  /** Reads the first few updates after an offset. */
  updatesBeyond(offset: bigint): Promise<readonly UpdateRow[]>;
  changesOfSubmissions(ids: readonly SubmissionId[]): Promise<readonly ChangeId[]>;
  /** Counts the active rows of these templates and interfaces that have a party of Tenure among their stakeholders. */
  activeRows(types: readonly string[]): Promise<bigint>;
}

/** The records of the participants. They are read independently of the projector. */
export interface LedgerSource extends LedgerHistory {
  readonly participants: readonly ParticipantName[];
  /** The templates and interfaces that the store follows. */
  readonly types: readonly string[];
}

/** The participant that a store projects, the parties as which it reads, and the model of its contracts. */
export interface Ownership {
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
  /** The definitions of the contract package: contracts, lifecycles and operations. */
  readonly model: ContractModel;
}
