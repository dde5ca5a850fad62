import type { Caller } from './caller.ts';

/** A person who does something to a change, and why. */
export interface Act {
  readonly by: Caller;
  /** Shown to later readers of the audit log. */
  readonly reason: string;
  /** The bulk act that this act is part of. */
  readonly actId?: string;
}
