import { createHash } from 'node:crypto';

/** The purposes of hashes. A hash for one purpose is never valid for another one. */
export const HASH_PURPOSE = {
  topologyTransaction: 11,
  publicKeyFingerprint: 12,
  preparedTransaction: 48,
  multiTopologyTransaction: 55,
} as const;

type HashPurpose = (typeof HASH_PURPOSE)[keyof typeof HASH_PURPOSE];

/** The multihash prefix of SHA-256 with 32 bytes. */
const MULTIHASH_PREFIX = Buffer.from([0x12, 0x20]);

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Returns the multihash of bytes for a purpose: 34 bytes, as in signatures and fingerprints. */
export const cantonHash = (purpose: HashPurpose, content: Uint8Array): Buffer =>
  Buffer.concat([
    MULTIHASH_PREFIX,
    createHash('sha256').update(int32(purpose)).update(content).digest(),
  ]);

/** Returns the hash over several topology transactions, which a key signs to sign all of them at once. */
export function multiTransactionHash(hashes: readonly Uint8Array[]): Buffer {
  const sorted = hashes.map((hash) => Buffer.from(hash)).sort((a, b) => Buffer.compare(a, b));
  return cantonHash(
    HASH_PURPOSE.multiTopologyTransaction,
    Buffer.concat([int32(sorted.length), ...sorted.flatMap((hash) => [int32(hash.length), hash])]),
  );
}
