import { OPS_LIMITS } from './limits.ts';

/**
 * Measures for how long a stream has been behind its participant. An idle ledger reports no times, so the lag counts
 * from the moment at which this process first saw the participant ahead of the stream.
 */
export class Lag {
  #seen: { readonly end: bigint; readonly atMs: number }[] = [];

  /**
   * Records the positions of the participant and of the stream.
   *
   * @returns milliseconds since the oldest known ledger end that the stream has not reached; 0 if it has reached all
   */
  note(end: bigint, reached: bigint, nowMs: number): number {
    const last = this.#seen.at(-1);
    if (last === undefined || last.end < end) this.#seen.push({ end, atMs: nowMs });
    this.#seen = this.#seen.filter((seen) => seen.end > reached);
    // Drops every second entry but keeps the oldest one, so that dropping never shortens the reported lag.
    if (this.#seen.length > OPS_LIMITS.lagSeenMax)
      this.#seen = this.#seen.filter((_, i) => i % 2 === 0);
    const [oldest] = this.#seen;
    return oldest === undefined ? 0 : Math.max(0, nowMs - oldest.atMs);
  }
}
