import type { Submitter } from '../../domain/change.ts';
import type { ChangeId, ContractId, LaneId, ParticipantName, Party } from '../../domain/ids.ts';
import type { ParticipantCause, Standstill } from '../../domain/participant-health.ts';

/* Parts of the store for proofs that rely on the ledger's time. */

/** A record time that the ledger must pass before a proof holds. */
export interface AwaitedProof {
  readonly proofAt: string;
  readonly submitter: Submitter;
  readonly provider: Party;
  /**
   * Whether to advance the time although the participant's circuit is open: only an attempt closes the circuit, and
   * every attempt waits for this time.
   */
  readonly ignoresCircuit?: boolean;
}

/** The state of a synchronizer, as reported by the streams of a participant and by persons. Times are ISO 8601. */
export interface SynchronizerStanding {
  readonly synchronizer: string;
  /** Record time that the participant's completions have reached on the synchronizer. */
  readonly toldAt: string;
  /**
   * Like `toldAt`, but not later than the updates' time if they have reported the synchronizer: the time used in
   * proofs.
   */
  readonly passedAt: string;
  /**
   * Whether a person has declared that the participant will not return to the synchronizer, and it has not been
   * reported since.
   */
  readonly isGivenUp: boolean;
}

/** Excessive clock differences in milliseconds, by synchronizer; clocks of absent synchronizers agree. */
export type ClocksApart = ReadonlyMap<string, number>;

/** A stream whose participant holds another history than the store. Nothing is submitted to that participant. */
export interface ForeignMark {
  readonly stream: string;
  readonly participant: ParticipantName;
  /** How the foreign ledger was noticed, and what to do about it. */
  readonly reason: string;
}

/** A change that has ended without a known effect. */
export interface EndedChange {
  readonly id: ChangeId;
  readonly lane: LaneId;
  /** Whether an attempt of the change has no verdict. */
  readonly isUndecided: boolean;
}

/** When and on which synchronizer a contract was created. */
export interface Creation {
  /** Record time, or ledger time if the contract came with a snapshot and the record time is unknown. ISO 8601. */
  readonly at: string;
  /** `null` if the contract came with a snapshot. */
  readonly synchronizer: string | null;
}

/** The part of `Tx` that concerns proofs. */
export interface ProofTx {
  /**
   * Returns the record time, ISO 8601, up to which all outcomes of a participant's submissions are known: from its
   * completions on every synchronizer that it was ever seen on and that is not given up, and from the updates on the
   * synchronizers that they have reported. Returns the database's time if all synchronizers are given up, because there
   * is no other time. Returns `null` if none was reported, or while clocks differ too much.
   */
  provenTime(participant: ParticipantName): Promise<string | null>;
  /** Like `provenTime`, but by the completions alone, so that it shows how far the participant itself is. */
  toldTime(participant: ParticipantName): Promise<string | null>;
  /** Returns when and where the projected contract was created; `null` if unknown. */
  creationOf(contractId: ContractId): Promise<Creation | null>;
  /**
   * Returns lanes whose head was submitted through the participant and has an undecided attempt from before this time
   * without a known bound: it is not known until when the attempt may take effect.
   *
   * @param before ISO 8601, by the database's clock
   */
  lanesUnheard(
    participant: ParticipantName,
    before: string,
    limit: number,
  ): Promise<readonly LaneId[]>;
  /**
   * Returns changes that were submitted through the participant, have ended without an effect and are not pruned,
   * ordered by ID.
   *
   * @param after the result begins after this ID; `null` for the beginning
   */
  endedWithoutEffect(
    participant: ParticipantName,
    after: ChangeId | null,
    limit: number,
  ): Promise<readonly EndedChange[]>;
  /**
   * Returns the offset from which on a participant's completions were read without a gap; `null` if they are not
   * followed.
   */
  followedFrom(participant: ParticipantName): Promise<bigint | null>;
  /** Returns every synchronizer that a participant was ever seen on. */
  synchronizersOf(participant: ParticipantName): Promise<readonly SynchronizerStanding[]>;
  /**
   * Returns for each submitter the earliest record time that decides an undecided attempt of an open change. Includes
   * changes that wait for something else.
   */
  awaitedProofs(participant: ParticipantName): Promise<readonly AwaitedProof[]>;
  /** Stops all waits for the synchronizer's time, if that time is still `toldAt`. */
  giveUpSynchronizer(
    participant: ParticipantName,
    synchronizer: string,
    toldAt: string,
  ): Promise<void>;
  /** See `Reads.participantCauses`. */
  participantCauses(): Promise<readonly ParticipantCause[]>;
  /**
   * Prevents new attempts to this participant once the transaction is committed. Returns false if another process holds
   * the lease.
   */
  markForeign(mark: ForeignMark, leaseEpoch: bigint): Promise<boolean>;
  /** Resumes the changes that waited for these streams. Returns false if another process holds the lease. */
  clearForeign(streams: readonly string[], leaseEpoch: bigint): Promise<boolean>;
  setStandstill(participant: ParticipantName, standstill: Standstill | null): Promise<void>;
  /** Stores excessive clock differences. While there are any, no proof is trusted. */
  setClocksApart(participant: ParticipantName, apart: ClocksApart): Promise<void>;
  clocksApart(participant: ParticipantName): Promise<ClocksApart>;
  /**
   * Records that the participant is connected to these synchronizers. A synchronizer that no stream has reported yet
   * has the earliest possible time, and one that a person has given up is no longer given up.
   */
  knowSynchronizers(participant: ParticipantName, synchronizers: readonly string[]): Promise<void>;
}
