import type { Caller } from './caller.ts';

/** Who acts on a change, and why. */
export interface Act {
  readonly by: Caller;
  /** Shown to readers of the audit log. */
  readonly reason: string;
  /** The bulk act that this act is part of. */
  readonly actId?: string;
}
