import { setTimeout as sleep } from 'node:timers/promises';
import type { Broken } from './broken.ts';
import { checkAlways } from './checks.ts';
import { examineLive } from './doctor.ts';
import type { LedgerControl } from './ledger-control.ts';
import type { World } from './world.ts';

export interface WatchParts {
  readonly world: Pick<World, 'databaseUrl' | 'environment'>;
  readonly control: LedgerControl;
  /** When this signal is aborted, the checks end. */
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** Called once for each broken promise, when it is first seen. */
  readonly onBroken: (broken: Broken) => void;
  /**
   * The times from the end of one check to the beginning of the next: `checkMs` for the promises, and `examineMs` for
   * all invariants.
   */
  readonly checkMs?: number;
  readonly examineMs?: number;
}

const CHECK_MS = 2_000;
const EXAMINE_MS = 8_000;

/**
 * Checks for broken promises during the faults, because a violation counts even if it is repaired before the end. If
 * the database is unreachable, the check is repeated later.
 */
export async function watch(parts: WatchParts): Promise<void> {
  const { world, control, signal, nowMs, onBroken } = parts;
  const seen = new Set<string>();
  const tell = (found: readonly Broken[]): void => {
    for (const broken of found) {
      if (seen.has(broken.evidence)) continue;
      seen.add(broken.evidence);
      onBroken({ ...broken, atMs: Math.round(nowMs()) });
    }
  };
  const repeat = async (everyMs: number, look: () => Promise<readonly Broken[]>): Promise<void> => {
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) tell(await look().catch(() => []));
    }
  };
  await Promise.all([
    repeat(parts.checkMs ?? CHECK_MS, () => checkAlways(world.databaseUrl)),
    repeat(parts.examineMs ?? EXAMINE_MS, () => examineLive(world, control, signal)),
  ]);
}
