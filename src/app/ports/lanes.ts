import type { Io } from './io.ts';

/** Splits lanes that hold more lifecycles than must act in sequence. */
export interface Lanes {
  /**
   * Splits some of the lanes that version 0.2.0 created: each licence gets a separate lane, and each renewal moves to
   * the lane of its licence. A lane is split only while no change is open in it and no process of 0.2.0 runs, because
   * that version derives the lane from the licence number.
   *
   * @returns the number of lifecycles that moved to another lane
   */
  part(io: Io): Promise<number>;
}
