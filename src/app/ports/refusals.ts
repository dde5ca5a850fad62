import type { Actor } from '../../domain/caller.ts';
import type { Io } from './io.ts';

/** A failed sign-in, or an act that its caller may not perform. */
export interface Refusal {
  readonly act: 'sign-in-refused' | 'act-refused';
  /** `null` for an unknown caller. */
  readonly by: Actor | null;
  /** Kind and name of the refused object. The set of values is small, whatever an unknown caller sends. */
  readonly object: string;
  readonly reason: string;
}

/** How often the same refusal occurred within a range of time. */
export interface CountedRefusals extends Refusal {
  readonly count: number;
  /** ISO 8601. */
  readonly first: string;
  readonly last: string;
}

export interface RefusalLog {
  /** Counts a refusal, which is later written to the audit log. Never waits and never throws. */
  note(refusal: Refusal): void;
}

export interface RefusalStore {
  /** Adds a row to the audit log for each refusal. */
  record(refusals: readonly CountedRefusals[], io: Io): Promise<void>;
}
