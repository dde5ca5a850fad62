/* A long list in chunks, of which only those in sight are drawn. */

/** Entries of one chunk. */
export const CHUNK = 25;

/** A part of a list that is told newest first: from place `newest` down to place `oldest`, both included. */
export interface Chunk {
  readonly newest: number;
  readonly oldest: number;
}

/**
 * Divides a history into chunks. They begin at fixed places, counted from the oldest entry, so that new entries move
 * none of them.
 * @param from place of the oldest entry that is shown
 * @returns newest first
 */
export function chunksOf(count: number, from = 0): readonly Chunk[] {
  return Array.from({ length: Math.ceil(count / CHUNK) }, (_none, n) => ({
    oldest: Math.max(n * CHUNK, from),
    newest: Math.min((n + 1) * CHUNK, count) - 1,
  }))
    .filter(({ newest }) => newest >= from)
    .toReversed();
}
