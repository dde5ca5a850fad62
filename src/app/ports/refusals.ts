import type { Actor } from '../../domain/caller.ts';
import type { Io } from './io.ts';

/** A failed sign-in, or an act that is forbidden to its caller. */
export interface Refusal {
  readonly act: 'sign-in-refused' | 'act-refused';
  /** `null` for an unknown caller. */
  readonly by: Actor | null;
  /** Kind and name of the refused object: a small set of values, whatever an unknown caller sends. */
  readonly object: string;
  readonly reason: string;
}

/** The number of equal refusals within a range of time. */
export interface CountedRefusals extends Refusal {
  readonly count: number;
  /** ISO 8601. */
  readonly first: string;
  readonly last: string;
}

export interface RefusalLog {
  /** Counts a refusal, which becomes a row in the audit log. Never waits and never throws. */
  note(refusal: Refusal): void;
}

export interface RefusalStore {
  /** Adds a row to the audit log for each. */
  record(refusals: readonly CountedRefusals[], io: Io): Promise<void>;
}
