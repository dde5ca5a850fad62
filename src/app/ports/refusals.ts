import type { Actor } from '../../domain/caller.ts';
import type { Io } from './io.ts';

/** A sign-in that failed, or an act that its caller may not do. */
export interface Refusal {
  readonly act: 'sign-in-refused' | 'act-refused';
  /** `null`: a stranger. */
  readonly by: Actor | null;
  /** Kind and name of what was refused: few different ones, whatever a stranger sends. */
  readonly object: string;
  readonly reason: string;
}

/** How often one refusal was given within a span of time. */
export interface CountedRefusals extends Refusal {
  readonly count: number;
  /** ISO 8601. */
  readonly first: string;
  readonly last: string;
}

export interface RefusalLog {
  /** Counts a refusal; a row of the audit log follows. Never waits and never throws. */
  note(refusal: Refusal): void;
}

export interface RefusalStore {
  /** Adds a row to the audit log for each. */
  record(refusals: readonly CountedRefusals[], io: Io): Promise<void>;
}
