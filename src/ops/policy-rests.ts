import type { PolicyName } from '../domain/automatic.ts';
import { LIMITS } from '../domain/limits.ts';

/**
 * Whether a policy may fire at this moment. What the ledger refuses once it will refuse again: a clock that is ahead of
 * it, a right that is gone. So a failure holds back all of the policy for a while, longer with each in a row.
 */
export interface Rests {
  /** A change of the policy has failed, or could not be recorded. Wall time. */
  begin(name: PolicyName, nowMs: number): void;
  /** When the rest that is on ends, or `null`. One that is over is forgotten only after as long again. */
  endOf(name: PolicyName, nowMs: number): number | null;
}

interface Rest {
  readonly untilMs: number;
  readonly lastsMs: number;
}

/** @param random in [0, 1) */
export function createRests(random: () => number): Rests {
  const rests = new Map<PolicyName, Rest>();
  return {
    begin(name, nowMs) {
      const before = rests.get(name);
      // What was on its way when the first one failed says nothing new.
      if (before !== undefined && nowMs < before.untilMs) return;
      const doubled = before === undefined ? LIMITS.policyPauseMs : 2 * before.lastsMs;
      const lastsMs = Math.min(LIMITS.policyPauseMsMax, doubled);
      rests.set(name, { untilMs: nowMs + lastsMs / 2 + (lastsMs / 2) * random(), lastsMs });
    },
    endOf(name, nowMs) {
      const rest = rests.get(name);
      if (rest === undefined) return null;
      if (nowMs < rest.untilMs) return rest.untilMs;
      if (nowMs > rest.untilMs + rest.lastsMs) rests.delete(name);
      return null;
    },
  };
}
