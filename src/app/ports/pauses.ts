import type { Circuit, Pause } from '../../domain/pause.ts';
import type { Io } from './io.ts';
import type { AuditEntry } from './writes.ts';

/** What persons have stopped, and who is left alone because it is busy. */
export interface Pauses {
  /**
   * Stops something, or changes how it is stopped. Before this returns nothing of it is dispatched any more; jobs that
   * are on the queue do nothing.
   */
  put(
    pause: Pick<Pause, 'scope' | 'name' | 'mode' | 'reason'>,
    by: Pick<AuditEntry, 'byParty' | 'bySubject'>,
    io: Io,
  ): Promise<Pause>;
  /** Lets go on what was stopped; `null` when there is no such pause. */
  remove(
    id: string,
    by: Pick<AuditEntry, 'byParty' | 'bySubject' | 'reason'>,
    io: Io,
  ): Promise<Pause | null>;
  /** The oldest first, each with how many changes it keeps from going on. */
  list(io: Io): Promise<readonly (Pause & { readonly held: number })[]>;
  /** Participants that are left alone at this moment. */
  circuits(io: Io): Promise<readonly Circuit[]>;
}
