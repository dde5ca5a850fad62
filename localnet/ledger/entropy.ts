import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8192;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Returns random bytes for unguessable IDs, at most {@link POOL_BYTES}. Random bytes are taken from the operating
 * system in large blocks, because one call for each ID would take longer than everything else that is done for the ID.
 */
export function entropy(byteCount: number): Buffer {
  if (used + byteCount > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + byteCount));
  // The pool must not keep bytes that have been returned.
  pool.fill(0, used, used + byteCount);
  used += byteCount;
  return bytes;
}

/** Returns a new update ID, which has the form of a hash: a multihash prefix and 64 hex digits. */
export const newUpdateId = (): string => `1220${entropy(32).toString('hex')}`;

/** Returns a new `traceparent`, for callers that did not send one. */
export const newTraceparent = (): string =>
  `00-${entropy(16).toString('hex')}-${entropy(8).toString('hex')}-01`;
