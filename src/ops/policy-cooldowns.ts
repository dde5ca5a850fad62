import type { PolicyName } from '../domain/automatic.ts';
import type { Backoff } from '../domain/backoff.ts';
import { UPPER_HALF, backoffDelayMs } from '../domain/backoff.ts';
import { OPS_LIMITS } from './limits.ts';

/**
 * Decides whether a policy may fire now. After a refusal, the ledger usually refuses the next change for the same
 * cause, such as a clock that is ahead or a missing right. So a failure pauses the whole policy, for longer with each
 * failure in a row.
 */
export interface Cooldowns {
  /** Starts a cooldown at a wall time, because a change of the policy has failed or could not be recorded. */
  begin(name: PolicyName, nowMs: number): void;
  /**
   * Returns when the current cooldown ends, or `null`. A cooldown that begins soon after this end is longer: soon means
   * within the length of the ended cooldown.
   */
  endOf(name: PolicyName, nowMs: number): number | null;
}

interface Cooldown {
  readonly untilMs: number;
  /** How many cooldowns directly preceded this one. */
  readonly before: number;
}

const LENGTH: Backoff = {
  firstMs: OPS_LIMITS.policyPauseMs,
  maxMs: OPS_LIMITS.policyPauseMsMax,
  jitter: UPPER_HALF,
};

/** Creates the cooldowns of all policies. @param random returns a number in [0, 1) */
export function createCooldowns(random: () => number): Cooldowns {
  const cooldowns = new Map<PolicyName, Cooldown>();
  return {
    begin(name, nowMs) {
      const last = cooldowns.get(name);
      // Failures during the cooldown are of changes that were open at the first failure, so they prove nothing new.
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
