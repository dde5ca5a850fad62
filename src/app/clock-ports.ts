import type { Io } from './ports.ts';

/* What the core asks of whoever knows the time: see `ports.ts`. */

/** Wall time: history, backoff, leases. */
export interface WallClock {
  nowMs(): number;
}

/**
 * Ledger time, not ahead of it: a guard that passes here passes on the ledger. It is the later of the wall clock less
 * the skew margin and the newest record time seen on the stream, which goes on for a while; on a ledger with static time
 * it is that time.
 */
export interface LedgerClock {
  nowMs(): number;
  /** What of it the ledger itself has said; as long as it has said nothing, a time long ago. */
  provenMs(): number;
  /**
   * What is past by every clock that is still believed: what the ledger itself has said, less how far clocks may be
   * apart. For what does harm when it is believed too early, and what no ledger judges again.
   */
  certainMs(): number;
  /** Has the ledger say that a time is certainly past, also where nothing else moves it. Comes back at once. */
  ask(untilMs: number): void;
  /** A time that is past by every participant's clock: for what the ledger compares with its own. */
  pastMs(): number;
  /** Asks the ledger where its time is static; otherwise does nothing. */
  refresh(io: Io): Promise<void>;
  /** Learns a record time from the stream. */
  observe(recordTimeMs: number): void;
}
