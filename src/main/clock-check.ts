import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ClockCheck, LedgerClock, WallClock } from '../app/ports/clocks.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ReadinessCheck } from '../http/kit/deps.ts';
import { startClockCheck, withClockCheck } from '../ops/clock-check.ts';
import { createClockReports, createTimeWanted } from '../store/engine/clock-reports.ts';
import type { Config } from './config.ts';
import type { LedgerSide } from './ledger-side.ts';
import type { Observation } from './observation.ts';

/** The parts on which the comparison of clocks depends. */
export interface ClockCheckParts extends Observation {
  readonly config: Config;
  readonly pool: Pool;
  readonly ledger: LedgerSide;
  readonly holder: string;
  readonly wallClock: WallClock;
  readonly log: Logger;
}

/**
 * Returns a function that stores the record time for which a caller waits. A time is stored only if it is later than
 * the last stored one.
 */
function wanting({ config, pool, ledger, log }: ClockCheckParts): (untilMs: number) => void {
  const timeWanted = createTimeWanted(pool);
  const { projected } = ledger.streams;
  const { clockDifferenceMs, toleranceMs } = config.proof;
  let askedMs = 0;
  return (untilMs) => {
    const wantedMs = untilMs + clockDifferenceMs + toleranceMs;
    if (ledger.discovered.isTimeStatic || wantedMs <= askedMs) return;
    askedMs = wantedMs;
    const io = { signal: AbortSignal.timeout(LIMITS.clockAskMs), deadlineMs: LIMITS.clockAskMs };
    timeWanted.ask(projected, wantedMs, io).catch((error: unknown) => {
      askedMs = 0;
      log.warn({ error: String(error) }, 'that a time is waited for could not be written down');
    });
  };
}

/** Compares the clocks once before it returns, and then periodically. */
export async function openClockCheck(
  parts: ClockCheckParts,
  stack: AsyncDisposableStack,
): Promise<{ readonly clocks: ClockCheck; readonly ledgerClock: LedgerClock }> {
  const { config, pool, ledger, holder, wallClock, log, metrics } = parts;
  const check = startClockCheck({
    clocks: createClockReports(pool),
    process: holder,
    roles: [...config.roles].join(','),
    boundMs: config.proof.clockDifferenceMs,
    isTimeStatic: ledger.discovered.isTimeStatic,
    wallClock,
    log,
    onCompared: (seen) => metrics.clocksCompared(seen),
  });
  stack.defer(() => check.stop());
  await check.compare();
  return { clocks: check, ledgerClock: withClockCheck(ledger.ledgerClock, check, wanting(parts)) };
}

/** Fails if the clock of this process is wrong, or if the clocks of the network that it follows are wrong. */
export const clockReadiness = (clocks: ClockCheck): ReadinessCheck => ({
  name: 'clock',
  check: async () => {
    const why = clocks.ownDefect() ?? clocks.ledgerDefect();
    if (why !== null) throw new Error(why);
  },
});
