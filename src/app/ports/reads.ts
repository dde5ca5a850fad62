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
import type { CircuitReason, ParticipantCause } from '../../domain/participant-health.ts';
import type { Pause } from '../../domain/pause.ts';
import type { Io } from './io.ts';
import type { OpsScope } from './ops-scope.ts';
import type {
  CommentKey,
  CommentQuery,
  ContractView,
  Count,
  LifecycleView,
  ListQuery,
  PartyContractQuery,
} from './views.ts';
import type { AuditEntry } from './writes.ts';

/** Reads that take no locks. */
export interface Reads {
  lifecycle(id: string, io: Io): Promise<LifecycleView | null>;
  /** Returns active lifecycles, or ended ones if requested; ordered by user, licence number and ID. */
  list(query: ListQuery, io: Io): Promise<readonly LifecycleView[]>;
  /** Counts the matching lifecycles: for each side, provider and user, at most `LIMITS.countMax` index entries. */
  count(query: Omit<ListQuery, 'after' | 'limit'>, io: Io): Promise<Count>;
  /**
   * Returns the whole list, in chunks of bounded memory; `io` bounds each chunk. A lifecycle that is active during the
   * whole read appears exactly once; one that begins or ends during the read may appear.
   */
  listAll(query: Omit<ListQuery, 'limit'>, io: Io): AsyncIterable<LifecycleView>;
  /** Yields the entries of a lifecycle's history, oldest first, in chunks of bounded memory; `io` bounds each chunk. */
  history(id: LifecycleId, io: Io): AsyncIterable<HistoryEntry>;
  contract(id: ContractId, io: Io): Promise<ContractView | null>;
  /** Returns those of these contracts that are active, in any order. */
  activeContracts(ids: readonly ContractId[], io: Io): Promise<readonly ContractView[]>;
  /** Returns a party's contracts in the order of their creation. */
  contractsOfParty(query: PartyContractQuery, io: Io): Promise<readonly ContractView[]>;
  /** Returns active comments, ordered by the time in their payload and their contract ID. */
  comments(
    query: CommentQuery & { readonly after?: CommentKey; readonly limit: number },
    io: Io,
  ): Promise<readonly ContractView[]>;
  /**
   * Yields comments made within a range of ledger time, oldest first, including archived ones; in chunks, as `history`
   * does.
   */
  commentsMade(
    query: CommentQuery & { readonly from: string; readonly until: string | null },
    io: Io,
  ): AsyncIterable<ContractView>;
  /** Returns the newest active comment in which the user of a licence accepts terms; `null` if there is none. */
  termsAcceptance(query: CommentQuery, io: Io): Promise<ContractView | null>;
  changesById(ids: readonly ChangeId[], io: Io): Promise<readonly Change[]>;
  /** Returns why participants are not healthy, oldest first: circuits, foreign ledgers and standstills. */
  participantCauses(io: Io): Promise<readonly ParticipantCause[]>;
  /** See `Tx.provenTime`. */
  provenTime(participant: ParticipantName, io: Io): Promise<string | null>;
  retriesOf(root: ChangeId, io: Io): Promise<readonly Change[]>;
  /**
   * Returns a party's changes with this command ID, newest first, followed by changes that an earlier version recorded
   * twice.
   */
  changesByCommand(commandId: CommandId, callerParty: Party, io: Io): Promise<readonly Change[]>;
  /** Returns all attempts that are not refused, and the newest hundred whatever their answer; oldest first. */
  attempts(change: ChangeId, io: Io): Promise<readonly Attempt[]>;
  /** Returns the acts of persons on a change, oldest first. */
  audit(change: ChangeId, io: Io): Promise<readonly AuditEntry[]>;
  /** Returns how many changes are before this queued change in its lane, including the head. */
  placeInMailbox(change: Change, io: Io): Promise<number>;
  headOf(lane: LaneId, io: Io): Promise<Change | null>;
  /**
   * Returns heads of lanes that have waited for the same thing since before `since`, or were accepted before
   * `acceptedBefore`; those that have waited longest first. Omits paused ones, unless their ledger is foreign. ISO
   * 8601.
   */
  longestWaiting(
    query: { readonly since: string; readonly acceptedBefore: string; readonly limit: number },
    io: Io,
  ): Promise<readonly Change[]>;
  /** Returns changes that a person has to decide, oldest first; without a scope, the changes of all parties. */
  inDoubt(
    limit: number,
    io: Io,
    scope?: OpsScope,
    after?: { readonly acceptedAt: string; readonly id: string },
  ): Promise<readonly Change[]>;
  /** Returns the pause that keeps a change from being submitted, or `null`. */
  pauseOf(change: ChangeId, io: Io): Promise<Pause | null>;
  /**
   * Returns what currently prevents submissions of a provider through a participant: a pause, or the reason of a
   * circuit that is still open; `null` if nothing prevents them.
   */
  heldBack(
    participant: ParticipantName,
    provider: Party,
    io: Io,
  ): Promise<'pause' | CircuitReason | null>;
  /** See `Tx.ledgerTime`. */
  ledgerTime(io: Io): Promise<string | null>;
  /** Returns the holder of a lease and the lease's expiry by the database's clock; `null` if it never had a holder. */
  leaseOf(name: string, io: Io): Promise<LeaseView | null>;
}

export interface LeaseView {
  readonly holder: string;
  readonly epoch: bigint;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly isHeld: boolean;
}
