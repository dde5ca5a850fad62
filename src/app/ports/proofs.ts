import type { Submitter } from '../../domain/change.ts';
import type { ChangeId, ContractId, LaneId, ParticipantName, Party } from '../../domain/ids.ts';
import type { Standstill } from '../../domain/standstill.ts';

/* What a proof by the ledger's own time needs of the store. */

/** A record time that has to be passed. */
export interface AwaitedProof {
  readonly proofAt: string;
  readonly submitter: Submitter;
  readonly provider: Party;
  /**
   * The time is moved although the circuit of the participant is open: the circuit closes with an attempt, and every
   * attempt waits for this time.
   */
  readonly ignoresCircuit?: boolean;
}

/** A synchronizer as the streams of a participant, and persons, have told of it. Times are ISO 8601. */
export interface SynchronizerStanding {
  readonly synchronizer: string;
  /** How far the participant's completions have told of it. */
  readonly toldAt: string;
  /** The same, and the updates as well where they know it: what proofs compare. */
  readonly passedAt: string;
  /** A person has said that the participant will not come back to it, and it has not been told of since. */
  readonly isGivenUp: boolean;
}

/** By how many milliseconds clocks are too far apart, by synchronizer; of one that is not named they are not. */
export type ClocksApart = ReadonlyMap<string, number>;

/** One that has ended without an effect, as far as is known. */
export interface EndedChange {
  readonly id: ChangeId;
  readonly lane: LaneId;
  /** One of its attempts has no verdict. */
  readonly isUndecided: boolean;
}

/** Of a contract. */
export interface Creation {
  /** By record time; where that is not known, because it came with a snapshot, by ledger time. ISO 8601. */
  readonly at: string;
  /** `null`: it came with a snapshot. */
  readonly synchronizer: string | null;
}

/** Part of a transaction: see `Tx`. */
export interface ProofTx {
  /**
   * The record time, ISO 8601, up to which everything is told that a participant's submissions could have come to: by
   * its completions on every synchronizer that it was ever seen on and nobody has given up, and by the updates on those
   * of them that they know. The database's time where all have been given up: nothing else tells one. `null` where it
   * has told of none, and while clocks are too far apart.
   */
  provenTime(participant: ParticipantName): Promise<string | null>;
  /** The same, by its completions alone: how far the participant itself has come. */
  toldTime(participant: ParticipantName): Promise<string | null>;
  /** When and where the projected contract was created; `null` where it is not known. */
  creationOf(contractId: ContractId): Promise<Creation | null>;
  /**
   * Lanes whose head was submitted through the participant with an attempt before that time that is undecided and
   * of which it is not known until when something may come of it.
   *
   * @param before ISO 8601, by the database's clock
   */
  lanesUnheard(
    participant: ParticipantName,
    before: string,
    limit: number,
  ): Promise<readonly LaneId[]>;
  /**
   * What was submitted through the participant, has ended without an effect and is not pruned, by id.
   *
   * @param after the id that it begins behind; `null`: at the first
   */
  endedWithoutEffect(
    participant: ParticipantName,
    after: ChangeId | null,
    limit: number,
  ): Promise<readonly EndedChange[]>;
  /** The offset from which on a participant's completions were read without a gap; `null` where none are. */
  followedFrom(participant: ParticipantName): Promise<bigint | null>;
  /** Every synchronizer that a participant was ever seen on. */
  synchronizersOf(participant: ParticipantName): Promise<readonly SynchronizerStanding[]>;
  /**
   * Of each submitter the earliest record time that has to be passed before it is known what became of an undecided
   * attempt of an open change, whatever that waits for. By submitter.
   */
  awaitedProofs(participant: ParticipantName): Promise<readonly AwaitedProof[]>;
  /** Nothing waits for its time any more, as long as it stands there. */
  giveUpSynchronizer(
    participant: ParticipantName,
    synchronizer: string,
    toldAt: string,
  ): Promise<void>;
  setStandstill(participant: ParticipantName, standstill: Standstill | null): Promise<void>;
  /** While clocks are apart no proof is believed. */
  setClocksApart(participant: ParticipantName, apart: ClocksApart): Promise<void>;
  clocksApart(participant: ParticipantName): Promise<ClocksApart>;
  /**
   * The participant is connected to these: one that no stream has told of is behind everything, and one that a person
   * has given up counts again.
   */
  knowSynchronizers(participant: ParticipantName, synchronizers: readonly string[]): Promise<void>;
}
