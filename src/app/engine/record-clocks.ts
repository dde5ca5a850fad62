import type { ParticipantName } from '../../domain/ids.ts';
import type { LedgerCompletion, SynchronizerTimes } from '../../domain/ledger.ts';
import { isoToMs } from '../../domain/time.ts';
import { CODES } from '../../domain/ledger-codes.ts';
import type { ClocksApart } from '../ports/proofs.ts';
import type { ProofBounds } from './proof.ts';

/**
 * How far the clocks are apart, on each synchronizer of each participant, by which submissions and record times are
 * told: what was submitted cannot have been recorded before, nor later than it is told. Where they are further apart
 * than is taken for granted, no proof is believed until a submission that was accepted there says that they agree
 * again.
 */
export class RecordClocks {
  readonly #bounds: ProofBounds;
  /** `null`: they have been compared and agree. */
  readonly #apart = new Map<ParticipantName, Map<string, number | null>>();

  constructor(bounds: ProofBounds) {
    this.#bounds = bounds;
  }

  /** What was written down before this process followed the ledger, where it has not compared them itself since. */
  begin(participant: ParticipantName, stored: ClocksApart): void {
    const known = this.#of(participant);
    for (const [synchronizer, apartMs] of stored) {
      if (!known.has(synchronizer)) known.set(synchronizer, apartMs);
    }
  }

  /**
   * Learns from what is told at all: nothing happens later than it is told.
   *
   * @param now by this process's clock, ISO 8601
   */
  told(participant: ParticipantName, times: SynchronizerTimes, now: string): void {
    for (const [synchronizer, recordTime] of times) {
      this.#mark(participant, synchronizer, isoToMs(recordTime) - isoToMs(now));
    }
  }

  /**
   * Learns from the completion of a submission of ours. What never reached the sequencer has the record time of
   * whatever was told before it, so only what was accepted says that the clocks agree.
   *
   * @param begunAt when the submission was begun, by the database's clock or a process's; ISO 8601
   * @param now see {@link told}
   */
  completed(
    { participant, times, updateId, answer }: LedgerCompletion,
    begunAt: string,
    now: string,
  ): void {
    for (const [synchronizer, recordTime] of times) {
      const recordMs = isoToMs(recordTime);
      if (answer?.code === CODES.timeOutOfBound)
        this.#mark(participant, synchronizer, this.#bounds.toleranceMs);
      if (updateId === null) continue;
      this.#of(participant).set(synchronizer, null);
      const apartMs = Math.max(isoToMs(begunAt) - recordMs, recordMs - isoToMs(now));
      this.#mark(participant, synchronizer, apartMs);
    }
  }

  /** Nobody waits for these any more. */
  forget(participant: ParticipantName, synchronizers: readonly string[]): void {
    for (const synchronizer of synchronizers) this.#of(participant).delete(synchronizer);
  }

  /** Those on which they are too far apart. */
  apart(participant: ParticipantName): ClocksApart {
    const known = [...(this.#apart.get(participant) ?? [])];
    return new Map(known.flatMap(([id, ms]) => (ms === null ? [] : [[id, ms] as const])));
  }

  /** By how much they are too far apart at the most, milliseconds; `null` where they are not. */
  apartMs(participant: ParticipantName): number | null {
    const found = [...this.apart(participant).values()];
    return found.length === 0 ? null : Math.max(...found);
  }

  #of(participant: ParticipantName): Map<string, number | null> {
    const known = this.#apart.get(participant) ?? new Map<string, number | null>();
    this.#apart.set(participant, known);
    return known;
  }

  #mark(participant: ParticipantName, synchronizer: string, apartMs: number): void {
    if (apartMs <= this.#bounds.clockDifferenceMs) return;
    this.#of(participant).set(synchronizer, Math.round(apartMs));
  }
}
