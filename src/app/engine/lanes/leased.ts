import { UPPER_HALF, backoffDelayMs } from '../../../domain/backoff.ts';
import type { Io } from '../../ports/io.ts';
import type { Leases } from '../../ports/leases.ts';
import { sleep } from '../../ports/wakeup.ts';
import { LIMITS } from '../../../domain/limits.ts';

/**
 * Another process holds the role now. The database refuses writes with the old epoch, and the process that attempts
 * such a write stops the role at once.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor(message = 'another process has taken over') {
    super(message);
  }
}

/** A role that only one process at a time may play: the holder of the role's lease. */
export interface LeasedRole {
  readonly leases: Leases;
  /** Name of the lease. */
  readonly name: string;
  /** Unique name of this process. Two processes with the same name would repeatedly take the lease from each other. */
  readonly holder: string;
  readonly ttlMs: number;
  readonly random: () => number;
  /** Called if another process holds the lease; the lease is requested again soon. */
  readonly onStandby: () => void;
  /** Called if the request for the lease or the work failed; the role restarts after a pause. */
  readonly onFailure: (error: unknown) => void;
}

/** The period from the acquisition of the lease to its end. */
export interface Term {
  /** Number of the term. Every write of this term names it: see `Leases`. */
  readonly epoch: bigint;
  /** Fires when the lease is lost, or when the role must stop. */
  readonly signal: AbortSignal;
}

/**
 * Plays a role whenever its lease is available, until `stopping` fires: acquires the lease, runs `work` while it renews
 * the lease, and releases it. Restarts after a failure, with a pause that grows with each consecutive failure.
 *
 * A process that was suspended may continue `work` until it notices that the lease is lost. The epoch prevents harm:
 * the database refuses a write that names a past epoch.
 *
 * @example
 * const role = {
 *   leases,
 *   name: SCHEDULER_LEASE,
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
      // The request may take at most as long as the lease lasts, which is when other processes can take over.
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

/** Half of the delay is random, so that processes that lost the same resource do not return together. */
const restMs = (failures: number, maxMs: number, random: number): number =>
  backoffDelayMs(
    { firstMs: LIMITS.leaseStandbyMs, maxMs, jitter: UPPER_HALF },
    failures - 1,
    random,
  );

/** Runs the work and renews the lease; when one of them ends, the other ends too. */
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
    // If both failed, the lost lease is the cause of the failed work, not the reverse.
    if (renewed.status === 'rejected') throw renewed.reason;
    if (worked.status === 'rejected') throw worked.reason;
  } finally {
    await giveBack(role, epoch);
  }
}

/** @throws if another process holds the lease, or the lease has expired without an answer */
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
      // A slow database does not end the term while the lease may still be ours.
      if (!signal.aborted && performance.now() - renewedMs > ttlMs) throw error;
      return null;
    });
    if (signal.aborted) return;
    if (kept === false) throw new LeaseLostError();
    if (kept === true) renewedMs = askedMs;
  }
}

/** Releases the lease, so that other processes need not wait until it expires. A failure is ignored. */
async function giveBack({ leases, name, holder }: LeasedRole, epoch: bigint): Promise<void> {
  const io: Io = {
    signal: AbortSignal.timeout(LIMITS.leaseGiveBackMs),
    deadlineMs: LIMITS.leaseGiveBackMs,
  };
  await leases.release(name, holder, epoch, io).catch(() => undefined);
}
