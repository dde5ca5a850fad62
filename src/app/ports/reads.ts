import type { Attempt, Change } from '../../domain/change.ts';
import type {
  ChangeId,
  CommandId,
  ContractId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
} from '../../domain/ids.ts';
import type { HistoryEntry } from '../../domain/lifecycle.ts';
import type { Circuit, CircuitReason, Pause } from '../../domain/pause.ts';
import type { Standstill } from '../../domain/standstill.ts';
import type { ForeignLedgerReads } from './foreign-ledgers.ts';
import type { Io } from './io.ts';
import type { OpsScope } from './ops-scope.ts';
import type {
  CommentKey,
  CommentQuery,
  ContractView,
  LifecycleView,
  ListQuery,
  PartyContractQuery,
} from './views.ts';
import type { AuditEntry } from './writes.ts';

/** Reads without locks. */
export interface Reads extends ForeignLedgerReads {
  lifecycle(id: string, io: Io): Promise<LifecycleView | null>;
  /** Active lifecycles, or ended ones where those are asked for; ordered by user, licence number and id. */
  list(query: ListQuery, io: Io): Promise<readonly LifecycleView[]>;
  /**
   * The whole list, read in chunks with bounded memory; `io` bounds each of them. What is active all the time is in
   * it exactly once; what begins or ends meanwhile may be.
   */
  listAll(query: Omit<ListQuery, 'limit'>, io: Io): AsyncIterable<LifecycleView>;
  history(id: LifecycleId, io: Io): Promise<readonly HistoryEntry[]>;
  contract(id: ContractId, io: Io): Promise<ContractView | null>;
  /** Those of the contracts that are active, as their templates show them; in no order. */
  activeContracts(ids: readonly ContractId[], io: Io): Promise<readonly ContractView[]>;
  /** In the order of their creation. */
  contractsOfParty(query: PartyContractQuery, io: Io): Promise<readonly ContractView[]>;
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
   * What keeps us from sending anything of a provider through a participant now: a pause, or why the participant is
   * left alone until a time that has not come; `null` when nothing does.
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
