import type { Caller } from './caller.ts';

/** A person's act: who performed it, and for which reason. */
export interface Act {
  readonly by: Caller;
  /** The person's reason, which the audit log shows. */
  readonly reason: string;
  /** The ID of the bulk act to which this act belongs. */
  readonly actId?: string;
}
