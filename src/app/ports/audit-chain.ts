import type { Io } from './io.ts';

/** A row's position in the chain, with its hash in hexadecimal digits. */
export interface ChainPlace {
  readonly seq: bigint;
  readonly hash: string;
}

export interface ChainLink extends ChainPlace {
  readonly auditId: bigint;
  /** Whether the hash was computed from the previous hash and the row; `null` if the row is missing. */
  readonly isRight: boolean | null;
}

/** The stored beginning and end of the chain. */
export interface ChainEnds {
  /** The last row that retention deleted. */
  readonly deleted: ChainPlace;
  readonly last: ChainPlace;
}

/** The newest position, and the number of rows that one call has added to the chain. */
export interface Chained extends ChainPlace {
  readonly count: number;
}

/** The chain of hashes over the rows of the audit log. */
export interface AuditChain {
  /**
   * Appends committed rows that are not in the chain yet.
   *
   * @returns `null` if another process holds the lease
   */
  chain(limit: number, leaseEpoch: bigint, io: Io): Promise<Chained | null>;
}
