import type { Pause } from '../../domain/pause.ts';
import type { Circuit } from '../../domain/participant-health.ts';
import type { Io } from './io.ts';
import type { AuditEntry } from './writes.ts';

/** Pauses set by operators, and participants with an open circuit. */
export interface Pauses {
  /**
   * Adds a pause, or changes its mode. When this returns, no effect under the pause is being dispatched; jobs that are
   * already on the queue do nothing.
   */
  put(
    pause: Pick<Pause, 'scope' | 'name' | 'mode' | 'reason'>,
    by: Pick<AuditEntry, 'byParty' | 'bySubject'>,
    io: Io,
  ): Promise<Pause>;
  /** Removes a pause and resumes the changes that it held back; `null` if there is no such pause. */
  remove(
    id: string,
    by: Pick<AuditEntry, 'byParty' | 'bySubject' | 'reason'>,
    io: Io,
  ): Promise<Pause | null>;
  /** Returns the pauses, oldest first, each with the number of changes that it holds back. */
  list(io: Io): Promise<readonly (Pause & { readonly held: number })[]>;
  /** Returns the participants whose circuit is open. */
  circuits(io: Io): Promise<readonly Circuit[]>;
}
