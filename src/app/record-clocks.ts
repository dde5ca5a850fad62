import type { ParticipantName } from '../domain/ids.ts';
import type { SynchronizerTimes } from '../domain/ledger.ts';
import { isoToMs } from '../domain/time.ts';

/**
 * How far the clocks are apart by which attempts and record times are told: what was attempted cannot have been
 * recorded before, nor later than it is told. Where they are further apart than is taken for granted, no proof is believed.
 */
export class RecordClocks {
  readonly #boundMs: number;
  readonly #networkApartMs: () => number | null;
  readonly #apart = new Map<ParticipantName, number>();

  /**
   * @param boundMs see `ProofBounds.clockDifferenceMs`
   * @param networkApartMs by how much clocks of the network are too far apart by what else is known of them
   */
  constructor(boundMs: number, networkApartMs: () => number | null = () => null) {
    this.#boundMs = boundMs;
    this.#networkApartMs = networkApartMs;
  }

  /** Goes on with what another process has written down: nothing has been told yet that says otherwise. */
  resume(participant: ParticipantName, apartMs: number | null): void {
    if (apartMs === null) this.#apart.delete(participant);
    else this.#apart.set(participant, apartMs);
  }

  /**
   * Learns from the completion of an attempt. What was accepted and is in order says that the clocks are again; what was
   * refused can only say that they are not.
   *
   * @param at when the attempt was begun, by the database's clock, ISO 8601; `null` for one that was refused: what never
   *   reached the sequencer has the record time of whatever was told before it
   * @param now when it was told, by this process's clock; ISO 8601
   */
  note(
    participant: ParticipantName,
    times: SynchronizerTimes,
    at: string | null,
    now: string,
  ): void {
    const [recordTime] = times.values();
    if (recordTime === undefined) return;
    const recordMs = isoToMs(recordTime);
    const earlyMs = at === null ? 0 : isoToMs(at) - recordMs;
    const apartMs = Math.max(earlyMs, recordMs - isoToMs(now));
    if (apartMs > this.#boundMs) this.#apart.set(participant, apartMs);
    else if (at !== null) this.#apart.delete(participant);
  }

  /** By how much they are too far apart, milliseconds; `null` where they are not. */
  apartMs(participant: ParticipantName): number | null {
    return this.#apart.get(participant) ?? this.#networkApartMs();
  }
}
