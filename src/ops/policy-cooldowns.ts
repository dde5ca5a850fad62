import type { PolicyName } from '../domain/automatic.ts';
import type { Backoff } from '../domain/backoff.ts';
import { UPPER_HALF, backoffDelayMs } from '../domain/backoff.ts';
import { OPS_LIMITS } from './limits.ts';

/**
 * Whether a policy may fire now. The ledger usually refuses again for the same cause: a clock ahead of it, or a missing
 * right. So a failure pauses the whole policy for a while, longer with each failure in a row.
 */
export interface Cooldowns {
  /** Starts a cooldown: a change of the policy has failed, or could not be recorded. Wall time. */
  begin(name: PolicyName, nowMs: number): void;
  /** Returns when the current cooldown ends, or `null`. A past cooldown counts as a predecessor for as long again. */
  endOf(name: PolicyName, nowMs: number): number | null;
}

interface Cooldown {
  readonly untilMs: number;
  /** How many cooldowns came before this one in a row. */
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
      // Changes that were open at the first failure are no new evidence.
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
