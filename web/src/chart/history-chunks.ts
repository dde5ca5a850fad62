/* A long list is divided into chunks. Only visible chunks are rendered. */

/** Number of entries in a chunk. */
export const CHUNK = 25;

/** A part of a list that is shown newest first: from index `newest` down to index `oldest`, both included. */
export interface Chunk {
  readonly newest: number;
  readonly oldest: number;
}

/**
 * Divides a history into chunks. They begin at fixed indexes, counted from the oldest entry, so that new entries do not
 * move existing chunks.
 *
 * @param from index of the oldest entry that is shown
 * @returns the chunks, newest first
 */
export function chunksOf(count: number, from = 0): readonly Chunk[] {
  return Array.from({ length: Math.ceil(count / CHUNK) }, (_none, n) => ({
    oldest: Math.max(n * CHUNK, from),
    newest: Math.min((n + 1) * CHUNK, count) - 1,
  }))
    .filter(({ newest }) => newest >= from)
    .toReversed();
}
