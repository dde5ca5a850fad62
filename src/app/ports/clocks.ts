import type { ClockDifference } from '../../domain/clock-difference.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/* What the core asks of whoever knows the time: see `ports.ts`. */

/** Wall time: history, backoff, leases. */
export interface WallClock {
  nowMs(): number;
}

/**
 * Ledger time, not ahead of it: a guard that passes here passes on the ledger. It is the later of the wall clock less
 * the skew margin and the newest record time seen on the stream, which goes on for a while; on a ledger with static
 * time it is that time.
 */
export interface LedgerClock {
  nowMs(): number;
  /** What of it the ledger itself has said; as long as it has said nothing, a time long ago. */
  provenMs(): number;
  /**
   * What is past by every clock that is still believed, also for what is on its way: what the ledger itself has said,
   * less how far clocks may be apart, and less how much later than it is judged a transaction may be sequenced. For
   * what does harm when it is believed too early, and what no ledger judges again.
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

/** What this process knows of its clock and of those of the network. */
export interface ClockWatch {
  /** Why what depends on the clock of this process is refused, in words; `null`: it is not. */
  ownDefect(): string | null;
  /** Why what the network says of the time is not believed, in words; `null`: it is. */
  ledgerDefect(): string | null;
}

/** What a process says of its clock. */
export interface ClockReport {
  /** Names the process, as in leases. */
  readonly process: string;
  readonly roles: string;
  /** As it was measured last; `null`: not yet. */
  readonly difference: ClockDifference | null;
  /** By how much a clock of the network is certainly apart from the database's; `null`: nothing of it has been seen. */
  readonly ledgerApartMs: number | null;
}

/** The newest transaction of ours, by the clock of the database where it is not said otherwise. ISO 8601. */
export interface NewestOwn {
  /** Before anything was sent. */
  readonly sentAt: string;
  /** By the participant. */
  readonly effectiveAt: string;
  readonly recordTime: string;
}

/** What processes write down of their clocks, for whoever looks after all of them. */
export interface ProcessClocks {
  /** @returns what the clock of the database shows, and the newest that it has of the network */
  report(
    report: ClockReport,
    io: Io,
  ): Promise<{ readonly at: string; readonly newest: NewestOwn | null }>;
  /** Of a process that ends. */
  forget(process: string, io: Io): Promise<void>;
}

/** Record times that somebody waits for, on networks where nothing else may move time. */
export interface TimeWanted {
  ask(participant: ParticipantName, recordTimeMs: number, io: Io): Promise<void>;
  /** ISO 8601; `null` when nobody waits, or the updates that are followed have passed it. */
  wanted(participant: ParticipantName, io: Io): Promise<string | null>;
}
