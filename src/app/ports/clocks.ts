import type { ClockDifference } from '../../domain/clock-difference.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/* Ports of the core for time. */

/** Wall time, used for history, backoff and leases. */
export interface WallClock {
  nowMs(): number;
}

/**
 * A lower bound of the ledger's time: a guard that passes by this clock also passes on the ledger. It is the later of
 * two times: the wall clock less the skew margin, and the newest record time of the stream, advanced for a while. On a
 * ledger with static time, it is the ledger's time.
 */
export interface LedgerClock {
  nowMs(): number;
  /** Returns the time that the ledger itself has reported; a time long ago if it has reported none. */
  provenMs(): number;
  /**
   * Returns a time that is past by every clock that is still trusted, also for transactions in transit: the time that
   * the ledger has reported, less the clock difference, and less the delay between judgement and sequencing. For
   * decisions that do harm if made too early, and that the ledger does not check.
   */
  certainMs(): number;
  /** Makes the ledger report a time after `untilMs`, even if nothing else advances its time. Returns at once. */
  ask(untilMs: number): void;
  /**
   * Returns a time that has passed by every participant's clock, for values that the ledger compares with its own
   * clock.
   */
  pastMs(): number;
  /** Reads the ledger's time if it is static; otherwise does nothing. */
  refresh(io: Io): Promise<void>;
  /** Takes note of a record time from the stream. */
  observe(recordTimeMs: number): void;
}

/** This process's knowledge of its own clock and of the network's clocks. */
export interface ClockCheck {
  /** Returns why operations that depend on this process's clock are refused; `null` if they are allowed. */
  ownDefect(): string | null;
  /** Returns why the network's times are not trusted; `null` if they are. */
  ledgerDefect(): string | null;
}

/** A process's report of its clock. */
export interface ClockReport {
  /** Name of the process, as used in leases. */
  readonly process: string;
  readonly roles: string;
  /** The last measured difference from the database's clock; `null` before the first measurement. */
  readonly difference: ClockDifference | null;
  /**
   * Minimum difference between a clock of the network and the database's clock, in milliseconds; `null` if no time of
   * the network is known.
   */
  readonly ledgerApartMs: number | null;
}

/** The newest transaction that Tenure submitted. Times are by the database's clock unless noted otherwise. ISO 8601. */
export interface NewestOwn {
  /** Taken before the submission was sent. */
  readonly sentAt: string;
  /** Time by the participant's clock. */
  readonly effectiveAt: string;
  readonly recordTime: string;
}

/** Clock reports of the processes, for the process that monitors them all. */
export interface ClockReports {
  /** @returns the time of the database's clock, and the newest transaction that Tenure submitted */
  report(
    report: ClockReport,
    io: Io,
  ): Promise<{ readonly at: string; readonly newest: NewestOwn | null }>;
  /** Removes the report of a process that stops. */
  forget(process: string, io: Io): Promise<void>;
}

/** Record times for which something waits, on networks on which nothing else may advance time. */
export interface TimeWanted {
  ask(participant: ParticipantName, recordTimeMs: number, io: Io): Promise<void>;
  /** Returns the awaited time, ISO 8601; `null` if no time is awaited, or if the followed updates have passed it. */
  wanted(participant: ParticipantName, io: Io): Promise<string | null>;
}
