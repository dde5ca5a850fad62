import type {
  ClockCheck,
  LedgerClock,
  NewestOwn,
  ClockReports,
  WallClock,
} from '../app/ports/clocks.ts';
import type { Log } from '../app/ports/io.ts';
import type { Leases } from '../app/ports/leases.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { ClockDifference } from '../domain/clock-difference.ts';
import { apartOf, differenceOf, isBeyond } from '../domain/clock-difference.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { isoToMs } from '../domain/time.ts';

export interface ClockCheckDeps {
  readonly clocks: ClockReports;
  /** The name of this process in leases. */
  readonly process: string;
  readonly roles: string;
  /** The largest allowed difference between clocks. */
  readonly boundMs: number;
  /** Whether the network's time is set by hand, so that it may be any time. */
  readonly isTimeStatic: boolean;
  readonly wallClock: WallClock;
  readonly log: Log;
  /** Called after each comparison. @default no callback */
  readonly onCompared?: (seen: ComparedClocks) => void;
}

/** The result of a comparison; values in milliseconds, `null` if unknown. */
export interface ComparedClocks {
  /** How far this process's clock is ahead of the database's. */
  readonly own: ClockDifference | null;
  /** How far the network's clock is certainly ahead of the database's clock, or behind it. */
  readonly ledgerApartMs: number | null;
  readonly isOwnWrong: boolean;
  readonly isLedgerWrong: boolean;
}

/** Compares the clock of this process with others while it runs. */
export interface RunningClockCheck extends ClockCheck {
  /** Makes one comparison now. Never rejects: values that cannot be read keep their last value. */
  compare(): Promise<void>;
  /** Records that this record time has just arrived. */
  sawRecordTime(recordTimeMs: number): void;
  stop(): Promise<void>;
}

const seconds = (ms: number): string => `${(Math.abs(ms) / 1_000).toFixed(1)} s`;
const side = (aheadMs: number): string => (aheadMs > 0 ? 'ahead of' : 'behind');

class Check {
  readonly #deps: ClockCheckDeps;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #own: ClockDifference | null = null;
  /** The clock difference seen at Tenure's newest transaction; `null` if there is no transaction. */
  #newestApartMs: number | null = null;
  /** How far the newest record time was ahead of this process's clock when it arrived. */
  #aheadMs = 0;
  #said = '';

  constructor(deps: ClockCheckDeps) {
    this.#deps = deps;
    this.#running = this.#run();
  }

  ownDefect(): string | null {
    const { boundMs } = this.#deps;
    if (this.#own === null || !isBeyond(this.#own, boundMs)) return null;
    const { aheadMs } = this.#own;
    return `the clock of this process is ${seconds(aheadMs)} ${side(aheadMs)} the clock of the database; the limit is ${seconds(boundMs)}`;
  }

  ledgerDefect(): string | null {
    const apartMs = this.#ledgerApartMs();
    const { boundMs } = this.#deps;
    if (apartMs === null || Math.abs(apartMs) <= boundMs) return null;
    return `a clock of the network is at least ${seconds(apartMs)} ${side(apartMs)} the clock of the database; the limit is ${seconds(boundMs)}`;
  }

  async compare(): Promise<void> {
    const { clocks, process, roles, wallClock, log } = this.#deps;
    const isFirst = this.#own === null;
    const askedAtMs = wallClock.nowMs();
    const began = performance.now();
    const io = { signal: this.#stopping.signal, deadlineMs: LIMITS.clockAskMs };
    const report = {
      process,
      roles,
      difference: this.#own,
      ledgerApartMs: this.#ledgerApartMs(),
    };
    try {
      const { at, newest } = await clocks.report(report, io);
      const tookMs = performance.now() - began;
      this.#own = differenceOf({ askedAtMs, tookMs, toldMs: isoToMs(at) });
      this.#newestApartMs = this.#apart(newest, isoToMs(at));
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        log.debug(
          { error: String(error) },
          'the clock of this process could not be compared with the clock of the database',
        );
    }
    this.#tell();
    // A report contains the result of the previous comparison. The first would be empty, so it is repeated at once.
    if (isFirst && this.#own !== null) await this.compare();
  }

  sawRecordTime(recordTimeMs: number): void {
    if (this.#own === null || this.#deps.isTimeStatic) return;
    const { aheadMs, uncertainMs } = this.#own;
    const latestMs = this.#deps.wallClock.nowMs() - aheadMs + uncertainMs;
    this.#aheadMs = Math.max(0, recordTimeMs - latestMs);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    const { clocks, process } = this.#deps;
    const io = { signal: AbortSignal.timeout(LIMITS.clockAskMs), deadlineMs: LIMITS.clockAskMs };
    // Without this, the row of this process would remain after the process has ended.
    await clocks.forget(process, io).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(OPS_LIMITS.clockLookMs, signal, false);
      if (!signal.aborted) await this.compare();
    }
  }

  #apart(newest: NewestOwn | null, seenAtMs: number): number | null {
    if (newest === null || this.#deps.isTimeStatic) return null;
    return apartOf({
      sentAtMs: isoToMs(newest.sentAt),
      seenAtMs,
      effectiveAtMs: isoToMs(newest.effectiveAt),
      recordTimeMs: isoToMs(newest.recordTime),
    });
  }

  #ledgerApartMs(): number | null {
    if (this.#newestApartMs === null) return this.#aheadMs === 0 ? null : this.#aheadMs;
    return this.#aheadMs > Math.abs(this.#newestApartMs) ? this.#aheadMs : this.#newestApartMs;
  }

  /** Logs each clock error once, and logs when it has passed. */
  #tell(): void {
    const own = this.ownDefect();
    const ledger = this.ledgerDefect();
    this.#deps.onCompared?.({
      own: this.#own,
      ledgerApartMs: this.#ledgerApartMs(),
      isOwnWrong: own !== null,
      isLedgerWrong: ledger !== null,
    });
    const said = [own === null ? '' : 'own', ledger === null ? '' : 'ledger'].join(' ').trim();
    if (said === this.#said) return;
    this.#said = said;
    if (said === '') this.#deps.log.info({}, 'the clocks agree again');
    else
      this.#deps.log.error(
        { own, ledger },
        'the clocks differ too much: work that depends on them is refused',
      );
  }
}

/** Starts to compare the clocks every few seconds. Call `compare` before anything depends on the clock. */
export const startClockCheck = (deps: ClockCheckDeps): RunningClockCheck => new Check(deps);

/**
 * Wraps the ledger's clock: if the clocks of the network disagree with the database's, no time counts as certainly
 * past.
 *
 * @param onAsked called with the record time that a caller waits for
 */
export const withClockCheck = (
  ledgerClock: LedgerClock,
  check: Pick<RunningClockCheck, 'ledgerDefect' | 'sawRecordTime'>,
  onAsked: (untilMs: number) => void,
): LedgerClock => ({
  ...ledgerClock,
  certainMs: () => (check.ledgerDefect() === null ? ledgerClock.certainMs() : 0),
  observe: (recordTimeMs) => {
    check.sawRecordTime(recordTimeMs);
    ledgerClock.observe(recordTimeMs);
  },
  ask: onAsked,
});

/** Wraps leases: a process with a wrong clock gets no lease, because every role with a lease depends on the time. */
export const onlyOnTime = (leases: Leases, clocks: Pick<ClockCheck, 'ownDefect'>): Leases => ({
  acquire: async (...asked) => (clocks.ownDefect() === null ? leases.acquire(...asked) : null),
  renew: async (...asked) => clocks.ownDefect() === null && leases.renew(...asked),
  release: (...asked) => leases.release(...asked),
});
