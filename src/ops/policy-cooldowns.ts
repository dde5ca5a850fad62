import type { PolicyName } from '../domain/automatic.ts';
import { LIMITS } from '../domain/limits.ts';

/**
 * Whether a policy may fire at this moment. What the ledger refuses once it will refuse again: a clock that is ahead of
 * it, a right that is gone. So a failure holds back all of the policy for a while, longer with each in a row.
 */
export interface Cooldowns {
  /** A change of the policy has failed, or could not be recorded. Wall time. */
  begin(name: PolicyName, nowMs: number): void;
  /** When the cooldown that is on ends, or `null`. One that is over is forgotten only after as long again. */
  endOf(name: PolicyName, nowMs: number): number | null;
}

interface Cooldown {
  readonly untilMs: number;
  readonly lastsMs: number;
}

/** @param random in [0, 1) */
export function createCooldowns(random: () => number): Cooldowns {
  const cooldowns = new Map<PolicyName, Cooldown>();
  return {
    begin(name, nowMs) {
      const before = cooldowns.get(name);
      // What was on its way when the first one failed says nothing new.
      if (before !== undefined && nowMs < before.untilMs) return;
      const doubled = before === undefined ? LIMITS.policyPauseMs : 2 * before.lastsMs;
      const lastsMs = Math.min(LIMITS.policyPauseMsMax, doubled);
      cooldowns.set(name, { untilMs: nowMs + lastsMs / 2 + (lastsMs / 2) * random(), lastsMs });
    },
    endOf(name, nowMs) {
      const cooldown = cooldowns.get(name);
      if (cooldown === undefined) return null;
      if (nowMs < cooldown.untilMs) return cooldown.untilMs;
      if (nowMs > cooldown.untilMs + cooldown.lastsMs) cooldowns.delete(name);
      return null;
    },
  };
}
