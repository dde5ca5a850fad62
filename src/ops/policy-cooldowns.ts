import type { PolicyName } from '../domain/automatic.ts';
import type { Backoff } from '../domain/backoff.ts';
import { UPPER_HALF, backoffDelayMs } from '../domain/backoff.ts';
import { OPS_LIMITS } from './limits.ts';

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
  /** How many came before it in a row. */
  readonly before: number;
}

const LENGTH: Backoff = {
  firstMs: OPS_LIMITS.policyPauseMs,
  maxMs: OPS_LIMITS.policyPauseMsMax,
  jitter: UPPER_HALF,
};

/** @param random in [0, 1) */
export function createCooldowns(random: () => number): Cooldowns {
  const cooldowns = new Map<PolicyName, Cooldown>();
  return {
    begin(name, nowMs) {
      const last = cooldowns.get(name);
      // What was on its way when the first one failed says nothing new.
      if (last !== undefined && nowMs < last.untilMs) return;
      const before = last === undefined ? 0 : last.before + 1;
      cooldowns.set(name, { untilMs: nowMs + backoffDelayMs(LENGTH, before, random()), before });
    },
    endOf(name, nowMs) {
      const cooldown = cooldowns.get(name);
      if (cooldown === undefined) return null;
      if (nowMs < cooldown.untilMs) return cooldown.untilMs;
      const againMs = backoffDelayMs(LENGTH, cooldown.before);
      if (nowMs > cooldown.untilMs + againMs) cooldowns.delete(name);
      return null;
    },
  };
}
