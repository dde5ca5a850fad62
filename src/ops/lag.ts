import { OPS_LIMITS } from './limits.ts';

/**
 * How long a stream has been behind its participant. An idle ledger has no age, so the time counts from when the
 * participant was first known to be ahead of the stream.
 */
export class Lag {
  #seen: { readonly end: bigint; readonly atMs: number }[] = [];

  /** @returns milliseconds since the oldest known ledger end that is still ahead of the stream; 0 if there is none */
  note(end: bigint, reached: bigint, nowMs: number): number {
    const last = this.#seen.at(-1);
    if (last === undefined || last.end < end) this.#seen.push({ end, atMs: nowMs });
    this.#seen = this.#seen.filter((seen) => seen.end > reached);
    // Drops every other entry but keeps the oldest, so that the lag shown never shrinks because of this.
    if (this.#seen.length > OPS_LIMITS.lagSeenMax)
      this.#seen = this.#seen.filter((_, i) => i % 2 === 0);
    const [oldest] = this.#seen;
    return oldest === undefined ? 0 : Math.max(0, nowMs - oldest.atMs);
  }
}
