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

/** Tells which participant and ledger user can authorise for a party. */
export interface Hosting {
  /** The provider whose licences this deployment runs. */
  readonly provider: Party;
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  /** Returns `null` if no configured participant allows Tenure to act as the party. */
  submitterFor(party: Party, io: Io): Promise<Submitter | null>;
}

/** Submits commands and returns answers. A refusal by the ledger is a return value, never an exception. */
export interface LedgerGateway {
  /** Returns `null` if the participant accepted the command for processing; the streams then deliver the outcome. */
  submit(request: SubmitRequest, io: Io): Promise<LedgerAnswer | null>;
  /**
   * Sends a participant a request that changes nothing. Returns why the participant is unreachable, or `null` if it
   * answered.
   */
  reach(participant: ParticipantName, io: Io): Promise<LedgerAnswer | null>;
  ledgerEnd(participant: ParticipantName, io: Io): Promise<bigint>;
  /** Returns the IDs of the synchronizers that the participant is connected to and can currently send to. */
  synchronizers(participant: ParticipantName, io: Io): Promise<readonly string[]>;
  /**
   * Returns the synchronizers on which the participant can send as one of our acting parties. If the participant does
   * not report them, returns all its synchronizers.
   */
  synchronizersForParties(participant: ParticipantName, io: Io): Promise<readonly string[]>;
  /** Returns the offset up to which updates can no longer be read. */
  prunedUpTo(participant: ParticipantName, io: Io): Promise<bigint>;
  /**
   * Returns the offset of an update on a participant; `null` if the participant has pruned it or does not show it to
   * us.
   */
  offsetOf(participant: ParticipantName, updateId: UpdateId, io: Io): Promise<bigint | null>;
  /**
   * Returns the update at an offset of a participant; `null` if no update at this offset is visible to us.
   *
   * @throws if the participant has pruned the update, among other reasons
   */
  updateAt(participant: ParticipantName, offset: bigint, io: Io): Promise<UpdateRef | null>;
}

/** The members that identify an update. */
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
  /** Contracts that the command needs and that the participant may not have. */
  readonly disclosed: readonly DisclosedContract[];
  /** The synchronizer to use; absent or empty if the participant chooses. */
  readonly synchronizerId?: string;
  /** The trace context of the submission. The participant returns it in the completion and the update. */
  readonly traceparent?: string;
}

/** Parties on the ledger, as reported by the participants. */
export interface PartyDirectory {
  /** Returns for each party whether a participant hosts it; omits parties that no participant reports. Never throws. */
  hosted(parties: readonly Party[], io: Io): Promise<ReadonlyMap<Party, boolean>>;
}

/** The ledger's streams, for the projector. Each stream ends by throwing; the projector reopens it from its cursor. */
export interface LedgerStreams {
  updates(afterOffset: bigint, signal: AbortSignal): AsyncIterable<LedgerUpdate>;
  completions(
    participant: ParticipantName,
    afterOffset: bigint,
    signal: AbortSignal,
  ): AsyncIterable<CompletionElement>;
  /**
   * Returns Tenure's transactions in (`after`, `upTo`], as seen by the parties for which Tenure's ledger user acts. The
   * participant shows these parties the command IDs, whichever ledger user submitted the commands.
   */
  transactionsOf(
    participant: ParticipantName,
    after: bigint,
    upTo: bigint,
    signal: AbortSignal,
  ): AsyncIterable<LedgerTransaction>;
  /** Returns Tenure's ledger user on the participant, and the parties that it may act as. */
  rightsOn(
    participant: ParticipantName,
    io: Io,
  ): Promise<{ readonly ledgerUser: string; readonly actAs: readonly Party[] }>;
  /** @param only the types to include; all if absent */
  activeContracts(
    atOffset: bigint,
    signal: AbortSignal,
    only?: ReadonlySet<string>,
  ): AsyncIterable<ActiveContract>;
  /** The templates and interfaces whose updates are followed, as `package:Module:Entity`. */
  readonly types: readonly string[];
  readonly participants: readonly ParticipantName[];
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
}
