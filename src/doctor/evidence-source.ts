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
  UpdateRow,
} from './invariants/evidence.ts';

/** One snapshot of the store, read in pages: every page is small, whatever the store holds. */
export interface StoreSource {
  head(): Promise<{
    /** By the database's clock. */
    readonly at: string;
    readonly cursors: readonly CursorRow[];
    readonly leases: readonly LeaseRow[];
    readonly causes: Causes;
    readonly auditDeletedUntil: string | null;
  }>;
  /** All changes by lane and place. */
  changePages(): AsyncIterable<readonly ChangeEvidence[]>;
  changes(ids: readonly ChangeId[]): Promise<readonly ChangeEvidence[]>;
  /** The mailboxes in which somebody is. */
  mailboxPages(): AsyncIterable<readonly MailboxEvidence[]>;
  mailboxes(lanes: readonly LaneId[]): Promise<readonly MailboxEvidence[]>;
  lifecyclePages(): AsyncIterable<readonly LifecycleEvidence[]>;
  lifecycles(ids: readonly LifecycleId[]): Promise<readonly Lifecycle[]>;
  lineage(contracts: readonly ContractId[]): Promise<ReadonlyMap<ContractId, LifecycleId>>;
  contracts(ids: readonly ContractId[]): Promise<readonly ContractRow[]>;
  /** Those that updates at these offsets created. */
  contractsCreatedAt(offsets: readonly bigint[]): Promise<readonly ContractRow[]>;
  /** The offset of the `count`th update after `after`; `upTo` where there are fewer. */
  bound(after: bigint, upTo: bigint, count: number): Promise<bigint>;
  rowsIn(
    after: bigint,
    upTo: bigint,
  ): Promise<{
    readonly updates: readonly UpdateRow[];
    readonly contracts: readonly ContractRow[];
    readonly exercises: readonly ExerciseRow[];
  }>;
  /** The first few updates beyond an offset. */
  updatesBeyond(offset: bigint): Promise<readonly UpdateRow[]>;
  changesOfSubmissions(ids: readonly SubmissionId[]): Promise<readonly ChangeId[]>;
  /** How many rows of these templates and interfaces are active and ours. */
  activeRows(types: readonly string[]): Promise<bigint>;
}

/** What the participants have recorded, asked apart from the projector. */
export interface LedgerSource extends LedgerHistory {
  readonly participants: readonly ParticipantName[];
  /** Templates and interfaces that the store follows. */
  readonly types: readonly string[];
}

/** Whose store it is. */
export interface Ownership {
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
  /** What its contracts are. */
  readonly model: ContractModel;
}
