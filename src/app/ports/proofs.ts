import type { Submitter } from '../../domain/change.ts';
import type { ChangeId, ContractId, LaneId, ParticipantName, Party } from '../../domain/ids.ts';
import type { Standstill } from '../../domain/standstill.ts';

/* Parts of the store for proofs by the ledger's time. */

/** A record time that must be passed. */
export interface AwaitedProof {
  readonly proofAt: string;
  readonly submitter: Submitter;
  readonly provider: Party;
  /**
   * Moves the time although the participant's circuit is open: only an attempt closes the circuit, and every attempt
   * waits for this time.
   */
  readonly ignoresCircuit?: boolean;
}

/** A synchronizer as reported by the streams of a participant, and by persons. Times are ISO 8601. */
export interface SynchronizerStanding {
  readonly synchronizer: string;
  /** Record time that the participant's completions have reached on it. */
  readonly toldAt: string;
  /** Like `toldAt`, limited by the updates if they know the synchronizer: the time that proofs compare. */
  readonly passedAt: string;
  /** A person has said that the participant will not return to it, and it has not been reported since. */
  readonly isGivenUp: boolean;
}

/** Excessive clock differences in milliseconds, by synchronizer; the clocks of absent ones agree. */
export type ClocksApart = ReadonlyMap<string, number>;

/** A change that has ended without an effect, as far as is known. */
export interface EndedChange {
  readonly id: ChangeId;
  readonly lane: LaneId;
  /** Whether one of its attempts has no verdict. */
  readonly isUndecided: boolean;
}

/** When and where a contract was created. */
export interface Creation {
  /** Record time, or ledger time if the contract came with a snapshot and the record time is unknown. ISO 8601. */
  readonly at: string;
  /** `null` if the contract came with a snapshot. */
  readonly synchronizer: string | null;
}

/** Part of a transaction: see `Tx`. */
export interface ProofTx {
  /**
   * Returns the record time, ISO 8601, up to which all outcomes of a participant's submissions are known: by its
   * completions on every synchronizer that it was ever seen on and that is not given up, and by the updates on those
   * that they know. Returns the database's time if all synchronizers are given up, because there is no other. Returns
   * `null` if it has reported none, and while clocks differ too much.
   */
  provenTime(participant: ParticipantName): Promise<string | null>;
  /** Like `provenTime`, but by its completions alone: how far the participant itself has come. */
  toldTime(participant: ParticipantName): Promise<string | null>;
  /** Returns when and where the projected contract was created; `null` if unknown. */
  creationOf(contractId: ContractId): Promise<Creation | null>;
  /**
   * Returns lanes whose head was submitted through the participant and has an undecided attempt from before this time,
   * for which it is unknown until when it may take effect.
   *
   * @param before ISO 8601, by the database's clock
   */
  lanesUnheard(
    participant: ParticipantName,
    before: string,
    limit: number,
  ): Promise<readonly LaneId[]>;
  /**
   * Returns changes that were submitted through the participant, ended without an effect and are not pruned, by ID.
   *
   * @param after the ID after which the result begins; `null` for the beginning
   */
  endedWithoutEffect(
    participant: ParticipantName,
    after: ChangeId | null,
    limit: number,
  ): Promise<readonly EndedChange[]>;
  /** Returns the offset from which on a participant's completions were read without a gap; `null` if none are read. */
  followedFrom(participant: ParticipantName): Promise<bigint | null>;
  /** Returns every synchronizer that a participant was ever seen on. */
  synchronizersOf(participant: ParticipantName): Promise<readonly SynchronizerStanding[]>;
  /**
   * Returns for each submitter the earliest record time that decides an undecided attempt of an open change, whatever
   * the change waits for.
   */
  awaitedProofs(participant: ParticipantName): Promise<readonly AwaitedProof[]>;
  /** Stops all waits for the synchronizer's time, as long as that is still at `toldAt`. */
  giveUpSynchronizer(
    participant: ParticipantName,
    synchronizer: string,
    toldAt: string,
  ): Promise<void>;
  setStandstill(participant: ParticipantName, standstill: Standstill | null): Promise<void>;
  /** While clocks differ too much, no proof is believed. */
  setClocksApart(participant: ParticipantName, apart: ClocksApart): Promise<void>;
  clocksApart(participant: ParticipantName): Promise<ClocksApart>;
  /**
   * Records that the participant is connected to these. One that no stream has reported counts as behind everything,
   * and one that a person has given up counts again.
   */
  knowSynchronizers(participant: ParticipantName, synchronizers: readonly string[]): Promise<void>;
}
