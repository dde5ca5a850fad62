import type { BulkActs, BulkItem, WorkItemDeps } from '../app/desk/bulk-acts.ts';
import { workItem } from '../app/desk/bulk-acts.ts';
import { backoffMs } from '../app/engine/outcomes/decide.ts';
import type { Term } from '../app/engine/lanes/leased.ts';
import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Io, Log } from '../app/ports/io.ts';
import { Wakeup, sleep } from '../app/ports/wakeup.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Duty } from './scheduler.ts';
import { SECOND_MS } from '../domain/time.ts';

export interface BulkDutyDeps extends Omit<WorkItemDeps, 'acts'> {
  readonly acts: BulkActs;
  readonly log: Log;
  readonly random: () => number;
  /** The allowed number of items a second, for all acts together. */
  readonly itemsPerSecond: number;
}

/** The size of a batch, and the minimum time that a batch takes. */
interface Pace {
  readonly limit: number;
  readonly sliceMs: number;
}

/** Returns the pace of the allowed rate. @param itemsPerSecond at least 1 */
function paceOf(itemsPerSecond: number): Pace {
  const limit = Math.max(1, Math.floor((itemsPerSecond * OPS_LIMITS.bulkSliceMs) / SECOND_MS));
  return { limit, sliceMs: (limit / itemsPerSecond) * SECOND_MS };
}

/**
 * The bulk acts that are delayed after a temporary failure of an item, by ID: the number of failures in a row, and the
 * time of the next try.
 */
export type Resting = Map<string, { readonly failures: number; readonly untilMs: number }>;

/** Delays an act after a failed item, because the act's later items may depend on that item. Other acts continue. */
function rest(deps: BulkDutyDeps, item: BulkItem, resting: Resting, error: unknown): void {
  const { actId, changeId } = item;
  const failures = (resting.get(actId)?.failures ?? 0) + 1;
  const untilMs = performance.now() + backoffMs(failures, deps.random());
  resting.set(actId, { failures, untilMs });
  deps.log.warn(
    { actId, changeId, error: String(error) },
    'an operation of a bulk action has to wait',
  );
}

/**
 * Processes the next items of the running acts, in order.
 *
 * @param resting delayed acts; kept between calls by the process that holds the lease
 * @returns the number of items that were read
 */
export async function workBulk(
  deps: BulkDutyDeps,
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
  // An act whose delay is over and which has no items left was stopped, or is finished.
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
      // The act was stopped, or another process holds the lease. The next call reads the items again; if the lease is
      // lost, the term ends.
      if (end === null) waiting.add(actId);
      else deps.log.debug({ actId, changeId, end: end.state }, 'an item was worked off');
    } catch (error) {
      if (error instanceof LeaseLostError || io.signal.aborted) throw error;
      rest(deps, item, resting, error);
      waiting.add(actId);
    }
  }
  // Runs even without items, because the process that did an act's last item may have ended before it called this.
  await deps.acts.finish(io);
  return items.length;
}

export interface BulkDuty extends Duty {
  /** Ends the wait for work. Called after a bulk act was applied. */
  wake(): void;
}

/** Returns the duty that processes bulk acts within the allowed rate. */
export function watchBulkActs(deps: BulkDutyDeps): BulkDuty {
  const wakeup = new Wakeup();
  return {
    name: 'bulk actions',
    wake: () => wakeup.wake(),
    run: (term) => workOff(deps, term, wakeup),
  };
}

async function workOff(deps: BulkDutyDeps, { epoch, signal }: Term, wakeup: Wakeup): Promise<void> {
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
