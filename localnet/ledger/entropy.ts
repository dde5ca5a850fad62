import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8192;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Returns random bytes for unguessable IDs, at most {@link POOL_BYTES}. Random bytes are taken from the operating
 * system in large blocks, because one call per ID would cost more than the rest of the ID's processing.
 */
export function entropy(byteCount: number): Buffer {
  if (used + byteCount > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + byteCount));
  // Bytes that were returned must not stay in the pool's memory.
  pool.fill(0, used, used + byteCount);
  used += byteCount;
  return bytes;
}

/** Returns a new update ID, which has the form of a hash: a multihash prefix and 64 hex digits. */
export const newUpdateId = (): string => `1220${entropy(32).toString('hex')}`;

/** Returns a new `traceparent`, for callers that did not send one. */
export const newTraceparent = (): string =>
  `00-${entropy(16).toString('hex')}-${entropy(8).toString('hex')}-01`;
