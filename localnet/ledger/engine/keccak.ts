import type { Meter } from './bounds.ts';

/* Keccak-256 with the original padding. SHA-3 uses another padding. */

const RATE_BYTES = 136;
const ROUNDS = 24;
const MASK = (1n << 64n) - 1n;

const rotate = (lane: bigint, by: number): bigint =>
  by === 0 ? lane : ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & MASK;

/** Returns the constants of the rounds. A shift register of eight bits generates them. */
function roundConstants(): readonly bigint[] {
  let register = 1;
  const bit = (): bigint => {
    const out = BigInt(register & 1);
    register <<= 1;
    if ((register & 0x100) !== 0) register ^= 0x171;
    return out;
  };
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let at = 0; at < 7; at += 1) constant |= bit() << ((1n << BigInt(at)) - 1n);
    return constant;
  });
}
const CONSTANTS = roundConstants();

/** Returns for each lane the lane to which it is moved, and the number of bits by which it is rotated. */
function lanePaths(): readonly (readonly [from: number, to: number, by: number])[] {
  let [x, y] = [1, 0];
  return Array.from({ length: 24 }, (_, step) => {
    const from = x + 5 * y;
    [x, y] = [y, (2 * x + 3 * y) % 5];
    return [from, x + 5 * y, (((step + 1) * (step + 2)) / 2) % 64] as const;
  });
}
const PATHS = lanePaths();

function permute(state: bigint[]): void {
  const lane = (index: number): bigint => state[index] ?? 0n;
  for (const constant of CONSTANTS) {
    const parity = [0, 1, 2, 3, 4].map(
      (x) => lane(x) ^ lane(x + 5) ^ lane(x + 10) ^ lane(x + 15) ^ lane(x + 20),
    );
    for (let at = 0; at < 25; at += 1) {
      const [left, right] = [parity[(at + 4) % 5] ?? 0n, parity[(at + 1) % 5] ?? 0n];
      state[at] = lane(at) ^ left ^ rotate(right, 1);
    }
    const moved = [...state];
    for (const [from, to, by] of PATHS) moved[to] = rotate(lane(from), by);
    for (let at = 0; at < 25; at += 1) {
      const row = at - (at % 5);
      const [next, after] = [moved[row + ((at + 1) % 5)] ?? 0n, moved[row + ((at + 2) % 5)] ?? 0n];
      state[at] = (moved[at] ?? 0n) ^ (~next & MASK & after);
    }
    state[0] = lane(0) ^ constant;
  }
}

/** The cost of hashing one block, in steps. A block takes about as long as this number of steps. */
const STEPS_A_BLOCK = 1000;

export function keccak256(bytes: Uint8Array, meter: Meter): string {
  const padded = Buffer.alloc(bytes.length + RATE_BYTES - (bytes.length % RATE_BYTES));
  padded.set(bytes);
  padded[bytes.length] = (padded[bytes.length] ?? 0) ^ 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) ^ 0x80;
  const state = Array.from({ length: 25 }, () => 0n);
  for (let at = 0; at < padded.length; at += RATE_BYTES) {
    meter.spend(STEPS_A_BLOCK);
    for (let lane = 0; lane < RATE_BYTES / 8; lane += 1) {
      state[lane] = (state[lane] ?? 0n) ^ padded.readBigUInt64LE(at + lane * 8);
    }
    permute(state);
  }
  const out = Buffer.alloc(32);
  for (let lane = 0; lane < 4; lane += 1) out.writeBigUInt64LE(state[lane] ?? 0n, lane * 8);
  return out.toString('hex');
}
