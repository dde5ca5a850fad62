import type { LedgerClock, WallClock } from '../app/ports/clocks.ts';
import type { NextDue } from '../app/ports/policies.ts';
import { OPS_LIMITS } from './limits.ts';
import { isoToMs } from '../domain/time.ts';

/* For how long a policy has nothing to do, and by which clock. */

interface Clocks {
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
}

/** Until when there is nothing to do; `null`: nothing is known of. Milliseconds since 1970. */
export interface IdleUntil {
  readonly ledgerMs: number | null;
  /** Ledger time as well, but it must certainly be past. */
  readonly certainMs: number | null;
  readonly wallMs: number | null;
}

export const NOTHING: IdleUntil = { ledgerMs: null, certainMs: null, wallMs: null };

/** Nothing is to do until that wall time. */
export const untilWall = (wallMs: number | null): IdleUntil => ({ ...NOTHING, wallMs });

export const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

export const shorter = (a: IdleUntil, b: IdleUntil): IdleUntil => ({
  ledgerMs: earlier(a.ledgerMs, b.ledgerMs),
  certainMs: earlier(a.certainMs, b.certainMs),
  wallMs: earlier(a.wallMs, b.wallMs),
});

export const msOf = (iso: string | null): number | null => (iso === null ? null : isoToMs(iso));

/** What comes next, each by the clock that decides it: see `lapseClock`. */
export function idleUntil(next: NextDue, graceMs: number, wallMs: number | null): IdleUntil {
  const lapseMs = msOf(next.lapse);
  const closeMs = msOf(next.close);
  if (graceMs === 0) return { ledgerMs: lapseMs, certainMs: closeMs, wallMs };
  const dueMs = lapseMs === null ? null : lapseMs + graceMs;
  return { ledgerMs: null, certainMs: earlier(dueMs, closeMs), wallMs };
}

/** How long it is until then, by the clocks that decide it; `null`: nothing is known of. */
export function aheadOf(
  { ledgerClock }: Clocks,
  { ledgerMs, certainMs }: IdleUntil,
): number | null {
  return earlier(
    ledgerMs === null ? null : ledgerMs - ledgerClock.nowMs(),
    certainMs === null ? null : certainMs - ledgerClock.certainMs(),
  );
}

/**
 * What our own clock takes for past, the ledger has to say: where nothing happens, somebody has to make it. Then its
 * time is looked at soon again.
 */
export function awaitTime({ ledgerClock, wallClock }: Clocks, idle: IdleUntil): IdleUntil {
  const { certainMs } = idle;
  if (certainMs === null || certainMs > ledgerClock.nowMs()) return idle;
  ledgerClock.ask(certainMs);
  return shorter(idle, untilWall(wallClock.nowMs() + OPS_LIMITS.timerWatchMs));
}
