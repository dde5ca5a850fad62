import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkActs, WorkItemDeps } from '../app/bulk-acts.ts';
import { workItem } from '../app/bulk-acts.ts';
import type { Io, Log } from '../app/ports.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Duty } from './clock.ts';

export interface BulkClockDeps extends Omit<WorkItemDeps, 'acts'> {
  readonly acts: BulkActs;
  readonly log: Log;
  /** Items a second, of all acts together. */
  readonly itemsPerSecond: number;
}

/** How much is taken at a time: what the rate allows in so long. */
const SLICE_MS = 200;
const SECOND_MS = 1_000;

/**
 * Works off what is next of the acts that run, in order.
 *
 * @returns how many items were taken
 */
export async function workBulk(
  deps: BulkClockDeps,
  epoch: bigint,
  limit: number,
  io: Io,
): Promise<number> {
  const items = await deps.acts.next(limit, io);
  for (const item of items) {
    io.signal.throwIfAborted();
    const end = await workItem(deps, item, epoch, io);
    // Stopped, or another holds the lease: look again. A lease that is lost ends the term.
    if (end === null) break;
    const { actId, changeId } = item;
    deps.log.debug({ actId, changeId, end: end.state }, 'an item of a bulk act was worked off');
  }
  if (items.length > 0) await deps.acts.finish(io);
  return items.length;
}

/** Works off bulk acts, no faster than it may. */
export const watchBulkActs = (deps: BulkClockDeps): Duty => ({
  name: 'bulk acts',
  async run({ epoch, signal }) {
    const limit = Math.max(1, Math.floor((deps.itemsPerSecond * SLICE_MS) / SECOND_MS));
    const sliceMs = (limit / deps.itemsPerSecond) * SECOND_MS;
    while (!signal.aborted) {
      const beganMs = performance.now();
      const io = { signal, deadlineMs: LIMITS.databaseStatementMs };
      const taken = await workBulk(deps, epoch, limit, io);
      const tookMs = performance.now() - beganMs;
      const restMs = taken === 0 ? LIMITS.bulkLookMs : Math.max(0, sliceMs - tookMs);
      await sleep(restMs, undefined, { signal }).catch(() => undefined);
    }
  },
});
