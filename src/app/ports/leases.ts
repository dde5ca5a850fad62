import type { Io } from './io.ts';

/** The lease of the process that may move cursors. */
export const PROJECTOR_LEASE = 'projector';

/** The lease of the scheduler, which acts when a time is reached. */
export const SCHEDULER_LEASE = 'clock';

/** The lease of the process that numbers events. */
export const EVENTS_LEASE = 'events';

/** Mutual exclusion between processes, with fencing: once a holder has been replaced, its writes are refused. */
export interface Leases {
  /** Returns the new epoch, or `null` while another process holds the lease. */
  acquire(name: string, holder: string, ttlMs: number, io: Io): Promise<bigint | null>;
  /** Returns false if the lease was lost. */
  renew(name: string, holder: string, epoch: bigint, ttlMs: number, io: Io): Promise<boolean>;
  release(name: string, holder: string, epoch: bigint, io: Io): Promise<void>;
}
