import type { ClockDifference } from '../../domain/clock-difference.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/* Ports of the core for time: see `ports.ts`. */

/** Wall time, used for history, backoff and leases. */
export interface WallClock {
  nowMs(): number;
}

/**
 * Ledger time, never ahead of it: a guard that passes here passes on the ledger. It is the later of the wall clock less
 * the skew margin and the newest record time of the stream, which advances for a while; on a ledger with static time,
 * it is that time.
 */
export interface LedgerClock {
  nowMs(): number;
  /** Returns the part that the ledger itself has reported; a time long ago if it has reported none. */
  provenMs(): number;
  /**
   * Returns a time that is past by every clock that is still believed, also for transactions in transit: what the
   * ledger has reported, less the clock difference, and less the delay between judgement and sequencing. For decisions
   * that do harm if made too early, and that no ledger judges again.
   */
  certainMs(): number;
  /** Makes the ledger confirm that a time is past, even if nothing else moves its time. Returns at once. */
  ask(untilMs: number): void;
  /**
   * Returns a time that is past by every participant's clock, for values that the ledger compares with its own clock.
   */
  pastMs(): number;
  /** Reads the ledger's time if it is static; otherwise does nothing. */
  refresh(io: Io): Promise<void>;
  /** Learns a record time from the stream. */
  observe(recordTimeMs: number): void;
}

/** Knowledge of this process about its own clock and the network's clocks. */
export interface ClockWatch {
  /** Returns why operations that depend on this process's clock are refused; `null` if they are not. */
  ownDefect(): string | null;
  /** Returns why the network's times are not believed; `null` if they are. */
  ledgerDefect(): string | null;
}

/** A process's report of its clock. */
export interface ClockReport {
  /** Name of the process, as in leases. */
  readonly process: string;
  readonly roles: string;
  /** The last measured difference; `null` before the first measurement. */
  readonly difference: ClockDifference | null;
  /**
   * Minimum difference between a clock of the network and the database's; `null` if no time of the network was seen.
   */
  readonly ledgerApartMs: number | null;
}

/** The newest transaction of ours. Times are by the database's clock unless noted otherwise. ISO 8601. */
export interface NewestOwn {
  /** Before anything was sent. */
  readonly sentAt: string;
  /** Time of the participant's clock. */
  readonly effectiveAt: string;
  readonly recordTime: string;
}

/** Clock reports of the processes, for the process that monitors them all. */
export interface ProcessClocks {
  /** @returns the time of the database's clock, and its newest transaction on the network */
  report(
    report: ClockReport,
    io: Io,
  ): Promise<{ readonly at: string; readonly newest: NewestOwn | null }>;
  /** Removes the report of a process that ends. */
  forget(process: string, io: Io): Promise<void>;
}

/** Record times that are waited for, on networks where nothing else may move time. */
export interface TimeWanted {
  ask(participant: ParticipantName, recordTimeMs: number, io: Io): Promise<void>;
  /** Returns the time, ISO 8601; `null` if none is waited for, or the followed updates have passed it. */
  wanted(participant: ParticipantName, io: Io): Promise<string | null>;
}
