import type { Caller } from './caller.ts';

/** A person who does something to a change, and why. */
export interface Act {
  readonly by: Caller;
  /** For those who read it later. */
  readonly reason: string;
  /** The bulk act that it is part of. */
  readonly actId?: string;
}
