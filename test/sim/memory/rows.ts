import type { Tombstone } from '../../../src/app/ports/tombstones.ts';
import type { NewEvent } from '../../../src/domain/event.ts';
import type { ForeignMark } from '../../../src/app/ports/proofs.ts';
import type { Alarm } from '../../../src/app/ports/alarms.ts';
import type { ContractView } from '../../../src/app/ports/views.ts';
import type {
  AuditEntry,
  InterruptedLane,
  Landmark,
  Mailbox,
} from '../../../src/app/ports/writes.ts';
import type { RebuildRequest, Rebuilds } from '../../../src/app/ports/rebuilds.ts';
import type { Kept } from '../../../src/app/ports/policies.ts';
import type { ClocksApart } from '../../../src/app/ports/proofs.ts';
import type { Standstill } from '../../../src/domain/participant-health.ts';
import type { Attempt, Change } from '../../../src/domain/change.ts';
import type {
  ChangeId,
  ContractId,
  EffectId,
  LifecycleId,
  ParticipantName,
  Party,
  UpdateId,
} from '../../../src/domain/ids.ts';
import type {
  ExercisedEvent,
  LedgerTransaction,
  SynchronizerTimes,
} from '../../../src/domain/ledger.ts';
import type { Pause } from '../../../src/domain/pause.ts';
import type { CircuitReason } from '../../../src/domain/participant-health.ts';
import type { Subscription } from '../../../src/domain/subscription.ts';
import type { HistoryEntry, Lifecycle } from '../../../src/domain/lifecycle.ts';

/*
 * The rows of the database, table by table: see `migrations/schema.sql`. Times that are compared are in milliseconds.
 */

export interface ChangeRow {
  readonly change: Change;
  /** The number of the newest attempt, whether or not it counts against the budget. */
  readonly lastAttemptNo: number;
  /** Whether the change's attempts have been deleted. */
  readonly isPruned?: true;
}

export interface AttemptRow extends Attempt {
  /** See `session_of` in the schema. */
  readonly sessionOf?: string;
}
export type LifecycleRow = Lifecycle;
export type MailboxRow = Mailbox;
export interface InterruptedLaneRow extends InterruptedLane {
  readonly turnAtMs: number;
}

export interface SubscriptionRow {
  readonly subscription: Subscription;
  readonly wakes: bigint;
  readonly dueAtMs: number | null;
  readonly offerId: string | null;
  readonly isSuspended: boolean;
}

export interface LineageRow {
  readonly contractId: ContractId;
  readonly lifecycleId: LifecycleId;
}

export interface EffectRow {
  readonly id: EffectId;
  readonly changeId: ChangeId;
  readonly dueAtMs: number;
  readonly dispatchNo: number;
  readonly doneAtMs: number | null;
  readonly madeAtMs: number;
  readonly heldAtMs: number | null;
  readonly putOffBy: string | null;
}

/** A policy of either kind. During a delay, processes of earlier versions read `policy`, which ends no licence. */
export interface PolicyRow<Policy> extends Pick<Kept<Policy>, 'policy' | 'version'> {
  readonly provider: Party;
  readonly pending: PendingPolicyRow<Policy> | null;
}

/** The policy of a confirmed version, until its start is recorded. */
interface PendingPolicyRow<Policy> {
  readonly policy: Policy;
  /**
   * The policy that an undo restores; `null` if this version only waits for the rest of the previous version's delay.
   */
  readonly previous: Policy | null;
  readonly startsAtMs: number;
  readonly previousStartsAtMs: number | null;
}

export interface PauseRow extends Omit<Pause, 'since'> {
  readonly sinceMs: number;
}

export interface CircuitRow {
  readonly participant: ParticipantName;
  readonly level: number;
  readonly delayMs: number;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly ledgerCode: string;
  readonly reason: CircuitReason;
  readonly probe: boolean;
  readonly probedAtMs: number | null;
  readonly probeEffect: string | null;
}

export interface SilenceRow {
  readonly participant: string;
  readonly sinceMs: number;
}

export interface ForeignLedgerRow extends ForeignMark {
  readonly sinceMs: number;
}

export interface HistoryRow {
  readonly entry: HistoryEntry;
  /** The number of the line within a version, from 1 on. */
  readonly n: number;
}

export interface AuditRow {
  /** A number that is higher for each new line. */
  readonly id: number;
  readonly entry: AuditEntry;
}

export type UpdateRow = Omit<LedgerTransaction, 'kind' | 'events'>;

/** A contract as its template, or one of its interfaces, shows it. */
export interface ContractRow extends ContractView {
  readonly createdNodeId: number;
  readonly witnesses: readonly Party[];
  /**
   * Whether the contract was only ever seen, and never active for Tenure: none of the reading parties is a stakeholder.
   */
  readonly divulgedOnly: boolean;
}

export interface ExerciseRow extends Omit<ExercisedEvent, 'kind' | 'template' | 'packageId'> {
  readonly offset: bigint;
  readonly templateFqn: string;
  readonly effectiveAt: string;
}

export interface TemplateRow {
  readonly fqn: string;
  readonly payloadType: 'template' | 'interface';
}

export interface ChoiceRow {
  readonly templateFqn: string;
  readonly choice: string;
}

export interface CursorRow {
  readonly stream: string;
  readonly offset: bigint;
  /** The offset from which the history is complete. */
  readonly oldestOffset: bigint;
  readonly updateId: UpdateId | null;
  readonly recordTime: string | null;
  readonly times: SynchronizerTimes;
  readonly givenUp: SynchronizerTimes;
  readonly clocksApart: ClocksApart;
  readonly landmark: Landmark | null;
  /** The server start after which a projector has compared the stream with its ledger. */
  readonly followedOn: number;
  readonly replayTo: bigint | null;
  readonly ledgerUser: string | null;
  readonly lostUntil: string | null;
  readonly heldFrom: bigint | null;
}

export type TombstoneRow = Tombstone;

export interface StandstillRow extends Standstill {
  readonly participant: ParticipantName;
}

export interface LeaseRow {
  readonly name: string;
  readonly holder: string;
  readonly epoch: bigint;
  readonly expiresAtMs: number;
  /** The server start after which the epoch was granted. */
  readonly grantedOn: number;
}

export type AlarmRow = Alarm;

export interface TimeWantedRow {
  readonly participant: ParticipantName;
  readonly recordTime: string;
}

/** An event without a number. */
export interface ArrivalRow {
  readonly place: number;
  readonly at: string;
  readonly event: NewEvent;
}

export interface EventSequenceRow {
  readonly last: bigint;
}

/** A request for a rebuild. */
export interface RebuildRow extends RebuildRequest {
  readonly answer: Parameters<Rebuilds['answer']>[1] | null;
}

export interface FollowedTypeRow {
  readonly type: string;
}
