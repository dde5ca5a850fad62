import type { LedgerAnswer } from '../../domain/answer.ts';
import type { Submitter } from '../../domain/change.ts';
import type {
  CommandId,
  ParticipantName,
  Party,
  SubmissionId,
  UpdateId,
} from '../../domain/ids.ts';
import type {
  ActiveContract,
  CompletionElement,
  DisclosedContract,
  LedgerCommand,
  LedgerTransaction,
  LedgerUpdate,
} from '../../domain/ledger.ts';
import type { Io } from './io.ts';

/** Which participant and ledger user can authorise for a party. */
export interface Hosting {
  /** The provider whose licences this deployment runs. */
  readonly provider: Party;
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  /** Returns `null` if no configured participant lets us act as the party. */
  submitterFor(party: Party, io: Io): Promise<Submitter | null>;
}

/** Submits commands and returns answers; never throws because of an answer of the ledger. */
export interface LedgerGateway {
  /** Returns `null` if the command was taken; then the streams deliver its outcome. */
  submit(request: SubmitRequest, io: Io): Promise<LedgerAnswer | null>;
  /**
   * Sends a participant a request without effect. Returns why the participant is unreachable, or `null` if it answered.
   */
  reach(participant: ParticipantName, io: Io): Promise<LedgerAnswer | null>;
  ledgerEnd(participant: ParticipantName, io: Io): Promise<bigint>;
  /** Returns the IDs of the synchronizers that the participant is connected to and can currently send to. */
  synchronizers(participant: ParticipantName, io: Io): Promise<readonly string[]>;
  /** Returns the synchronizers on which it can send as one of our acting parties; all, if it does not report that. */
  synchronizersForParties(participant: ParticipantName, io: Io): Promise<readonly string[]>;
  /** Returns the offset up to which updates can no longer be read. */
  prunedUpTo(participant: ParticipantName, io: Io): Promise<bigint>;
  /** Returns the offset of an update on a participant, or `null` if it has none that is visible to us, or no longer. */
  offsetOf(participant: ParticipantName, updateId: UpdateId, io: Io): Promise<bigint | null>;
  /**
   * Returns the update at an offset of a participant, or `null` if it has none that is visible to us.
   *
   * @throws also if the participant has pruned the update
   */
  updateAt(participant: ParticipantName, offset: bigint, io: Io): Promise<UpdateRef | null>;
}

/** The identifying parts of an update. */
export interface UpdateRef {
  readonly updateId: UpdateId;
  readonly commandId: string;
  readonly workflowId: string;
}

export interface SubmitRequest {
  readonly submitter: Submitter;
  readonly commandId: CommandId;
  readonly submissionId: SubmissionId;
  readonly workflowId: string;
  readonly deduplicationOffset: bigint;
  readonly command: LedgerCommand;
  /** Contracts that the command needs and that the participant may not know. */
  readonly disclosed: readonly DisclosedContract[];
  /** The synchronizer to use; absent or empty if the participant chooses. */
  readonly synchronizerId?: string;
  /** The trace of the submission. The participant passes it on with the completion and the update. */
  readonly traceparent?: string;
}

/** Parties on the ledger, as reported by the participants. */
export interface PartyDirectory {
  /** Returns for each party whether a participant hosts it; parties that none reports are omitted. Never throws. */
  hosted(parties: readonly Party[], io: Io): Promise<ReadonlyMap<Party, boolean>>;
}

/** The streams, for the projector. Each ends by throwing; the projector reopens it from its cursor. */
export interface LedgerStreams {
  updates(afterOffset: bigint, signal: AbortSignal): AsyncIterable<LedgerUpdate>;
  completions(
    participant: ParticipantName,
    afterOffset: bigint,
    signal: AbortSignal,
  ): AsyncIterable<CompletionElement>;
  /**
   * Tenure's transactions in (`after`, `upTo`], as the parties see them that Tenure's ledger user acts for. The
   * participant shows their command IDs to these parties, whichever ledger user submitted them.
   */
  transactionsOf(
    participant: ParticipantName,
    after: bigint,
    upTo: bigint,
    signal: AbortSignal,
  ): AsyncIterable<LedgerTransaction>;
  /** Tenure's ledger user on the participant, and the parties that it may act as. */
  rightsOn(
    participant: ParticipantName,
    io: Io,
  ): Promise<{ readonly ledgerUser: string; readonly actAs: readonly Party[] }>;
  /** @param only these types; all if absent */
  activeContracts(
    atOffset: bigint,
    signal: AbortSignal,
    only?: ReadonlySet<string>,
  ): AsyncIterable<ActiveContract>;
  /** Types of the updates: templates and interfaces as `package:Module:Entity`. */
  readonly types: readonly string[];
  readonly participants: readonly ParticipantName[];
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
}
