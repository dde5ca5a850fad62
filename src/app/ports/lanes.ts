import type { Io } from './io.ts';

/** Lanes that hold more than what must happen in sequence. */
export interface Lanes {
  /**
   * Splits some of the lanes that version 0.2.0 made: each licence gets a lane of its own, and each renewal the lane of
   * its licence. A lane is split only while nothing is under way in it and no process of 0.2.0 runs, because that
   * version derives the lane from the licence number.
   *
   * @returns the number of lifecycles that moved to another lane
   */
  part(io: Io): Promise<number>;
}
