import { OPS_LIMITS } from './limits.ts';

/**
 * How long a stream has been behind its participant. An idle ledger has no age: what counts is since when the
 * participant has been known to be further than the stream.
 */
export class Lag {
  #seen: { readonly end: bigint; readonly atMs: number }[] = [];

  /** @returns milliseconds since the oldest end that was seen and is still ahead of the stream; 0 when none is */
  note(end: bigint, reached: bigint, nowMs: number): number {
    const last = this.#seen.at(-1);
    if (last === undefined || last.end < end) this.#seen.push({ end, atMs: nowMs });
    this.#seen = this.#seen.filter((seen) => seen.end > reached);
    // Every other one: the oldest stays, so that what is shown never shrinks by this.
    if (this.#seen.length > OPS_LIMITS.lagSeenMax)
      this.#seen = this.#seen.filter((_, i) => i % 2 === 0);
    const [oldest] = this.#seen;
    return oldest === undefined ? 0 : Math.max(0, nowMs - oldest.atMs);
  }
}
