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
  /** `null` when no configured participant lets us act as the party. */
  submitterFor(party: Party, io: Io): Promise<Submitter | null>;
}

/** Commands in, answers out; never throws for what the ledger says. */
export interface LedgerGateway {
  /** `null`: taken, the streams will tell. */
  submit(request: SubmitRequest, io: Io): Promise<LedgerAnswer | null>;
  /** Asks a participant something that takes no effect: why nothing gets to it, or `null` when it has answered. */
  reach(participant: ParticipantName, io: Io): Promise<LedgerAnswer | null>;
  ledgerEnd(participant: ParticipantName, io: Io): Promise<bigint>;
  /** The ids of the synchronizers that the participant is connected to and can send to at this moment. */
  synchronizers(participant: ParticipantName, io: Io): Promise<readonly string[]>;
  /** Of those the ones on which it can send as one of the parties that we act as; all, where it does not say. */
  synchronizersForParties(participant: ParticipantName, io: Io): Promise<readonly string[]>;
  /** Updates up to here cannot be read any more. */
  prunedUpTo(participant: ParticipantName, io: Io): Promise<bigint>;
  /** The offset of an update on a participant, or `null` when it has none that we may see, or not any more. */
  offsetOf(participant: ParticipantName, updateId: UpdateId, io: Io): Promise<bigint | null>;
  /**
   * The update at an offset of a participant, or `null` when it holds none that we may see.
   *
   * @throws also when the participant has forgotten what was there
   */
  updateAt(participant: ParticipantName, offset: bigint, io: Io): Promise<UpdateRef | null>;
}

/** An update as far as it tells whose it is. */
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
  /** Contracts that the command needs and the participant may not know. */
  readonly disclosed: readonly DisclosedContract[];
  /** Where it is to be sequenced; absent or empty: where the participant chooses. */
  readonly synchronizerId?: string;
  /** The participant is told whose trace it works for, and tells it on with the completion and the update. */
  readonly traceparent?: string;
}

/** Who is on the ledger, as far as the participants tell us. */
export interface PartyDirectory {
  /** Says of each party whether a participant hosts it; those that none tells us of are left out. Never throws. */
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
  /** @param only of these types; without it, of all */
  activeContracts(
    atOffset: bigint,
    signal: AbortSignal,
    only?: ReadonlySet<string>,
  ): AsyncIterable<ActiveContract>;
  /** What the updates hold: templates and interfaces as `package:Module:Entity`. */
  readonly types: readonly string[];
  readonly participants: readonly ParticipantName[];
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
}
