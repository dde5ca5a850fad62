import type { BulkActs, BulkItem, WorkItemDeps } from '../app/desk/bulk-acts.ts';
import { workItem } from '../app/desk/bulk-acts.ts';
import { backoffMs } from '../app/engine/decide.ts';
import type { Term } from '../app/engine/leased.ts';
import { LeaseLostError } from '../app/engine/leased.ts';
import type { Io, Log } from '../app/ports/io.ts';
import { Wakeup, sleep } from '../app/ports/wakeup.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Duty } from './clock.ts';
import { SECOND_MS } from '../domain/time.ts';

export interface BulkClockDeps extends Omit<WorkItemDeps, 'acts'> {
  readonly acts: BulkActs;
  readonly log: Log;
  readonly random: () => number;
  /** Items a second, of all acts together. */
  readonly itemsPerSecond: number;
}

/** So many items at a time, and how long they are to take at least. */
interface Pace {
  readonly limit: number;
  readonly sliceMs: number;
}

/** @param itemsPerSecond at least 1 */
function paceOf(itemsPerSecond: number): Pace {
  const limit = Math.max(1, Math.floor((itemsPerSecond * OPS_LIMITS.bulkSliceMs) / SECOND_MS));
  return { limit, sliceMs: (limit / itemsPerSecond) * SECOND_MS };
}

/** Acts of which an item could not be done for now: how often in a row, and until when each is left alone. */
export type Resting = Map<string, { readonly failures: number; readonly untilMs: number }>;

/** What comes after an item that could not be done may depend on it: its act waits, and the others go on. */
function rest(deps: BulkClockDeps, item: BulkItem, resting: Resting, error: unknown): void {
  const { actId, changeId } = item;
  const failures = (resting.get(actId)?.failures ?? 0) + 1;
  const untilMs = performance.now() + backoffMs(failures, deps.random());
  resting.set(actId, { failures, untilMs });
  deps.log.warn({ actId, changeId, error: String(error) }, 'an item of a bulk act has to wait');
}

/**
 * Works off what is next of the acts that run, in order.
 *
 * @param resting kept from call to call, by whoever holds the lease
 * @returns how many items were taken
 */
export async function workBulk(
  deps: BulkClockDeps,
  epoch: bigint,
  limit: number,
  resting: Resting,
  io: Io,
): Promise<number> {
  const nowMs = performance.now();
  const isResting = ([, { untilMs }]: [string, { readonly untilMs: number }]) => untilMs > nowMs;
  const leftAlone = [...resting].filter(isResting).map(([actId]) => actId);
  const items = await deps.acts.next(limit, leftAlone, io);
  const found = new Set(items.map(({ actId }) => actId));
  // Stopped, or done.
  for (const [actId, { untilMs }] of resting) {
    if (untilMs <= nowMs && !found.has(actId)) resting.delete(actId);
  }
  const waiting = new Set<string>();
  for (const item of items) {
    const { actId, changeId } = item;
    if (waiting.has(actId)) continue;
    io.signal.throwIfAborted();
    try {
      const end = await workItem(deps, item, epoch, io);
      resting.delete(actId);
      // Stopped, or another holds the lease: look again. A lease that is lost ends the term.
      if (end === null) waiting.add(actId);
      else deps.log.debug({ actId, changeId, end: end.state }, 'an item was worked off');
    } catch (error) {
      if (error instanceof LeaseLostError || io.signal.aborted) throw error;
      rest(deps, item, resting, error);
      waiting.add(actId);
    }
  }
  // Also when there was nothing to do: whoever did the last item may have ended before this.
  await deps.acts.finish(io);
  return items.length;
}

export interface BulkClock extends Duty {
  /** An act was applied. */
  wake(): void;
}

/** Works off bulk acts, no faster than it may. */
export function watchBulkActs(deps: BulkClockDeps): BulkClock {
  const wakeup = new Wakeup();
  return {
    name: 'bulk acts',
    wake: () => wakeup.wake(),
    run: (term) => workOff(deps, term, wakeup),
  };
}

async function workOff(
  deps: BulkClockDeps,
  { epoch, signal }: Term,
  wakeup: Wakeup,
): Promise<void> {
  const { limit, sliceMs } = paceOf(deps.itemsPerSecond);
  const resting: Resting = new Map();
  while (!signal.aborted) {
    const beganMs = performance.now();
    const io = { signal, deadlineMs: LIMITS.databaseStatementMs };
    const taken = await workBulk(deps, epoch, limit, resting, io);
    const tookMs = performance.now() - beganMs;
    if (taken > 0) await sleep(Math.max(0, sliceMs - tookMs), signal);
    else {
      const { bulkRestMs, bulkLookMs } = OPS_LIMITS;
      await wakeup.wait(resting.size > 0 ? bulkRestMs : bulkLookMs, signal);
    }
  }
}
