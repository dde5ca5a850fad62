import type { ParticipantName } from '../../../domain/ids.ts';
import type { LedgerCompletion, SynchronizerTimes } from '../../../domain/ledger.ts';
import { isoToMs } from '../../../domain/time.ts';
import { CODES } from '../../../domain/ledger-codes.ts';
import type { ClocksApart } from '../../ports/proofs.ts';
import type { ProofBounds } from './proof.ts';

/**
 * Clock differences on each synchronizer of each participant, computed from submissions and reported record times: the
 * record time of a submission is not before the submission was made, and not after the record time was received. If the
 * clocks differ by more than the bound, proofs are not trusted until an accepted submission shows that the clocks agree
 * again.
 */
export class RecordClocks {
  readonly #bounds: ProofBounds;
  /** Excessive differences in milliseconds, by synchronizer. `null`: the clocks have been compared and agree. */
  readonly #apart = new Map<ParticipantName, Map<string, number | null>>();

  constructor(bounds: ProofBounds) {
    this.#bounds = bounds;
  }

  /** Loads the differences that an earlier process stored; keeps differences that this process has measured. */
  begin(participant: ParticipantName, stored: ClocksApart): void {
    const known = this.#of(participant);
    for (const [synchronizer, apartMs] of stored) {
      if (!known.has(synchronizer)) known.set(synchronizer, apartMs);
    }
  }

  /**
   * Compares a reported record time, which cannot be later than its arrival, with this process's clock.
   *
   * @param now by this process's clock, ISO 8601
   */
  told(participant: ParticipantName, times: SynchronizerTimes, now: string): void {
    for (const [synchronizer, recordTime] of times) {
      this.#mark(participant, synchronizer, isoToMs(recordTime) - isoToMs(now));
    }
  }

  /**
   * Compares the record time of one of our submissions' completions. A submission that never reached the sequencer has
   * the record time of an earlier event, so only an accepted one shows that the clocks agree.
   *
   * @param begunAt when the submission began, by the clock of the database or a process; ISO 8601
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

  /** Removes synchronizers for which no change waits any more. */
  forget(participant: ParticipantName, synchronizers: readonly string[]): void {
    for (const synchronizer of synchronizers) this.#of(participant).delete(synchronizer);
  }

  /** Returns the synchronizers whose clocks differ too much. */
  apart(participant: ParticipantName): ClocksApart {
    const known = [...(this.#apart.get(participant) ?? [])];
    return new Map(known.flatMap(([id, ms]) => (ms === null ? [] : [[id, ms] as const])));
  }

  /** Returns the largest excessive difference in milliseconds; `null` if there is none. */
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
