import type { Caller } from './caller.ts';

/** A person's act, with the reason. */
export interface Act {
  readonly by: Caller;
  /** Shown to readers of the audit log. */
  readonly reason: string;
  /** The ID of the bulk act to which this act belongs. */
  readonly actId?: string;
}
