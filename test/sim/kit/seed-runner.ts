import { runHistory } from './history.ts';
import { plantOf } from './plants.ts';
import { faultNamed } from './weather.ts';
import { outcomeOf } from './report.ts';
import type { Outcome } from './report.ts';

/*
 * A process that runs the seeds that its parent sends, one at a time, and answers with the outcome of each. A history
 * replaces the clock of its process, so the process must do nothing else during a history.
 */

export interface SeedOrder {
  readonly seed: number;
  readonly keepTrace: boolean;
  /** The name of a bug to plant. */
  readonly plant: string | null;
  /** The only faults that may happen. Without them, the seed decides. */
  readonly faults?: readonly string[] | null;
  /** Whether the rules are checked only at the end. */
  readonly isBlind?: boolean;
}

export interface SeedAnswer {
  readonly outcome: Outcome;
  readonly trace: readonly string[] | null;
}

process.on('message', (order: SeedOrder) => {
  void answer(order);
});

async function answer(order: SeedOrder): Promise<void> {
  const reply: SeedAnswer = await runSeed(order);
  process.send?.(reply);
}

async function runSeed({
  seed,
  keepTrace,
  plant,
  faults: only = null,
  isBlind = false,
}: SeedOrder): Promise<SeedAnswer> {
  const before = process.getActiveResourcesInfo().length;
  try {
    const { faults: ofPlant, ...plants } = plantOf(plant);
    const faults = only ?? ofPlant;
    const history = await runHistory({
      seed,
      keepTrace,
      plants,
      ...(faults === undefined ? {} : { faults: faults.map(faultNamed) }),
      looksOut: !isBlind,
    });
    const outcome = outcomeOf(history);
    const left = process.getActiveResourcesInfo();
    if (left.length <= before) return { outcome, trace: history.trace };
    // The history must not have used anything real: no timer, no socket, no file.
    const finding = { invariant: 'simulation', what: `left behind: ${left.join(', ')}` };
    const findings = [...outcome.findings, finding];
    return { outcome: { ...outcome, findings }, trace: history.trace };
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const findings = [{ invariant: 'simulation', what }];
    return { outcome: { seed, digest: '', findings, injected: {}, counts: {} }, trace: null };
  }
}
