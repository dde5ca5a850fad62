import type { PolicyConfirmation } from '../../../src/app/ports/policies.ts';
import { firingOf, originOf } from '../../../src/domain/automatic.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ExpiryPolicy } from '../../../src/domain/expiry-policy.ts';
import type { Party } from '../../../src/domain/ids.ts';
import type { DatabaseContents } from '../memory/database.ts';
import type { ChangeRow, PolicyRow } from '../memory/rows.ts';
import type { Commit } from '../memory/server.ts';
import type { World } from './world.ts';

/*
 * In a history with this fault, a person confirms most expiry policies. Such a policy takes effect after a delay, or is
 * undone.
 */

/** The longest time after which a person undoes a policy. */
const REGRET_MS_MAX = 10_000;

const ENDS = {
  atOnce: 1,
  within24Hours: 1,
  within30Days: 1,
  ever: 1,
  neverRenewed: 0,
  afterChange: 0,
};

/** Returns the confirmation with which a policy is set. @returns `undefined` for a policy that takes effect at once */
export function confirmationIn({
  weather,
  confirming: random,
}: World): PolicyConfirmation | undefined {
  if (weather.rateOf('policy-delayed') === 0 || random.chance(0.3)) return undefined;
  weather.count('policy-delayed');
  return { reason: 'it is time', ends: ENDS, delayMs: random.pick([500, 5_000, 40_000]) };
}

/**
 * Waits for as long as a person thinks. @returns whether the person undoes the policy, before it starts or just after
 */
export async function isRegretted(
  { clock, confirming: random }: World,
  { delayMs }: PolicyConfirmation,
): Promise<boolean> {
  if (random.chance(0.6)) return false;
  await clock.pass(random.between(0, Math.min(1.2 * delayMs, REGRET_MS_MAX)));
  return true;
}

/**
 * Checks that the expiry policy ends no licence before the start of its version, and that a replaced version ends none.
 */
export class DelayWatch {
  readonly early: string[] = [];
  #version = 0;
  /** The start of the version, by the database's clock. */
  #startsAtMs = Number.NEGATIVE_INFINITY;

  onCommit({ atMs, changes }: Commit): void {
    for (const { table, before, after } of changes) {
      if (table === 'expiry_policy') this.#onPolicy(after as PolicyRow<ExpiryPolicy>);
      if (table === 'change' && before === undefined) {
        this.#onChange((after as ChangeRow).change, atMs);
      }
    }
  }

  onRestore(contents: DatabaseContents, provider: Party): void {
    this.#version = contents.policyVersion(provider);
    this.#startsAtMs = contents.policyStartsAtMs(provider) ?? Number.NEGATIVE_INFINITY;
  }

  /** When a version has started, its row contains no start time. */
  #onPolicy({ version, pending }: PolicyRow<ExpiryPolicy>): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#startsAtMs = pending?.startsAtMs ?? Number.NEGATIVE_INFINITY;
  }

  #onChange(change: Change, atMs: number): void {
    const origin = originOf(change);
    if (firingOf(change.commandId) === null || origin?.name !== 'expiry') return;
    const { commandId } = change;
    if (origin.version !== this.#version) {
      this.early.push(`${commandId} is of version ${origin.version}, after ${this.#version}`);
    } else if (atMs < this.#startsAtMs) {
      this.early.push(`${commandId} comes ${this.#startsAtMs - atMs} ms before its policy starts`);
    }
  }
}
