import type { Submitter } from '../domain/change.ts';
import type { ContractId, LaneId, ParticipantName, Party } from '../domain/ids.ts';
import type { SynchronizerTimes } from '../domain/ledger.ts';
import type { Standstill } from './standstill.ts';

/* What a proof by the ledger's own time needs of the store. */

/** A record time that has to be passed. */
export interface AwaitedProof {
  readonly proofAt: string;
  readonly submitter: Submitter;
  readonly provider: Party;
}

/** Part of a transaction: see `Tx`. */
export interface ProofTx {
  /**
   * The record time, ISO 8601, up to which everything is told that a participant's submissions could have come to: by its
   * completions on every synchronizer that it was ever seen on and nobody has given up, and by the updates on
   * those of them that they know. `null` where it has told of none.
   */
  provenTime(participant: ParticipantName): Promise<string | null>;
  /** The same, by its completions alone: how far the participant itself has come. */
  toldTime(participant: ParticipantName): Promise<string | null>;
  /** When the projected contract was created, by record time; `null` where that is not known. */
  recordTimeOf(contractId: ContractId): Promise<string | null>;
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
  /** How far a participant's completions have told of each synchronizer that nobody has given up. */
  synchronizerTimes(participant: ParticipantName): Promise<SynchronizerTimes>;
  /** The earliest record time that a head waits for to be passed, through whom that was submitted, and for whom. */
  nextProof(participant: ParticipantName): Promise<AwaitedProof | null>;
  /** Nothing waits for its time any more, as long as it stands there. */
  giveUpSynchronizer(
    participant: ParticipantName,
    synchronizer: string,
    toldAt: string,
  ): Promise<void>;
  setStandstill(participant: ParticipantName, standstill: Standstill | null): Promise<void>;
  /** By how much the clocks are too far apart for proofs to be believed, milliseconds; `null`: they are not. */
  setClockApart(participant: ParticipantName, apartMs: number | null): Promise<void>;
  clockApart(participant: ParticipantName): Promise<number | null>;
  /** The participant is connected to these: one that no stream has told of is behind everything. */
  knowSynchronizers(participant: ParticipantName, synchronizers: readonly string[]): Promise<void>;
}
