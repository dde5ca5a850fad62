import type { LedgerClock, WallClock } from '../app/ports/clocks.ts';
import type { Kept, NextDue } from '../app/ports/policies.ts';
import type { ExpiryPolicy } from '../domain/expiry-policy.ts';
import { holdOf } from '../domain/expiry-policy.ts';
import type { RenewalPolicy } from '../domain/renewal-policy.ts';
import { OPS_LIMITS } from './limits.ts';
import { isoToMs } from '../domain/time.ts';

/* Computes how long a policy has no work, and by which clock. */

interface Clocks {
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
}

/** The times until which there is no work, in milliseconds since 1970; `null` if no next time is known. */
export interface IdleUntil {
  readonly ledgerMs: number | null;
  /** The ledger time until which there is no work, for work whose time must certainly have passed. */
  readonly certainMs: number | null;
  readonly wallMs: number | null;
}

export const NOTHING: IdleUntil = { ledgerMs: null, certainMs: null, wallMs: null };

/** There is no work until this wall time. */
export const untilWall = (wallMs: number | null): IdleUntil => ({ ...NOTHING, wallMs });

export const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

export const shorter = (a: IdleUntil, b: IdleUntil): IdleUntil => ({
  ledgerMs: earlier(a.ledgerMs, b.ledgerMs),
  certainMs: earlier(a.certainMs, b.certainMs),
  wallMs: earlier(a.wallMs, b.wallMs),
});

export const msOf = (iso: string | null): number | null => (iso === null ? null : isoToMs(iso));

/** Returns whether no policy does anything until a person changes one. */
export const isOff = (
  expiry: Kept<ExpiryPolicy>,
  renewal: Kept<RenewalPolicy>,
  wallNowMs: number,
) => {
  const isWaiting = expiry.startsInMs !== null || renewal.startsInMs !== null;
  const { complete, withdrawLapsed } = renewal.policy;
  const hold = holdOf(expiry.policy, wallNowMs);
  return !isWaiting && !complete && !withdrawLapsed && hold !== null && hold.untilMs === null;
};

/** Returns the next due times, each for the clock that decides it: see `lapseClock`. */
export function idleUntil(next: NextDue, graceMs: number, wallMs: number | null): IdleUntil {
  const lapseMs = msOf(next.lapse);
  const closeMs = msOf(next.close);
  if (graceMs === 0) return { ledgerMs: lapseMs, certainMs: closeMs, wallMs };
  const dueMs = lapseMs === null ? null : lapseMs + graceMs;
  return { ledgerMs: null, certainMs: earlier(dueMs, closeMs), wallMs };
}

/** Returns the time left until the next due time, by the clock that decides it; `null` if no next time is known. */
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
 * Requests that the ledger's time advances, if it has to confirm a time that is past by this process's clock: an idle
 * ledger reports no time by itself. The ledger's time is then checked again soon.
 */
export function awaitTime({ ledgerClock, wallClock }: Clocks, idle: IdleUntil): IdleUntil {
  const { certainMs } = idle;
  if (certainMs === null || certainMs > ledgerClock.nowMs()) return idle;
  ledgerClock.ask(certainMs);
  return shorter(idle, untilWall(wallClock.nowMs() + OPS_LIMITS.timerWatchMs));
}
