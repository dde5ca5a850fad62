import type { Sight } from '../app/engine/doubts/standstill.ts';
import type { ParticipantName } from '../domain/ids.ts';
import { isoToMs } from '../domain/time.ts';
import type { StreamElement } from './inbox.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

type Arrival = NonNullable<Sight['arrival']>;

/**
 * Records how old ledger events are when participants report them. Only sequenced events show this: an accepted
 * completion, or a checkpoint that advances a synchronizer's time. A refused command may never have been sequenced; its
 * completion and the checkpoints after it carry the time of the last earlier event.
 */
export class Arrivals {
  readonly #told = new Map<string, number>();
  readonly #newest = new Map<ParticipantName, Arrival>();

  /** @param atMs when the elements arrived, milliseconds since 1970 */
  note(elements: readonly StreamElement[], atMs: number): void {
    const ages = new Map<ParticipantName, number>();
    for (const { stream, element } of elements) {
      if (stream !== 'completions') continue;
      const { participant } = element;
      const isAccepted = element.kind === 'completion' && element.updateId !== null;
      const isCheckpoint = element.kind === 'position';
      for (const [synchronizer, at] of element.times) {
        const recordMs = isoToMs(at);
        const isLater = this.#isLater(`${participant} ${synchronizer}`, recordMs);
        if (!isAccepted && !(isCheckpoint && isLater)) continue;
        const ageMs = Math.max(
          0,
          atMs - recordMs - (isAccepted ? 0 : PROJECTOR_LIMITS.checkpointMs),
        );
        ages.set(participant, Math.min(ageMs, ages.get(participant) ?? ageMs));
      }
    }
    for (const [participant, ageMs] of ages) this.#newest.set(participant, { atMs, ageMs });
  }

  /** Returns when the participant last reported an event, and the minimum age of that event at that time. */
  readonly of = (participant: ParticipantName): Arrival | null => {
    return this.#newest.get(participant) ?? null;
  };

  /**
   * Returns whether a reported time is later than the previous one. The first reported time does not count, because it
   * may be old.
   */
  #isLater(key: string, recordMs: number): boolean {
    const before = this.#told.get(key);
    this.#told.set(key, Math.max(recordMs, before ?? recordMs));
    return before !== undefined && recordMs > before;
  }
}
