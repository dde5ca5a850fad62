import { UPPER_HALF, backoffDelayMs } from '../../domain/backoff.ts';
import type { Io } from '../ports/io.ts';
import type { Leases } from '../ports/leases.ts';
import { sleep } from '../ports/wakeup.ts';
import { LIMITS } from '../../domain/limits.ts';

/** Another process plays the role now: whoever still writes under the old epoch is refused, and stops at once. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor(message = 'another process has taken over') {
    super(message);
  }
}

/** A role of which there is one: whoever holds its lease plays it. */
export interface LeasedRole {
  readonly leases: Leases;
  /** Of the lease. */
  readonly name: string;
  /** Names whoever asks, once: two that share a name would take the lease from each other for ever. */
  readonly holder: string;
  readonly ttlMs: number;
  readonly random: () => number;
  /** Somebody else holds the lease; asked again soon. */
  readonly onStandby: () => void;
  /** The lease could not be asked for, or the work ended under it; it starts over after a pause. */
  readonly onFailure: (error: unknown) => void;
}

/** From an acquisition of the lease to its end. */
export interface Term {
  /** Every write names it: see `Leases`. */
  readonly epoch: bigint;
  /** Fires when the lease is lost, or the role is to stop. */
  readonly signal: AbortSignal;
}

/**
 * Plays a role for as long as its lease is held, again and again until `stopping` fires: asks for the lease, runs
 * `work` under it while renewing it, and gives it back. After a failure it starts over, after a pause that grows with
 * each in a row.
 *
 * A process that was paused may go on with `work` until it hears that the lease is lost. What keeps it from doing
 * harm is the epoch: a write that names a past one is refused by the database.
 *
 * @example
 * const role = {
 *   leases,
 *   name: CLOCK_LEASE,
 *   holder,
 *   ttlMs: LIMITS.leaseMs,
 *   random: Math.random,
 *   onStandby: () => log.debug({}, 'another process plays the role'),
 *   onFailure: (error: unknown) => log.warn({ error }, 'the role starts over'),
 * };
 * await leased(role, stopping, async ({ epoch, signal }) => {
 *   while (!signal.aborted) {
 *     await lookAfterWhatIsDue(epoch);
 *     await sleep(5_000, signal);
 *   }
 * });
 */
export async function leased(
  role: LeasedRole,
  stopping: AbortSignal,
  work: (term: Term) => Promise<void>,
): Promise<void> {
  let failures = 0;
  while (!stopping.aborted) {
    let longestMs: number = LIMITS.leaseAskMsMax;
    const beganMs = performance.now();
    try {
      // No longer than others would need to take over from whoever holds it.
      const io: Io = { signal: stopping, deadlineMs: role.ttlMs };
      const epoch = await role.leases.acquire(role.name, role.holder, role.ttlMs, io);
      if (epoch === null) role.onStandby();
      longestMs = LIMITS.leaseRestartMsMax;
      if (epoch !== null) await hold(role, epoch, stopping, work);
      failures = 0;
    } catch (error) {
      if (stopping.aborted) return;
      role.onFailure(error);
      const lastedLong = performance.now() - beganMs > LIMITS.leaseRestartMsMax;
      failures = lastedLong ? 1 : failures + 1;
    }
    await sleep(restMs(failures, longestMs, role.random()), stopping);
  }
}

/** Half of it is jitter, so that many who lost the same thing do not come back together. */
const restMs = (failures: number, maxMs: number, random: number): number =>
  backoffDelayMs(
    { firstMs: LIMITS.leaseStandbyMs, maxMs, jitter: UPPER_HALF },
    failures - 1,
    random,
  );

/** Work and lease end together, whichever ends first. */
async function hold(
  role: LeasedRole,
  epoch: bigint,
  stopping: AbortSignal,
  work: (term: Term) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stopping]);
  const end = () => over.abort();
  try {
    const working = work({ epoch, signal }).finally(end);
    const renewing = renew(role, epoch, signal).finally(end);
    const [worked, renewed] = await Promise.allSettled([working, renewing]);
    // A lost lease is why the work failed, not the other way round.
    if (renewed.status === 'rejected') throw renewed.reason;
    if (worked.status === 'rejected') throw worked.reason;
  } finally {
    await giveBack(role, epoch);
  }
}

/** @throws when the lease is another's, or has run out without an answer */
async function renew(role: LeasedRole, epoch: bigint, signal: AbortSignal): Promise<void> {
  const { leases, name, holder, ttlMs } = role;
  const everyMs = ttlMs / LIMITS.leaseExtensions;
  let renewedMs = performance.now();
  for (;;) {
    await sleep(everyMs, signal);
    if (signal.aborted) return;
    const askedMs = performance.now();
    const io: Io = { signal, deadlineMs: 2 * everyMs };
    const kept = await leases.renew(name, holder, epoch, ttlMs, io).catch((error: unknown) => {
      // A database that hesitates does not end the term, as long as the lease may still be ours.
      if (!signal.aborted && performance.now() - renewedMs > ttlMs) throw error;
      return null;
    });
    if (signal.aborted) return;
    if (kept === false) throw new LeaseLostError();
    if (kept === true) renewedMs = askedMs;
  }
}

/** So that nobody has to wait until it runs out. Where that fails, somebody has to. */
async function giveBack({ leases, name, holder }: LeasedRole, epoch: bigint): Promise<void> {
  const io: Io = {
    signal: AbortSignal.timeout(LIMITS.leaseGiveBackMs),
    deadlineMs: LIMITS.leaseGiveBackMs,
  };
  await leases.release(name, holder, epoch, io).catch(() => undefined);
}
