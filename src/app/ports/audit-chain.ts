import type { Io } from './io.ts';

/** A place in the chain, with its hash in hexadecimal digits. */
export interface ChainPlace {
  readonly seq: bigint;
  readonly hash: string;
}

export interface ChainLink extends ChainPlace {
  readonly auditId: bigint;
  /** Whether the hash follows from the hash before it and the row; `null` when the row is missing. */
  readonly isRight: boolean | null;
}

/** Where the chain is recorded to begin and to end. */
export interface ChainEnds {
  /** The last row that retention deleted. */
  readonly deleted: ChainPlace;
  readonly last: ChainPlace;
}

/** The newest place, and how many rows one call has chained. */
export interface Chained extends ChainPlace {
  readonly count: number;
}

/** The chain of hashes over the rows of the audit log. */
export interface AuditChain {
  /**
   * Chains committed rows that are in no chain yet, after all others.
   *
   * @returns `null` when another process holds the lease
   */
  chain(limit: number, leaseEpoch: bigint, io: Io): Promise<Chained | null>;
}
