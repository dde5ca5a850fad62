import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ClockWatch, LedgerClock, WallClock } from '../app/ports/clocks.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ReadinessCheck } from '../http/kit/deps.ts';
import { watchClock, withClockWatch } from '../ops/clock-watch.ts';
import { createProcessClocks, createTimeWanted } from '../store/engine/process-clocks.ts';
import type { Config } from './config.ts';
import type { LedgerSide } from './ledger-side.ts';
import type { Observation } from './observation.ts';

/** Dependencies of the comparison of clocks. */
export interface ClockParts extends Observation {
  readonly config: Config;
  readonly pool: Pool;
  readonly ledger: LedgerSide;
  readonly holder: string;
  readonly wallClock: WallClock;
  readonly log: Logger;
}

/** Records the record time that a caller waits for, each later time once. */
function wanting({ config, pool, ledger, log }: ClockParts): (untilMs: number) => void {
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

/** Compares the clocks once, and then periodically. */
export async function openClocks(
  parts: ClockParts,
  stack: AsyncDisposableStack,
): Promise<{ readonly clocks: ClockWatch; readonly ledgerClock: LedgerClock }> {
  const { config, pool, ledger, holder, wallClock, log, metrics } = parts;
  const watch = watchClock({
    clocks: createProcessClocks(pool),
    process: holder,
    roles: [...config.roles].join(','),
    boundMs: config.proof.clockDifferenceMs,
    isTimeStatic: ledger.discovered.isTimeStatic,
    wallClock,
    log,
    onCompared: (seen) => metrics.clocksCompared(seen),
  });
  stack.defer(() => watch.stop());
  await watch.compare();
  return { clocks: watch, ledgerClock: withClockWatch(ledger.ledgerClock, watch, wanting(parts)) };
}

/** Fails for a process with a wrong clock, and for one that follows a network whose clocks are wrong. */
export const clockCheck = (clocks: ClockWatch): ReadinessCheck => ({
  name: 'clock',
  check: async () => {
    const why = clocks.ownDefect() ?? clocks.ledgerDefect();
    if (why !== null) throw new Error(why);
  },
});
