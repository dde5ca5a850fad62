import type { Io } from './io.ts';

/** The lease of whoever may move cursors. */
export const PROJECTOR_LEASE = 'projector';

/** The lease of whoever looks at the time: what has waited too long, what is due. */
export const CLOCK_LEASE = 'clock';

/** The lease of whoever numbers events. */
export const EVENTS_LEASE = 'events';

/** Mutual exclusion over processes, with fencing: a holder that has been replaced cannot write any more. */
export interface Leases {
  /** The new epoch, or `null` while another holds it. */
  acquire(name: string, holder: string, ttlMs: number, io: Io): Promise<bigint | null>;
  /** False when it was lost. */
  renew(name: string, holder: string, epoch: bigint, ttlMs: number, io: Io): Promise<boolean>;
  release(name: string, holder: string, epoch: bigint, io: Io): Promise<void>;
}
