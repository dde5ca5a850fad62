/* A long list in chunks, of which only those in sight are drawn. */

/** Entries of one chunk. */
export const CHUNK = 25;

/** A part of a list that is told newest first: from place `newest` down to place `oldest`, both included. */
export interface Chunk {
  readonly newest: number;
  readonly oldest: number;
}

/**
 * Chunks begin at fixed places, counted from the oldest entry: what is added to the history moves none of them.
 *
 * @returns newest first
 */
export function chunksOf(count: number): readonly Chunk[] {
  return Array.from({ length: Math.ceil(count / CHUNK) }, (_none, n) => ({
    oldest: n * CHUNK,
    newest: Math.min((n + 1) * CHUNK, count) - 1,
  })).toReversed();
}
